import pytest

from tailc.errors import Code, ExitCode, TailcError
from tailc.experiment.options import VerifyOptions


@pytest.mark.parametrize(
    ("held_out", "replayed"), [(10, 20_000), (30_000, 30_000), (10**6, 60_000)]
)
def test_a_replay_is_as_long_as_the_trace_within_limits(held_out, replayed):
    assert VerifyOptions().requests_for(held_out) == replayed
    assert VerifyOptions(requests_per_replay=77).requests_for(held_out) == 77


@pytest.mark.parametrize(
    "wrong",
    [
        {"cut_off_us": 0},
        {"requests_per_replay": 5},
        {"replicates": 48},
        {"repeats": 1},
        {"threads": 0},
        {"requests_per_replay": 1_000_001},
        {"replicates": 10_001},
        {"seed": -1},
        {"seed": 2**63},
    ],
)
def test_options_that_cannot_give_an_interval_do_not_exist(wrong):
    with pytest.raises(TailcError, match=r"`-?\d.*`") as raised:
        VerifyOptions(**wrong)
    assert [finding.code for finding in raised.value.findings] == [Code.USAGE]


def test_every_unfit_option_is_said_at_once():
    with pytest.raises(TailcError, match=r"`1` repeats.*number of threads is `0`") as raised:
        VerifyOptions(repeats=1, threads=0)
    assert raised.value.exit_code is ExitCode.USAGE
