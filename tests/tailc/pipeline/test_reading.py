from tailc.artifact.reading_record import Reading, record_of_reading
from tailc.pipeline.reading import request_reading
from tailc.traces.profile import Measure
from tailc.traces.reading import Curve, SplitBy, SplitRule, TimeUnit, Timings
from tests.tailc.specs.writing import checked, swapped

_CURVE = "speedup: [1, 1.9, 2.65, 3.2]\n"
_REFERENCE = "1 thread of a Xeon 8488C at 2.4 GHz"


def read(*changes: tuple[str, str]) -> Reading:
    spec = checked(swapped(*changes))
    return record_of_reading(request_reading(spec.demand, spec.speedup))


def test_a_column_and_a_curve_are_the_whole_recipe() -> None:
    assert read((_CURVE, "speedup: {name: PARSEC, curve: [1, 1.9]}\n")) == Reading(
        measure=Measure.DEMAND_BUSY,
        reference=_REFERENCE,
        unit=TimeUnit.MS,
        demand="demand_ms",
        curves=(Curve("PARSEC", (1_000_000, 1_900_000)),),
    )


def test_timings_bring_their_own_speed_ups() -> None:
    timings = "timings: {request: id, degree: threads, duration: t}"
    recipe = read(("column: demand_ms", timings), (_CURVE, ""))
    assert recipe.timings == Timings("id", "threads", "t")
    assert recipe.demand is None
    assert recipe.curves == ()


def test_classes_are_in_order_of_name() -> None:
    curves = "speedup: {classes: {column: type, curves: {b: [1, 2], a: [1, 1.5]}}}\n"
    recipe = read((_CURVE, curves))
    assert recipe.class_column == "type"
    assert [curve.name for curve in recipe.curves] == ["a", "b"]


def test_columns_of_speed_ups_are_in_order_of_degree() -> None:
    assert read((_CURVE, "speedup: {columns: [s1, s2]}\n")).speedup_columns == ("s1", "s2")


def test_filters_bins_weights_and_reasons_are_carried() -> None:
    recipe = read(
        (
            "  measure: demand-busy\n",
            "  measure: response-open\n"
            "  response_time_because: the load was far too low to queue\n"
            "  where: {b: 2, a: x}\n  bin: 5ms\n  weight: count\n",
        )
    )
    assert recipe.where == (("a", "x"), ("b", "2"))
    assert recipe.bin_us == 5_000
    assert recipe.weight == "count"
    assert recipe.note == "the load was far too low to queue"


def test_a_bare_percentage_is_held_out_by_seed_zero() -> None:
    recipe = read(("  unit: ms\n", "  unit: ms\n  held_out: 20%\n"))
    assert recipe.split == SplitRule(SplitBy.SEED, 200_000, None, 0)


def test_a_hash_split_names_its_column() -> None:
    held_out = "  unit: ms\n  held_out: {fraction: 25%, by: hash, column: query_id}\n"
    assert read(("  unit: ms\n", held_out)).split == SplitRule(SplitBy.HASH, 250_000, "query_id", 0)
