"""`tailc split --profile` writes the design part alone."""

from tests.tailc.artifact.published import ROOT

SPEC = str(ROOT / "examples" / "search" / "service.yaml")


def test_a_spec_without_a_held_out_part_has_its_whole_trace(tailc, in_folder):
    result = tailc("split", SPEC, "--profile", "design.csv")
    assert result.code == 0
    assert "design.csv  966 requests" in result.out
    assert len((in_folder / "design.csv").read_text().splitlines()) == 967


def test_one_of_two_outputs_is_written(tailc, in_folder):
    result = tailc("split", SPEC, "--profile", "design.csv", "-o", "parts")
    assert result.code == 64
    assert "use either -o or --profile" in result.err
    assert not list(in_folder.iterdir())


def test_a_kind_without_requests_is_refused(tailc, in_folder):
    result = tailc("split", str(ROOT / "examples/greenpar/service.yaml"), "--profile", "a.csv")
    assert result.code == 65
    assert not list(in_folder.iterdir())
