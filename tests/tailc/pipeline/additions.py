"""What a compile found beside the formula's table, where it is known to be there."""

from tailc.pipeline.compile import AnyCompiled
from tailc.tuning.robust.robustness import RobustTables
from tailc.tuning.tuned_table import TunedTable


def tuned_of(compiled: AnyCompiled) -> TunedTable:
    (tuned,) = compiled.additions_of(TunedTable)
    return tuned


def robust_of(compiled: AnyCompiled) -> RobustTables:
    (tables,) = compiled.additions_of(RobustTables)
    return tables
