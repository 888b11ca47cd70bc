import pytest

from tailc.errors import Code, TailcError
from tailc.pipeline.compile import compile_policy
from tailc.studies.held_out import read_held_out
from tailc.studies.split import split_spec
from tests.tailc.artifact.published import policy_of
from tests.tailc.toy import with_lines, write_toy

ROWS = "".join(f"{i},{10 + i * i % 97}\n" for i in range(300))


@pytest.fixture
def compiled(tmp_path):
    """A policy compiled with a part held out by hash, and the folder of its trace."""
    held_out = "reference: one thread\n  held_out: {fraction: 25%, by: hash, column: request}"
    spec = write_toy(
        tmp_path, with_lines(("reference: one thread", held_out)), "request,demand_ms\n" + ROWS
    )
    return compile_policy(spec).policy, tmp_path, spec


def digest_of(policy, role):
    return next(part.digest for part in policy.inputs if part.role.value == role)


def test_of_the_whole_trace_the_held_out_part_is_taken(compiled):
    policy, folder, _ = compiled
    trace = read_held_out(policy, str(folder / "toy.csv"))
    assert trace.profile.digest == digest_of(policy, "held-out")


def test_a_part_that_split_wrote_is_read_as_it_says(compiled):
    policy, folder, spec = compiled
    parts = split_spec(spec, str(folder / "part")).parts
    assert [part.digest for part in parts] == [
        digest_of(policy, "design"),
        digest_of(policy, "held-out"),
    ]
    trace = read_held_out(policy, str(parts[1].path))
    assert trace.profile.digest == digest_of(policy, "held-out")


def test_another_trace_need_not_have_the_column_of_the_split(compiled):
    policy, folder, _ = compiled
    (folder / "other.csv").write_text("demand_ms\n5\n6\n7\n")
    assert read_held_out(policy, str(folder / "other.csv")).profile.total_weight == 3


def test_a_whole_trace_whose_order_decided_the_split_is_refused_in_another_order(tmp_path):
    drawn = ("reference: one thread", "reference: one thread\n  held_out: 25%")
    spec = write_toy(tmp_path, with_lines(drawn), "request,demand_ms\n" + ROWS)
    policy = compile_policy(spec).policy
    in_order = read_held_out(policy, str(tmp_path / "toy.csv"))
    assert in_order.profile.digest == digest_of(policy, "held-out")
    backwards = "".join(line + "\n" for line in reversed(ROWS.splitlines()))
    (tmp_path / "toy.csv").write_text("request,demand_ms\n" + backwards)
    with pytest.raises(TailcError) as refused:
        read_held_out(policy, str(tmp_path / "toy.csv"))
    assert refused.value.findings[0].code is Code.COMPILE_TRACE


def test_a_part_that_was_measured_otherwise_is_a_warning(tmp_path):
    def split_of(name, *changes):
        folder = tmp_path / name
        folder.mkdir()
        held_out = ("  reference: one thread", "  reference: one thread\n  held_out: 25%")
        spec = with_lines(*changes, held_out) if changes else with_lines(held_out)
        path = write_toy(folder, spec, "request,demand_ms\n" + ROWS)
        return path, str(split_spec(path, str(folder / "part")).parts[1].path)

    spec, own_part = split_of("own")
    changes = (("measure: demand-busy", "measure: demand-cpu"), ("[1, 1.5, 2]", "[1, 1.2, 1.3]"))
    _, other_part = split_of("other", *changes)
    policy = compile_policy(spec).policy
    assert read_held_out(policy, own_part).warnings == ()
    remarks = read_held_out(policy, other_part).warnings
    assert [remark.code for remark in remarks] == [Code.OTHER_MEASURE] * 2
    assert "`demand-cpu`" in remarks[0].message
    assert "`1, 1.2, 1.3`" in remarks[1].message


def test_an_empty_part_is_placed_in_the_spec(tmp_path):
    held_out = ("  reference: one thread", "  reference: one thread\n  held_out: 0.0001%")
    spec = write_toy(tmp_path, with_lines(held_out), "request,demand_ms\n" + ROWS)
    with pytest.raises(TailcError) as refused:
        compile_policy(spec)
    assert refused.value.findings[0].code is Code.BAD_SPLIT
    assert refused.value.findings[0].place.line == 11


@pytest.mark.parametrize(("vector", "of"), [("shares", "throughput"), ("plan", "jobs")])
def test_where_no_request_arrives_none_is_read(vector, of):
    with pytest.raises(TailcError, match=f"is a policy of {of}, so there are no demands to replay"):
        read_held_out(policy_of(vector), "requests.csv")
