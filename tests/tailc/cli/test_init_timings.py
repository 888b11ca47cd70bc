"""`tailc init` with executions at some numbers of threads."""

import pytest

SLO = ("--cores", 4, "--slo", "p90 <= 200ms", "--rate", "1/s", "--measure", "demand-busy")


@pytest.mark.parametrize(("degrees", "exit_code"), [((1, 2, 4, 8), 0), ((1, 8), 65)])
def test_timings_at_some_degrees_give_a_spec_that_compiles(in_folder, tailc, degrees, exit_code):
    rows = [f"x{at},{on},{(20 + 9 * at) / on**0.5}" for at in range(12) for on in degrees]
    (in_folder / "t.csv").write_text("\n".join(["blob,lanes,took_ms", *rows, ""]))
    ended = tailc("init", "t.csv", *SLO, "--timings", "blob,lanes,took_ms")
    assert ended.code == exit_code, ended.err
    assert ("warning[TC0260]" if exit_code == 0 else "too wide a gap") in ended.err
    if exit_code == 0:
        compiled = tailc("compile", "service.yaml", "--method", "grid", "-o", "build/x")
        assert (compiled.code, "warning[TC0260]" in compiled.err) == (0, True)
