import numpy as np

from tailc.pipeline.compile import compile_policy
from tests.tailc.toy import with_lines, write_toy


def swept(folder, targets):
    """A sweep on a busy server of four cores: 30 requests a second of 86 ms each."""
    demand = np.random.default_rng(3).gamma(1.6, 54.0, 400).round(2) + 1
    rows = "".join(f"{i},{d}\n" for i, d in enumerate(demand))
    spec = with_lines(
        ("cores: 6, target_parallelism: 6", f"cores: 4, target_parallelism: {targets}"),
        ("search: {method: grid, step: 50ms}", "search: {method: grid, step: 10ms}"),
        ("rates: [10/s]", "rates: [10/s, 30/s]"),
    )
    return compile_policy(write_toy(folder, spec, "request,demand_ms\n" + rows))


def test_the_candidate_that_is_never_far_from_the_best_is_chosen(tmp_path):
    compiled = swept(tmp_path, "[4, 5, 12]")
    tails_us = [candidate.tails_us for candidate in compiled.sweep.candidates]
    assert all(len(tails) == 2 for tails in tails_us)
    best_us = [min(tails[rate] for tails in tails_us) for rate in (0, 1)]
    regrets = [max(tails[rate] / best_us[rate] for rate in (0, 1)) for tails in tails_us]
    assert compiled.sweep.best == regrets.index(min(regrets))
    assert all(low < high for low, high in tails_us)


def test_the_replay_of_a_sweep_does_not_depend_on_threads(tmp_path):
    once = swept(tmp_path, "[4, 6]")
    again = compile_policy(str(tmp_path / "toy.yaml"), threads=1)
    assert [c.tails_us for c in once.sweep.candidates] == [
        c.tails_us for c in again.sweep.candidates
    ]


def test_one_target_is_not_replayed(tmp_path):
    assert swept(tmp_path, "6").sweep.chosen.tails_us == ()
