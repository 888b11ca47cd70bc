import click
import pytest

from tailc.cli import replay_options


@click.command
@replay_options.thoroughness
@replay_options.baselines("all")
def options(**values):
    return values


def asked(*words):
    return options.main(words, standalone_mode=False)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("all", ("all",)),
        ("none", ()),
        ("seq", ("seq",)),
        (" SEQ , fix-3,seq", ("seq", "fix-3")),
    ],
)
def test_baselines_are_named_once_or_all_or_none(words, names):
    assert asked("--baselines", words)["baselines"] == names


@pytest.mark.parametrize("words", ["", ",", "seq,", "all,seq", "seq,none", "all,none"])
def test_all_and_none_stand_alone(words):
    with pytest.raises(click.BadParameter, match="`all`, `none` nor a list of"):
        asked("--baselines", words)


@pytest.mark.parametrize(
    ("option", "most"), [("--requests", 10**6), ("--replicates", 10_000), ("--seed", 2**63 - 1)]
)
def test_no_replay_is_asked_for_that_never_ends(option, most):
    assert most in asked(option, str(most)).values()
    for more in (most + 1, 10**25):
        with pytest.raises(click.BadParameter, match="not in the range"):
            asked(option, str(more))


def test_a_cut_off_leaves_time_to_run():
    cut = click.command(replay_options.cut_off(lambda **values: values))
    assert cut.main(["--cut-off", "1us"], standalone_mode=False) == {"cut_off_us": 1}
    with pytest.raises(click.BadParameter, match="`0ms` must be more than zero"):
        cut.main(["--cut-off", "0ms"], standalone_mode=False)
