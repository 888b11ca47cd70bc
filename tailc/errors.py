"""Codes of errors, places, findings, and exit codes.

A `Finding` is a message about the user's input. A `TailcError` contains one or more findings that
stop the command; warnings are findings that are returned with a result. How they are printed is
defined in `tailc.report`.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class ExitCode(enum.IntEnum):
    """Exit codes of the process; docs/exit-codes.md is checked against this table."""

    OK = 0
    MISSED = 1
    DIFFERS = 2
    UNDECIDED = 4
    INTEGRITY = 5
    INFEASIBLE = 6
    BUDGET = 7
    USAGE = 64
    BAD_CONTENT = 65
    CANNOT_READ = 66
    MISSING_PART = 69
    BUG = 70
    CANNOT_WRITE = 73
    HUNG_UP = 129
    INTERRUPTED = 130
    TERMINATED = 143


class Code(enum.Enum):
    """The stable codes of findings; each has its exit code and a title for the documentation."""

    SYNTAX = ("TC0101", ExitCode.BAD_CONTENT, "the spec is not valid YAML")
    UNKNOWN_KEY = ("TC0102", ExitCode.BAD_CONTENT, "the spec has a key that does not exist")
    MISSING_KEY = ("TC0103", ExitCode.BAD_CONTENT, "the spec lacks a required key")
    BAD_VALUE = ("TC0104", ExitCode.BAD_CONTENT, "a spec value has the wrong type or range")
    MISSING_UNIT = ("TC0105", ExitCode.BAD_CONTENT, "a quantity in the spec has no unit")
    BAD_UNIT = ("TC0106", ExitCode.BAD_CONTENT, "a quantity in the spec has the wrong unit")
    UNKNOWN_KIND = ("TC0107", ExitCode.BAD_CONTENT, "the spec's kind or apiVersion is not known")
    DUPLICATE_KEY = ("TC0108", ExitCode.BAD_CONTENT, "a mapping has the same key twice")
    TOO_LARGE = ("TC0109", ExitCode.BAD_CONTENT, "the spec expands beyond the limits")
    CONFLICT = ("TC0110", ExitCode.BAD_CONTENT, "two parts of the spec contradict each other")
    RESPONSE_TIME = ("TC0111", ExitCode.BAD_CONTENT, "a response time is offered as demand")
    LAYOUT = ("TC0112", ExitCode.OK, "a spec is not in the layout that `tailc fmt` writes")
    NOT_CARRIED = ("TC0113", ExitCode.OK, "tailc does not use a part of an OpenSLO document")
    BAD_CONFIGURATION = ("TC0114", ExitCode.BAD_CONTENT, "a configuration file is not valid")
    UNUSED_IGNORE = ("TC0115", ExitCode.OK, "a comment ignores a finding that does not occur")

    EMPTY_TRACE = ("TC0201", ExitCode.BAD_CONTENT, "the trace has no rows")
    MISSING_COLUMN = ("TC0202", ExitCode.BAD_CONTENT, "the trace lacks a column")
    DUPLICATE_COLUMN = ("TC0203", ExitCode.BAD_CONTENT, "the trace has two columns of one name")
    NOT_A_NUMBER = ("TC0204", ExitCode.BAD_CONTENT, "a cell is missing, NaN or not a number")
    NOT_FINITE = ("TC0205", ExitCode.BAD_CONTENT, "a cell is infinite")
    NOT_POSITIVE = ("TC0206", ExitCode.BAD_CONTENT, "a demand, weight or speed-up is not positive")
    RAGGED_ROW = ("TC0207", ExitCode.BAD_CONTENT, "a row has too few or too many cells")
    TRUNCATED = ("TC0208", ExitCode.BAD_CONTENT, "the trace ends in the middle")
    BROKEN_FORMAT = ("TC0209", ExitCode.BAD_CONTENT, "the trace is not in the format it should be")
    BAD_TIMINGS = ("TC0210", ExitCode.BAD_CONTENT, "timings by degree are incomplete")
    BAD_SPLIT = ("TC0211", ExitCode.BAD_CONTENT, "the held-out split leaves a part empty")
    UNKNOWN_CLASS = ("TC0212", ExitCode.BAD_CONTENT, "a row's class has no speed-up curve")
    OUT_OF_RANGE = ("TC0213", ExitCode.BAD_CONTENT, "a cell is outside what a profile can hold")
    WRONG_TYPE = ("TC0214", ExitCode.BAD_CONTENT, "a column holds values of the wrong type")
    TRACE_TOO_LARGE = ("TC0215", ExitCode.BAD_CONTENT, "the trace is larger than the limits")
    NOT_SINGLE = ("TC0216", ExitCode.BAD_CONTENT, "a row of the trace is not one arrival")
    OUT_OF_ORDER = ("TC0217", ExitCode.BAD_CONTENT, "arrival times are out of order")
    FEW_ARRIVALS = ("TC0218", ExitCode.BAD_CONTENT, "there are too few different arrival times")
    ARRIVAL_GAP = ("TC0219", ExitCode.BAD_CONTENT, "the recorded arrivals have a long silence")
    BAD_RATES = ("TC0220", ExitCode.BAD_CONTENT, "a rate profile cannot be replayed")
    BAD_STEP = ("TC0221", ExitCode.BAD_CONTENT, "a step response has no single step of the input")
    BAD_PLANT = ("TC0222", ExitCode.BAD_CONTENT, "a response or transfer function gives no plant")
    SINGULAR_FIT = ("TC0223", ExitCode.BAD_CONTENT, "the trace does not identify the parameters")
    UNKNOWN_INPUT = ("TC0224", ExitCode.BAD_CONTENT, "an input is in an unknown format")
    UNSTATED_MEASURE = ("TC0225", ExitCode.BAD_CONTENT, "it is unknown what the times measure")
    CLOSED_LOOP = ("TC0226", ExitCode.BAD_CONTENT, "times of a closed loop have no correction")
    OTHER_PROFILE = ("TC0227", ExitCode.BAD_CONTENT, "profiles to add measure different things")
    NO_METRIC = ("TC0228", ExitCode.BAD_CONTENT, "an input has several histograms")
    OPEN_BUCKET = ("TC0229", ExitCode.BAD_CONTENT, "requests took longer than the largest bucket")
    COUNTER_RESET = ("TC0230", ExitCode.BAD_CONTENT, "a counter was reset during the measurement")
    UNKNOWN_MACHINE = ("TC0231", ExitCode.BAD_CONTENT, "a row's machine is not declared")
    MIXED_BUCKETS = ("TC0232", ExitCode.BAD_CONTENT, "histograms to add have different buckets")
    RUNNING_TOTAL = ("TC0233", ExitCode.BAD_CONTENT, "running totals are offered as requests")
    STEPS_AS_REQUESTS = ("TC0234", ExitCode.BAD_CONTENT, "steps of jobs are offered as requests")
    SEVERAL_SERVICES = ("TC0235", ExitCode.BAD_CONTENT, "an input has spans of several services")
    NO_ZONE = ("TC0241", ExitCode.BAD_CONTENT, "a time has no time zone")
    SAME_TIME = ("TC0242", ExitCode.BAD_CONTENT, "a series has two values at one time")
    UNEVEN_TIMES = ("TC0243", ExitCode.BAD_CONTENT, "the time steps of a series are not equal")
    SERIES_GAP = ("TC0244", ExitCode.BAD_CONTENT, "a series has a gap that is too long to fill")
    TOO_WIDE = ("TC0245", ExitCode.BAD_CONTENT, "a job is wider than the datacentre")
    SHORT_HISTORY = ("TC0246", ExitCode.BAD_CONTENT, "a series is too short")
    UNIT_SUSPECT = ("TC0251", ExitCode.OK, "times look a thousand times too large or small")
    SPEEDUP_FALLS = ("TC0252", ExitCode.OK, "a speed-up falls as the degree rises")
    SPEEDUP_EXCEEDS = ("TC0253", ExitCode.OK, "a speed-up exceeds its degree")
    SPEEDUP_SUPERLINEAR = ("TC0254", ExitCode.OK, "parallel efficiency rises with the degree")
    FEW_REPETITIONS = ("TC0255", ExitCode.OK, "a mean is of fewer than ten timings")
    RUNG_DOMINATED = ("TC0256", ExitCode.OK, "a rung is never worth its cost")
    SPEEDUP_NOT_FROM_ONE = ("TC0257", ExitCode.OK, "the speed-up at degree 1 is not 1")
    GAP_CLOSED = ("TC0258", ExitCode.OK, "silences between recorded arrivals were shortened")
    ARRIVALS_THINNED = ("TC0259", ExitCode.OK, "a held-out part has only a part of the arrivals")
    DEGREES_INTERPOLATED = ("TC0260", ExitCode.OK, "a speed-up is interpolated between degrees")
    JOBS_LEFT_OUT = ("TC0261", ExitCode.OK, "jobs of a log were left out")
    LOG_IS_PART = ("TC0262", ExitCode.OK, "a log and its header differ in the number of jobs")
    SERIES_GAPS = ("TC0263", ExitCode.OK, "gaps of a series were filled, or are unknown")
    NIGHT_CLAMPED = ("TC0264", ExitCode.OK, "small negative values of a series were set to 0")
    CLOCK_CHANGE = ("TC0265", ExitCode.OK, "a series in local time includes a clock change")
    SMALL_SAMPLE = ("TC0266", ExitCode.OK, "a sample is too small for its percentile")
    SAME_NUMBER = ("TC0267", ExitCode.OK, "jobs of a log share a number")
    UNUSED_SPEEDUP = ("TC0268", ExitCode.OK, "a speed-up is for an application without jobs")
    COARSE_INPUT = ("TC0269", ExitCode.OK, "an input has percentiles and no requests")
    FAILED_REQUESTS = ("TC0270", ExitCode.OK, "failed requests are left out, or are counted")
    CLOSED_AS_DEMAND = ("TC0271", ExitCode.OK, "times of a closed loop are used as demand")
    INTERNAL_SPANS = ("TC0272", ExitCode.OK, "internal spans reduce the own time of a server")
    WIDE_BUCKET = ("TC0273", ExitCode.OK, "a percentile is in a wide bucket")
    SPANS_LEFT_OUT = ("TC0281", ExitCode.OK, "spans whose times have no length were left out")
    SPANS_REPEATED = ("TC0282", ExitCode.OK, "spans were exported more than once")
    CYCLIC_SPANS = ("TC0283", ExitCode.OK, "a span is an ancestor of itself")
    ZERO_LENGTH = ("TC0284", ExitCode.OK, "times are shorter than a tick of the clock")
    CUT_SHORT = ("TC0285", ExitCode.OK, "the slowest requests may be missing at the end of a run")
    OUTSIDE_LOAD = ("TC0286", ExitCode.OK, "requests before or after the load are left out")
    SUMS_LEFT_OUT = ("TC0287", ExitCode.OK, "rows that add up other requests are left out")
    SKEWED_SPANS = ("TC0288", ExitCode.OK, "spans start before the spans that called them")
    CLOCK_STEP = ("TC0289", ExitCode.OK, "the clock went back while requests were sent")
    ORPHAN_SPANS = ("TC0290", ExitCode.OK, "server spans contain spans whose parents are missing")
    SPANS_AS_REQUESTS = ("TC0291", ExitCode.OK, "spans of a table are counted as requests")

    BAD_ARTIFACT = ("TC0301", ExitCode.BAD_CONTENT, "an artifact's content breaks an invariant")
    UNKNOWN_RULE = ("TC0302", ExitCode.BAD_CONTENT, "an artifact has an unknown rule")
    UNKNOWN_SCHEMA = ("TC0303", ExitCode.BAD_CONTENT, "an artifact has a newer schema")
    UNKNOWN_FORM = ("TC0304", ExitCode.BAD_CONTENT, "an artifact has an unknown form")
    LENGTH_MISMATCH = ("TC0401", ExitCode.INTEGRITY, "an artifact has the wrong length")
    HASH_MISMATCH = ("TC0402", ExitCode.INTEGRITY, "an artifact's bytes do not match their digest")
    NOT_CANONICAL = ("TC0403", ExitCode.INTEGRITY, "a JSON artifact is not in canonical form")
    BAD_STRUCTURE = ("TC0404", ExitCode.INTEGRITY, "an artifact's structure is broken")
    UNSIGNED = ("TC0405", ExitCode.INTEGRITY, "an artifact is not signed, but keys are trusted")
    UNKNOWN_SIGNER = ("TC0406", ExitCode.INTEGRITY, "an artifact is signed with an unknown key")
    BAD_SIGNATURE = ("TC0407", ExitCode.INTEGRITY, "an artifact's signature is wrong")
    EXPIRED = ("TC0408", ExitCode.INTEGRITY, "an artifact's signature has expired")
    BAD_KEY = ("TC0411", ExitCode.BAD_CONTENT, "a file is not the expected Ed25519 key")
    NO_ROLLBACK = ("TC0412", ExitCode.BAD_CONTENT, "a policy cannot replace another")
    BAD_STATE = ("TC0413", ExitCode.BAD_CONTENT, "a state does not fit its plan or its jobs")
    EXPOSED_KEY = ("TC0451", ExitCode.OK, "other users may read a private key")
    UNVERIFIED = ("TC0452", ExitCode.OK, "signatures of policies were not verified")

    INFEASIBLE = ("TC0501", ExitCode.INFEASIBLE, "no policy meets the limits")
    IN_THE_WAY = ("TC0507", ExitCode.INFEASIBLE, "a line of the spec makes every policy infeasible")
    BUDGET_ENDED = ("TC0502", ExitCode.BUDGET, "the budget ended before the optimum was certified")
    METHOD_UNFIT = ("TC0503", ExitCode.BAD_CONTENT, "the method cannot solve this problem")
    NO_TUNING = ("TC0504", ExitCode.INFEASIBLE, "no controller meets the limits for a plant")
    HOPEFUL_SUM = ("TC0552", ExitCode.OK, "added tails underestimate the tail of the sum")
    UNSTABLE_GAINS = ("TC0505", ExitCode.BAD_CONTENT, "gains in the spec make the loop unstable")
    BAD_MODEL = ("TC0511", ExitCode.BAD_CONTENT, "measured throughput gives no usable model")
    OVERLOADED = ("TC0506", ExitCode.INFEASIBLE, "requests leave no time for batch work")
    BEYOND_LIMIT = ("TC0553", ExitCode.OK, "all cores exceed the power limit of their chip")
    NO_BETTER_TABLE = ("TC0567", ExitCode.OK, "tuning found no better table")
    JUDGED_ON_OWN = ("TC0568", ExitCode.OK, "a table was evaluated on its tuning sample")
    OTHER_SPEC = ("TC0605", ExitCode.OK, "a policy was compiled from another spec")
    NOT_AS_RECORDED = ("TC0604", ExitCode.OK, "the recorded arrivals of the tuning are missing")
    SHARING_LOSES = ("TC0581", ExitCode.OK, "requests and batch work do less together than alone")
    NOISY_MODEL = ("TC0582", ExitCode.OK, "throughput varies by more than the tolerance")
    SHORT_WINDOW = ("TC0583", ExitCode.OK, "a window is too short for what is measured over it")
    LONG_QUANTUM = ("TC0584", ExitCode.OK, "a quantum is longer than the ages of all climbs")
    QUANTUM_OVER_DEMAND = ("TC0586", ExitCode.OK, "a quantum is longer than the mean demand")
    NO_EFFECT = ("TC0588", ExitCode.OK, "a key of a sweep changes no policy")
    RULE_CHOSEN = ("TC0592", ExitCode.OK, "a rule decides about jobs that a plan does not include")
    BEYOND_PROFILE = ("TC0589", ExitCode.OK, "iterations can be larger than the measured ones")
    BETTER_BY_HAND = ("TC0573", ExitCode.OK, "a setting chosen by hand is better than the policy")
    CONTROLLER_LEFT_OUT = (
        "TC0587",
        ExitCode.OK,
        "a policy has no controller, though one is stated",
    )
    OTHER_CONTROL = ("TC0585", ExitCode.OK, "a policy of shares has another controller")
    NO_RADIUS = ("TC0572", ExitCode.OK, "the SLO does not hold even without errors of the inputs")
    PREDICTED_MISS = ("TC0554", ExitCode.OK, "replays of the design sample miss the SLO")
    HOST_SHORT = ("TC0551", ExitCode.OK, "the machines need more than their host has")
    UNDER_LEAST = ("TC0555", ExitCode.OK, "a target is below the throughput at the least share")
    OPEN_GAP = ("TC0557", ExitCode.OK, "the gap of a plan to its bound is larger than requested")
    ODD_DEFERRAL = ("TC0558", ExitCode.OK, "a deferral of jobs has no effect")
    POWER_FALLS = ("TC0556", ExitCode.OK, "a higher frequency draws less power than a lower one")
    NO_CHOICE = ("TC0559", ExitCode.OK, "requests can run in only one way")
    POWER_BEYOND = ("TC0560", ExitCode.OK, "a power is given at a frequency that no core has")
    JOBS_TURNED_AWAY = ("TC0561", ExitCode.OK, "a plan has no room for known jobs")
    NO_EXPECTED_JOBS = ("TC0562", ExitCode.OK, "no earlier jobs are known for prices")
    LOST_PROMISE = ("TC0564", ExitCode.OK, "a running job misses green energy in every plan")
    NO_GREEN_POWER = ("TC0563", ExitCode.OK, "the expected green power is below that of one rack")

    OTHER_MEASURE = ("TC0602", ExitCode.OK, "the held-out trace was measured in another way")
    NO_PROMISE = ("TC0603", ExitCode.OK, "no held-out job has an SLO")
    COMPILE_TRACE = ("TC0601", ExitCode.BAD_CONTENT, "the trace to verify on is the compile trace")
    SHARED_REQUESTS = ("TC0606", ExitCode.OK, "the held-out trace shares requests with the compile")
    TEST_FAILED = ("TC0607", ExitCode.MISSED, "a policy does not answer as a test expects")
    LOCK_DIFFERS = ("TC0608", ExitCode.INTEGRITY, "a compile differs from its lock file")
    OTHER_SERVICE = ("TC0651", ExitCode.OK, "the policies compared are of different services")
    OVER_BUDGET = ("TC0653", ExitCode.MISSED, "a change exceeds a budget of the spec")
    UNTOLD_BUDGET = ("TC0654", ExitCode.OK, "it is undecided whether a change is within its budget")
    DRIFT = ("TC0652", ExitCode.OK, "demand has drifted since the compile")
    CANNOT_READ = ("TC0701", ExitCode.CANNOT_READ, "a file cannot be read")
    CANNOT_WRITE = ("TC0702", ExitCode.CANNOT_WRITE, "a file cannot be written")
    MISSING_PART = ("TC0703", ExitCode.MISSING_PART, "an optional part is not installed")
    SOLVER_FAILED = ("TC0704", ExitCode.MISSING_PART, "a solver crashed, or its answer was refuted")
    LOST_TASK = ("TC0705", ExitCode.MISSING_PART, "every process that ran a task was killed")
    OTHER_CODE = ("TC0706", ExitCode.MISSING_PART, "a worker of a cluster runs other code")
    RESULTS_DIFFER = ("TC0707", ExitCode.MISSING_PART, "two workers have different results")
    UNLISTED_SPEC = ("TC0708", ExitCode.OK, "a table of services has no row for a spec")
    NO_MEMORY = ("TC0709", ExitCode.MISSING_PART, "a command has too little memory")
    LOOP_DIFFERS = ("TC0902", ExitCode.BUG, "python-control computes other figures for a loop")
    BUG = ("TC0901", ExitCode.BUG, "tailc has a bug")
    USAGE = ("TC0801", ExitCode.USAGE, "the command line does not fit the command")

    def __init__(self, ident: str, exit_code: ExitCode, title: str) -> None:
        self.ident = ident
        self.exit_code = exit_code
        self.title = title


class FindingRule(Protocol):
    """Type of a finding: a `Code`, or a defect of a trace."""

    @property
    def ident(self) -> str:
        """The stable code, such as `TC0105`."""
        ...

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of a command that this finding stops; OK for warnings."""
        ...

    @property
    def title(self) -> str:
        """Title of the code in lists, such as those of the documentation."""
        ...


class Severity(enum.Enum):
    """Errors stop the command; warnings and notes do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Place:
    """Where a finding is: a spec position, or a row and column of a trace.

    Lines, columns and rows count from 1; a row is a data row (a CSV header is not one). `excerpt`
    is the source line, `width` how many of its characters the caret underlines.

    All but the source is optional, because readers know different parts: a row without a line
    (Parquet), a row of a text with its excerpt, a line of a log with the name of its field.
    """

    source: str
    line: int | None = None
    column: int | None = None
    row: int | None = None
    field: str | None = None
    excerpt: str | None = None
    width: int = 1

    def __str__(self) -> str:
        spot = ":".join(str(part) for part in (self.source, self.line, self.column) if part)
        if self.row is not None:
            spot += f", row {self.row}"
        if self.field is not None:
            spot += f", column `{self.field}`"
        return spot


@dataclass(frozen=True)
class Finding:
    """A message about the user's input: what is wrong, where, and what to do.

    about: path of the wrong value in the spec, if the code that makes the finding does not know the
    file. Code that knows the file then sets `place`.
    """

    code: FindingRule
    message: str
    place: Place | None = None
    help: str | None = None
    severity: Severity = Severity.ERROR
    about: tuple[str | int, ...] = ()


class TailcError(Exception):
    """An error of the user's input, not of the program; contains all findings."""

    def __init__(self, findings: Finding | Sequence[Finding]) -> None:
        self.findings = (findings,) if isinstance(findings, Finding) else tuple(findings)
        super().__init__("; ".join(finding.message for finding in self.findings))

    def __reduce__(self) -> tuple[type[TailcError], tuple[tuple[Finding, ...]]]:
        return type(self), (self.findings,)

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the first finding."""
        return self.findings[0].code.exit_code


def bug_finding(error: Exception) -> Finding:
    """The finding that reports an unexpected exception as a bug of tailc."""
    sentence = next(iter(str(error).splitlines()), "")
    return Finding(
        Code.BUG,
        f"tailc itself failed: {type(error).__name__}: {sentence}",
        help="set TAILC_DEBUG=1 for the traceback and report it with the command and its input",
    )


def did_you_mean(word: str, known: Sequence[str], most: int | None = None) -> str:
    """Make a help line: the known word closest to `word`, then all of them or the first `most`."""
    import difflib

    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    listing = ", ".join(f"`{name}`" for name in known[:most])
    if most is not None and len(known) > most:
        listing += f" and {len(known) - most:,} more"
    one_of = "one of " if len(known) > 1 else ""
    return f"did you mean `{close[0]}`? Known: {listing}" if close else f"use {one_of}{listing}"
