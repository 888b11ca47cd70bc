"""The default controller is no worse than a constant share; a stated one is warned about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tailc.artifact.json_form import encode_json
from tailc.errors import Code
from tailc.experiment.recorded_periods import recorded_periods, shares_of
from tailc.forms.shares import ShareLaw, Shares
from tailc.models.cpu_shares.plant import replay
from tailc.models.cpu_shares.recorded_machines import machines_of
from tailc.pipeline.auto.shares import CONSTANT_POLE_PPM, POLES_PPM, constant_shares
from tailc.pipeline.compilation import Judging
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.static_share import Nearer, nearer_by_constant
from tests.tailc.policies.autopro.case import SPEC, write

JUDGED: Judging | None = Judging()
PAPER = "control: {method: paper}\n"


def compiled(folder, control="", judging: Judging | None = JUDGED):
    case = write(folder)
    case.spec.write_text(f"{SPEC}{control}")
    return compile_policy(str(case.spec), judging=judging)


def warned(folder, control="", judging: Judging | None = JUDGED, code=Code.BETTER_BY_HAND):
    found = compiled(folder, control, judging).findings
    return [one.message for one in found if one.code is code]


@pytest.mark.parametrize("control", [PAPER, "control: {pole: 0.1}\n"])
def test_each_machine_that_a_constant_share_keeps_nearer_is_named(tmp_path, control):
    """The model is exact and only noise disturbs it, which a fast controller follows in vain.

    At the target the encoder needs 20 (1 - 0.2) / 48 of the host, and the pricer 30 %.
    """
    encoder, pricer = warned(tmp_path, control)
    assert encoder.startswith("a constant share of 33.2 % keeps `encoder` closer to its target")
    assert pricer.startswith("a constant share of 30 % keeps `pricer` closer to its target")


@pytest.mark.parametrize("pole", [0.9, 0.95])
def test_a_slow_controller_is_as_good(tmp_path, pole):
    assert warned(tmp_path, f"control: {{pole: {pole}}}\n") == []


def test_nothing_is_replayed_where_no_estimate_is_asked_for(tmp_path):
    assert warned(tmp_path, PAPER, judging=None) == []


@pytest.mark.parametrize("method", ["auto", "paper"])
def test_a_trace_that_is_too_short_to_replay_says_nothing(tmp_path, method):
    found = compiled(tmp_path, f"control: {{method: {method}, window: 300s}}\n")
    assert shares_of(found.policy).pole_ppm == 100_000
    codes = {one.code for one in found.findings}
    assert not codes & {Code.BETTER_BY_HAND, Code.OTHER_CONTROL}


def others(shares: Shares, parts) -> list[Shares]:
    """Every controller of the default method, the fastest first, and constant shares."""
    stated = replace(shares, law=ShareLaw.POLE_PLACEMENT, pole_ppm=100_000)
    poles = [replace(stated, pole_ppm=ppm) for ppm in (100_000, *POLES_PPM)]
    return [
        poles[0],
        replace(stated, law=ShareLaw.OBSERVER),
        *poles[1:],
        constant_shares(stated, parts),
    ]


def mean_errors(shares: Shares, rows) -> np.ndarray:
    return recorded_periods(shares, rows).errors.mean(axis=1)


def test_the_default_is_the_fastest_controller_that_is_as_good_as_the_best(tmp_path):
    """Exhaustively. 0.5 % is added to each error, as the tolerance is 5 %."""
    stated, found = compiled(tmp_path, PAPER), compiled(tmp_path)
    rows, taken = found.design, shares_of(found.policy)
    parts = recorded_periods(shares_of(stated.policy), rows).replay_baseline("static").shares
    tried = others(shares_of(stated.policy), parts)
    products = [float(np.prod(mean_errors(one, rows) + 0.005)) for one in tried]
    is_beaten = [bool(nearer_by_constant(recorded_periods(one, rows))) for one in tried]
    least = min(one for one, beaten in zip(products, is_beaten, strict=True) if not beaten)
    good = [
        one.pole_ppm
        for one, product, beaten in zip(tried, products, is_beaten, strict=True)
        if not beaten and product <= 1.02**2 * least
    ]
    assert taken.pole_ppm == good[0]
    assert Code.BETTER_BY_HAND not in {one.code for one in found.findings}
    (said,) = warned(tmp_path, code=Code.OTHER_CONTROL)
    assert f"the pole {good[0] / 1e6:g} instead of `pole-placement` with the pole 0.1" in said


@pytest.mark.parametrize(("fall", "noise"), [(0.5, 0.05), (0.6, 0.04), (-0.5, 0.05)])
def test_a_machine_that_changes_keeps_a_controller_next_to_one_that_is_only_noisy(
    tmp_path, fall, noise
):
    """Constant shares would be a little better for the one, and much worse for the other."""
    case = write(tmp_path)
    case.design.write_text(changing(fall, noise))
    found = compile_policy(str(case.spec), judging=JUDGED)
    shares = shares_of(found.policy)
    parts = recorded_periods(shares, found.design).replay_baseline("static")
    assert shares.pole_ppm < CONSTANT_POLE_PPM
    encoder, pricer = mean_errors(shares, found.design)
    assert encoder < parts.errors[0] / 2
    assert pricer < parts.errors[1] + 0.01


def changing(fall: float, noise: float) -> str:
    """The encoder's work falls by this part over time; the pricer's is noisy."""
    draw, steps = np.random.default_rng(3), 240
    lines = ["time,machine,throughput,share"]
    for step in range(1, steps + 1):
        factor = 1 + fall / 2 - fall * step / steps
        for name, work, jitter in (("encoder", 60 * factor, 0.005), ("pricer", 900, noise)):
            share = draw.uniform(0.1, 0.5)
            done = work * share * (1 + jitter * draw.standard_normal())
            lines.append(f"{step * 750},{name},{done:.4f},{share:.4f}")
    return "\n".join(lines) + "\n"


def test_of_a_stated_law_no_other_law_is_tried(tmp_path):
    found = compiled(tmp_path, "control: {method: auto, law: pole-placement}\n")
    shares = shares_of(found.policy)
    assert shares.law is ShareLaw.POLE_PLACEMENT
    assert shares.pole_ppm > 100_000
    assert nearer_by_constant(recorded_periods(shares, found.design)) == ()


def test_a_controller_that_no_constant_share_beats_stays(tmp_path):
    stated, chosen = (
        compiled(tmp_path, f"control: {{method: {method}, law: observer}}\n").policy
        for method in ("paper", "auto")
    )
    assert stated.forms == chosen.forms


def test_where_every_controller_is_beaten_the_one_with_least_regret_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr("tailc.pipeline.auto.shares.nearer_by_constant", beaten)
    found = compiled(tmp_path, "control: {method: auto, law: pole-placement}\n")
    assert shares_of(found.policy).pole_ppm == 500_000


ADVICE = [
    (PAPER, "set `control.method: auto`"),
    ("control: {law: observer}\n", "set `control.method: auto`"),
    ("control: {method: auto, law: observer}\n", "remove `control.law`"),
    ("control: {method: auto}\n", "remove the machine from the spec"),
    ("", "remove the machine from the spec"),
]


@pytest.mark.parametrize(("control", "advice"), ADVICE)
def test_the_advice_is_none_that_the_compile_has_followed(tmp_path, monkeypatch, control, advice):
    monkeypatch.setattr("tailc.pipeline.static_share.nearer_by_constant", beaten)
    (hint,) = [
        one.help for one in compiled(tmp_path, control).findings if one.code is Code.BETTER_BY_HAND
    ]
    assert hint is not None
    assert hint.startswith(advice)
    assert "pole" not in hint


def beaten(periods):
    """Every controller is, that with the pole 0.5 by least."""
    pole_ppm = periods.shares.pole_ppm
    return (Nearer("encoder", 300_000, 100_000 + abs(pole_ppm - 500_000), 50_000),)


def test_the_choice_is_the_same_without_estimates(tmp_path):
    judged, plain = (compiled(tmp_path, judging=judging).policy for judging in (JUDGED, None))
    assert encode_json(judged) == encode_json(plain)


def always_beaten_but_constant(periods):
    """Every controller is beaten, except those that keep shares."""
    is_constant = periods.shares.pole_ppm == CONSTANT_POLE_PPM
    return () if is_constant else (Nearer("encoder", 300_000, 200_000, 100_000),)


@pytest.mark.parametrize(
    ("encoder", "pricer", "least"),
    [
        ("20/s", "30%", "1%"),
        # Together more than the host, which cuts them.
        ("40/s", "60%", "1%"),
        ("30/s", "90%", "5%"),
        # Both, or one, need less than the least share.
        ("1/s", "1%", "5%"),
        ("20/s", "1%", "4%"),
    ],
)
def test_constant_shares_have_models_that_predict_the_measured_throughput(
    tmp_path, monkeypatch, encoder, pricer, least
):
    """As well as the fitted ones do, and the host grants the best shares."""
    monkeypatch.setattr("tailc.pipeline.auto.shares.nearer_by_constant", always_beaten_but_constant)
    targets = SPEC.replace("20/s", encoder).replace("30%", pricer)
    case = write(tmp_path)
    fitted, constant = [], []
    for method, into in (("paper", fitted), ("auto", constant)):
        law = f"control: {{method: {method}, law: pole-placement}}\nhost: {{min_share: {least}}}\n"
        case.spec.write_text(targets + law)
        found = compile_policy(str(case.spec), judging=None)
        periods = recorded_periods(shares_of(found.policy), found.design)
        into += [periods, *(periods.model_errors(at, 1, 99).offline.ppm for at in range(2))]
    assert constant[0].shares.pole_ppm == CONSTANT_POLE_PPM
    assert constant[1:] == pytest.approx(fitted[1:], rel=0.1)
    wanted = constant[0].replay_baseline("static").shares
    assert constant[0].outcome.share.mean(axis=1) == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize("parts", [(0.332, 0.3), (0.1, 0.2), (0.5, 0.5)])
def test_a_form_can_begin_with_given_shares(tmp_path, parts):
    found = compiled(tmp_path, PAPER)
    shares = constant_shares(shares_of(found.policy), parts)
    assert (shares.law, shares.pole_ppm) == (ShareLaw.POLE_PLACEMENT, CONSTANT_POLE_PPM)
    granted = recorded_periods(shares, found.design).outcome.share
    assert granted[:, 0] == pytest.approx(parts, rel=1e-4)


def test_such_a_form_keeps_shares_that_meet_the_targets_for_days(tmp_path):
    """Grants are rounded down, so a controller without any gain would lose share all the time."""
    found = compiled(tmp_path, PAPER)
    shares = constant_shares(shares_of(found.policy), (20 * 0.8 / 48, 0.3))
    machines = recorded_periods(shares, found.design).machines
    once = machines_of(machines)
    many = replace(
        once,
        a=np.tile(once.a, 1_000),
        b=np.tile(once.b, 1_000),
        disturbed=np.tile(once.disturbed, 1_000),
        offered=np.tile(once.offered, 1_000),
        is_reported=np.tile(once.is_reported, 1_000),
    )
    granted = replay(shares, many).share
    assert granted.mean(axis=1) == pytest.approx([20 * 0.8 / 48, 0.3], rel=0.01)
    assert granted[:, -1] == pytest.approx([20 * 0.8 / 48, 0.3], rel=0.02)


def test_generations_follow_the_controller_that_is_written(tmp_path):
    (tmp_path / "paper").mkdir()
    (tmp_path / "auto").mkdir()
    paper, auto = compiled(tmp_path / "paper", PAPER), compiled(tmp_path / "auto")
    assert paper.policy.forms != auto.policy.forms
    spec = str(tmp_path / "auto" / "service.yaml")
    for before, generation in ((auto.policy, 1), (paper.policy, 2)):
        again = compile_policy(spec, judging=JUDGED, previous=before)
        assert again.policy.forms == auto.policy.forms
        assert again.policy.generation == generation
