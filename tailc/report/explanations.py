"""What each code means for who meets it: why it is refused or said, and what to do.

The one place: `tailc explain` prints it, and docs/errors.md is made from it.
"""

from __future__ import annotations

from collections.abc import Mapping

from tailc.errors import Code, ExitCode, Rule, Severity

EXPLANATIONS: Mapping[Code, str] = {
    Code.SYNTAX: "The file could not be read as YAML at the place shown, so nothing after it was "
    "checked. Most often a space is missing after a colon, a quote is open, or a tab indents.",
    Code.UNKNOWN_KEY: "A key that no spec of this kind has would be ignored in silence, so it is "
    "refused. Correct its spelling, or look it up in the list of keys of the kind.",
    Code.MISSING_KEY: "The key has no default that would be right for everybody. Add it; the "
    "help line shows an example.",
    Code.BAD_VALUE: "The value is of another type than the key takes, or outside of its range. "
    "The help line tells what is wanted.",
    Code.MISSING_UNIT: "A bare number could be of any unit, and a wrong guess would be off by a "
    "thousand. Write the unit behind it, such as `500ms` or `30/s`; where a file does not tell "
    "its unit, say it on the command line.",
    Code.BAD_UNIT: "The unit is of another kind of quantity than the key takes, or not known. "
    "The help line lists those that are.",
    Code.UNKNOWN_KIND: "The kind of policy, or the version of the spec language, is not one of "
    "this version of tailc. `tailc schema` lists the kinds.",
    Code.DUPLICATE_KEY: "YAML readers disagree on which of two equal keys counts. Remove one.",
    Code.TOO_LARGE: "The document is longer, deeper or, with its aliases written out, larger "
    "than any spec needs to be. Write it without aliases, or move data into a trace.",
    Code.CONFLICT: "Two parts of the spec cannot both hold; both places are told. Change or "
    "remove one of them.",
    Code.RESPONSE_TIME: "A response time contains waiting, which depends on the load and on the "
    "policy itself; to compile from it counts waiting twice. Measure the work alone, or say in "
    "a sentence why nothing waited.",
    Code.LAYOUT: "The spec means what it should, but a change to it would be hard to see among "
    "changes of layout. `tailc fmt` writes it anew, with its comments.",
    Code.NOT_CARRIED: "A spec has objectives of latency, as a share of requests, and nothing else "
    "of an SLO. What is left out stays with the tool that the document is for.",
    Code.EMPTY_TRACE: "There is no row left to compile from: the file is empty, has a header "
    "alone, or the filter keeps nothing.",
    Code.MISSING_COLUMN: "The recipe names a column that the file does not have. Column names "
    "are compared letter by letter.",
    Code.DUPLICATE_COLUMN: "Two columns of the same name cannot be told apart. Rename one.",
    Code.NOT_A_NUMBER: "A cell that should be a number is empty, NaN or text. Such rows are not "
    "dropped in silence: correct them, or leave them out when the file is written.",
    Code.NOT_FINITE: "An infinite time is most often a timeout that was written as such. Leave "
    "the row out, or give the time at which it was given up.",
    Code.NOT_POSITIVE: "Demands, weights and speed-ups are above 0. A demand of 0 comes most "
    "often from a clock that is too coarse.",
    Code.RAGGED_ROW: "The row has other numbers of cells than the header, so its cells may be in "
    "the wrong columns. Quote cells that contain commas.",
    Code.TRUNCATED: "The file ends in the middle, so what is missing is not known. Copy it "
    "again, or wait until what writes it has ended.",
    Code.BROKEN_FORMAT: "The bytes are not of the format that the file should have, or were "
    "damaged. Name its format by `format`, or write the file again.",
    Code.BAD_TIMINGS: "A speed-up is a ratio of times at two degrees, so every request needs a "
    "time at every degree from 1 on. Time the ones that are missing, or lower `max_degree`.",
    Code.BAD_SPLIT: "The rule leaves nothing to compile from, or nothing to judge on. Choose "
    "another fraction, or another column.",
    Code.UNKNOWN_CLASS: "A request of a class without a speed-up curve cannot be replayed. Add a "
    "curve for the class, or filter its rows out.",
    Code.OUT_OF_RANGE: "Numbers are kept whole, in nanoseconds and counts up to 2^53. What is "
    "finer or larger is refused rather than rounded; most often the unit is wrong.",
    Code.WRONG_TYPE: "The column of a typed file holds something else than is asked of it, such "
    "as lists or dates. Name another column.",
    Code.TRACE_TOO_LARGE: "The file claims more rows or bytes than the limits, or its rows take "
    "far more memory than the file has bytes. The limits are there so that a forged or damaged "
    "file cannot exhaust the memory. `tailc ingest` counts equal rows into a small profile.",
    Code.NOT_SINGLE: "Recorded arrivals are replayed one by one, and a row that stands for "
    "several requests has one time only. Give one row a request.",
    Code.OUT_OF_ORDER: "The times of arrivals go back, so the order of the rows is not that of "
    "the requests. Sort the file by that column.",
    Code.FEW_ARRIVALS: "A rate and the gaps between arrivals need several different times.",
    Code.ARRIVAL_GAP: "A silence that is much longer than all others would let every queue run "
    "empty. Split the recording there, or let it be shortened.",
    Code.BAD_RATES: "A step of a rate profile needs a rate and a length above 0, and all of them "
    "together must bring as many requests as a replay can take.",
    Code.BAD_STEP: "A response to a step tells of a plant only where the input changes once. Cut "
    "the recording to one step.",
    Code.BAD_PLANT: "The response has no step to fit, or its gain, lag or delay is outside of "
    "what controllers are tuned for.",
    Code.SINGULAR_FIT: "Two columns of the trace change together, so what each contributes "
    "cannot be told. Measure while they change apart.",
    Code.UNKNOWN_INPUT: "A file of measurements is known by its content, and none of the known "
    "formats fits, or it is something else: a spec, a policy, a workbook. Give the raw output of "
    "the tool, in one of the formats of docs/ingest.md; of a table, name the column.",
    Code.UNSTATED_MEASURE: "The file does not tell what its times are: work alone, or responses "
    "with waiting, sent at a rate or as answers came. A guess would be wrong in silence, so say "
    "it by `--measure`.",
    Code.CLOSED_LOOP: "A client that waits for its answer before it sends again sends least "
    "while the server is slow, so the worst waits are missing: coordinated omission. Measure at "
    "a rate; or estimate what was not sent by `--expected-interval`, which the profile records.",
    Code.OTHER_PROFILE: "Times that measure different things have no common distribution. Keep a "
    "profile for each.",
    Code.NO_METRIC: "A scrape has histograms of many things, and a policy is of one. Name it by "
    "`--metric`, and by `--label` which of its label sets. An HdrHistogram log has several if its "
    "intervals have tags, which may time the same requests, as response, service and waiting times "
    "do. Choose by `--tag`.",
    Code.OPEN_BUCKET: "The bucket to `+Inf` tells how many requests took longer than all others "
    "tell, but not how long: they are the tail that a policy is about, so no time is made up for "
    "them. Give the histogram larger buckets, or make it a native one.",
    Code.COUNTER_RESET: "Counters only grow while a server runs. Where one is lower than before, "
    "the server was started in between, and what it had counted until then is lost.",
    Code.MIXED_BUCKETS: "Counts add up where the bounds of their buckets are the same. Choose "
    "histograms of one scheme by `--label`; their profiles can be added.",
    Code.UNKNOWN_MACHINE: "A row names a machine that the spec does not declare. Declare it, or "
    "filter its rows out.",
    Code.RUNNING_TOTAL: "A weight is the number of requests of its own row. A running total counts "
    "the rows before as well, so the first rows would count many times.",
    Code.NO_ZONE: "A time without a zone is an hour or more off, depending on who reads it. "
    "Write the offset, or name the zone in the spec.",
    Code.SAME_TIME: "Two values at one time contradict each other. Remove one.",
    Code.UNEVEN_TIMES: "A series is of equal steps; the place shown breaks the grid. Resample it.",
    Code.SERIES_GAP: "More values in a row are missing than may be filled in. Fill them from "
    "another source, or choose other days.",
    Code.TOO_WIDE: "A job asks for more servers than there are, so it could never start.",
    Code.SHORT_HISTORY: "The series is shorter than what is asked of it, such as three runs of "
    "as many days as the plan has. Give a longer one.",
    Code.UNIT_SUSPECT: "At least half of the demands are shorter or longer than services have, or "
    "arrival times are those since 1970 in another unit. "
    "Check the unit; if it is right, nothing needs to be done.",
    Code.SPEEDUP_FALLS: "More threads make these requests slower. Such degrees are not used; "
    "check that the timings were not disturbed.",
    Code.SPEEDUP_EXCEEDS: "A request is faster on n threads than n times. Caches can do that, "
    "and so can noise.",
    Code.SPEEDUP_SUPERLINEAR: "Each thread gains more than the ones before, where threads "
    "usually get in each other's way. Check the timings.",
    Code.FEW_REPETITIONS: "A mean of few timings is uncertain, and so is the speed-up made from "
    "it.",
    Code.RUNG_DOMINATED: "Another way to run a request is at least as fast for less, so this one "
    "is left out.",
    Code.SPEEDUP_NOT_FROM_ONE: "Speed-ups are relative to degree 1, whose own is 1. The curve is "
    "taken as it is; check what it is relative to.",
    Code.GAP_CLOSED: "Silences that were longer than the rest of the recording lets expect were "
    "shortened, so that they do not empty every queue.",
    Code.ARRIVALS_THINNED: "Where a part of the requests is held out at random, their arrivals "
    "are fewer than were recorded. Hold out by time, or rescale the rate.",
    Code.JOBS_LEFT_OUT: "Jobs without a run time, wider than is asked for, or without room "
    "before the plan begins do not count. The message tells how many and why.",
    Code.LOG_IS_PART: "The header of the log counts other numbers of jobs than there are: it is "
    "an excerpt, or was cut.",
    Code.SERIES_GAPS: "Missing values were filled from their neighbours, or marked as not known; "
    "the message tells how many.",
    Code.NIGHT_CLAMPED: "Inverters draw a little at night and report it as negative power.",
    Code.CLOCK_CHANGE: "Local time skips or repeats an hour here. Series in UTC do not.",
    Code.SMALL_SAMPLE: "All requests of so small a sample may lie below the percentile, so what "
    "is promised of it is a guess. Measure as many as the help line says.",
    Code.SAME_NUMBER: "Jobs that share a number cannot be told apart by it, so the plan calls "
    "them by names of its own.",
    Code.UNUSED_SPEEDUP: "The curve has no effect. Check the name of its application.",
    Code.COARSE_INPUT: "The input tells some percentiles and no requests. Between two of them, "
    "all requests count as the later one, so demands are too large rather than too small.",
    Code.FAILED_REQUESTS: "A failed request did less than its work, or ran into a timeout. Left "
    "out, the rest may look better than the service is; among the others, they make it look "
    "quicker.",
    Code.CLOSED_AS_DEMAND: "What a closed loop hides are waits, and a demand has none: with one "
    "client alone that is right, with several it is not.",
    Code.INTERNAL_SPANS: "Spans of kind internal are steps of the server itself, as agents make "
    "them around a handler: without them hardly anything is left of its own time, and a policy "
    "made of that promises too much. Count them by `--with-internal`, unless they only wait.",
    Code.WIDE_BUCKET: "A histogram tells how many requests are in a bucket, not where in it. "
    "They are spread as Prometheus does for its quantiles: linearly in classic buckets, "
    "exponentially in native ones. In a wide bucket that may be far off, either way, so narrow "
    "the buckets around what the SLO promises.",
    Code.SPANS_LEFT_OUT: "A span without an end, or that ends before it starts, has no length. "
    "The other spans of the file are counted. If a span that is left out was called by another, "
    "its time is not subtracted from that of its caller.",
    Code.SPANS_REPEATED: "An exporter sends a batch again if it had no answer, although the "
    "collector had stored it. Spans with the same trace, id, kind and start are one span, which "
    "counts once. Of such spans the one that ends last is taken.",
    Code.CYCLIC_SPANS: "The time of a child is subtracted from that of its parent. A span that "
    "names itself as its parent counts as a span without a parent. If several spans are ancestors "
    "of one another, their own times are unknown, and they are left out.",
    Code.ZERO_LENGTH: "The clock of the tracer is too coarse for these spans. Each counts as half "
    "of the unit in which the file has its times, so low percentiles are uncertain.",
    Code.CUT_SHORT: "At the end of a run, a load generator drops the requests that are under way. "
    "The slowest requests are most likely among them. If they are as many as the requests above "
    "the percentile, that percentile is not known. Run for longer.",
    Code.OUTSIDE_LOAD: "Requests of setup() and teardown() are sent by k6 one by one, before "
    "and after the load. They prepare the test and are no requests of users.",
    Code.BAD_ARTIFACT: "The file is whole, but what it says cannot be a policy, such as ages "
    "that descend. Compile it again.",
    Code.UNKNOWN_RULE: "A reader that ignored a rule would do something else than was verified. "
    "Use a newer version.",
    Code.UNKNOWN_SCHEMA: "The policy was written by a newer version, in a schema that this one "
    "cannot read.",
    Code.UNKNOWN_FORM: "The policy has a part of a form that this version does not know.",
    Code.LENGTH_MISMATCH: "The file was cut, or something was appended. Copy it again.",
    Code.HASH_MISMATCH: "Bytes were changed since the policy was written. Copy or compile it "
    "again.",
    Code.NOT_CANONICAL: "A policy is not edited by hand: its digest is of its canonical form. "
    "Compile it again.",
    Code.BAD_STRUCTURE: "The bytes cannot be decoded at all. Copy or compile the policy again.",
    Code.UNSIGNED: "Keys are trusted here, so only signed policies are read. Sign it by `tailc "
    "sign`.",
    Code.UNKNOWN_SIGNER: "The key that signed the policy is not among those trusted here.",
    Code.BAD_SIGNATURE: "The signature is not that of the key over this policy. Do not use it.",
    Code.EXPIRED: "The signature was for a limited time. Compile and sign again.",
    Code.BAD_KEY: "The file is no Ed25519 key, is encrypted with another passphrase, or is the "
    "other half of the pair.",
    Code.NO_ROLLBACK: "A rollback publishes an earlier policy of the same service as a new "
    "generation. These two are of different services, or do the same.",
    Code.EXPOSED_KEY: "Whoever reads a private key can sign policies that servers open. Let its "
    "owner alone read it, and make a new pair where it may have been copied.",
    Code.INFEASIBLE: "The limits contradict each other for this demand. The message names the "
    "limit that binds, and the nearest target that can be met.",
    Code.IN_THE_WAY: "Of the lines that are told so, not all can hold, and without any one of them "
    "the others could. Choose which gives: the help line tells the least that it must, with "
    "all other lines as they are.",
    Code.BUDGET_ENDED: "The search was stopped before its answer was certified, so nothing was "
    "written. Raise the budget, or choose a quicker method.",
    Code.METHOD_UNFIT: "The method asked for does not solve problems of this form. Leave it out "
    "for the default.",
    Code.NO_TUNING: "At this rate no gains keep the limits on robustness. Lower the highest "
    "rate, or turn control off.",
    Code.UNSTABLE_GAINS: "The loop with these gains would swing ever more. Lower them, or let "
    "them be tuned.",
    Code.OVERLOADED: "Requests alone take all of the machine at this rate. Lower it, or add cores.",
    Code.BAD_MODEL: "The throughput that was measured gives no model that a controller could "
    "use. The message tells why; most often there are too few shares.",
    Code.HOST_SHORT: "The least shares of all machines are more than the host has, so some miss "
    "their targets.",
    Code.HOPEFUL_SUM: "The tails of cycles and of memory time, added, are below the tail of both "
    "together, so the percentile may be missed. `tailc verify` tells, and `table.distribution: "
    "joint` avoids it.",
    Code.BEYOND_LIMIT: "All cores at their highest clock draw more than the chip may.",
    Code.PREDICTED_MISS: "Replays of the design sample miss an SLO at one of the rates, or do not "
    "decide it. Lower the rate, relax the latency, or add cores or threads.",
    Code.UNDER_LEAST: "The least share that the host gives is more than the target needs, so the "
    "machine does more than was asked for.",
    Code.POWER_FALLS: "A higher clock that draws less is most often a fault of the measurement.",
    Code.OPEN_GAP: "The plan is feasible, but farther from the proved bound than was asked for. "
    "Raise the budget for a better one.",
    Code.ODD_DEFERRAL: "A start is put off by an epoch or more, and within the horizon; such a "
    "deferral has no effect, or less than it says. Change it, or leave it out.",
    Code.NO_CHOICE: "Requests can run in one way only, so the policy is that for every load. Give "
    "it a second core type or frequency, or run the server without a policy.",
    Code.POWER_BEYOND: "The powers of all frequencies are reckoned from that of one which is above "
    "the highest. That is right for one left out on purpose, and most often a slip of the unit.",
    Code.JOBS_TURNED_AWAY: "Known jobs find no room within the horizon, or bring no profit. Add "
    "servers, or let jobs be narrower, unless a refusal is what is meant.",
    Code.NO_EXPECTED_JOBS: "Prices are learned from jobs before the plan, and none are known, so "
    "they are those of the plan's own jobs. Begin later in the log.",
    Code.NO_GREEN_POWER: "The power that is expected from sun and wind is below that of one "
    "rack, so nothing is green. Check its unit.",
    Code.NO_BETTER_TABLE: "The search by simulation found no table that is better than the one it "
    "started from.",
    Code.SHARING_LOSES: "The slowdowns of requests and of batch work add up to 100 % or more, so "
    "every moment in which they share a core loses batch work and makes requests late. The policy "
    "`borrow-idle` is compiled in place of the one that the spec names.",
    Code.NOISY_MODEL: "From one step to the next the throughput of a machine varies by more than "
    "the tolerance of the spec, so its mean error will too. Measure over a longer window, or raise "
    "the tolerance.",
    Code.SHORT_WINDOW: "A percentile of a window needs some requests above it, and a throughput "
    "needs as much time as in the trace; over less, the controller follows chance. Lengthen the "
    "window.",
    Code.LONG_QUANTUM: "A runtime looks at the ages of requests once in a quantum. If all ages of "
    "climbs are shorter, the climbs of a request come together at its first look, or never. Lower "
    "the quantum.",
    Code.BETTER_BY_HAND: "Replays at the rates of the spec find a setting that a user could pick "
    "by hand, with a percentile or a cost more than 2 % below the policy's. Most often a method "
    "by formula, a named policy or a controller was asked for.",
    Code.JUDGED_ON_OWN: "On the requests that it was tuned on, a table looks better than on "
    "others. Give a longer trace, or verify the policy on another one.",
    Code.NOT_AS_RECORDED: "The policy was tuned on recorded arrival times, which it does not "
    "contain. Other arrivals give another tail. Name the column of the held-out trace that has "
    "arrival times.",
    Code.OTHER_SPEC: "The spec has changed since the policy was compiled. The formula's table that "
    "it is compared with comes from the changed spec, so part of the difference is not due to the "
    "tuning. Give the spec that the policy was compiled from.",
    Code.NO_RADIUS: "The SLO is missed or undecided with the demand and speed-ups as measured, so "
    "there is no room for an error of either. Give lower rates, a longer latency or more requests.",
    Code.OTHER_MEASURE: "The held-out demands were measured in another way than those of the "
    "compile, so a missed SLO may come from the measurement.",
    Code.NO_PROMISE: "No job of the days to judge on was promised anything, so there is nothing "
    "to keep.",
    Code.COMPILE_TRACE: "A policy that is judged on its own sample always looks good. Give "
    "requests that were held out.",
    Code.OTHER_SERVICE: "The two policies are of different names or kinds, so most of what "
    "differs is not a change.",
    Code.OVER_BUDGET: "The new policy is worse than the one before by more than `budgets` of the "
    "spec allows: the whole 95 % interval of the change lies beyond it. Keep the old policy, or "
    "raise the budget.",
    Code.UNTOLD_BUDGET: "The interval of the change has values within the budget and beyond it, or "
    "there is none. A longer held-out trace narrows it.",
    Code.DRIFT: "Demand is surely not what it was at the compile, so the policy's promises may "
    "not hold. Compile again on newer requests.",
    Code.CANNOT_READ: "The system refuses the file: it is not there, is a folder, or may not be "
    "read.",
    Code.CANNOT_WRITE: "The system refuses the file; what was there before is as it was.",
    Code.MISSING_PART: "A library that only this command needs is not installed. The help line "
    "says how to.",
    Code.SOLVER_FAILED: "A solver crashed, ran out of its limits, or gave an answer that the "
    "exact check refuted. Choose another, or raise its limits.",
    Code.LOOP_DIFFERS: "Margins, poles and step responses of every controller are computed twice, "
    "here and by python-control. They differ by more than rounding and approximation can explain, "
    "so one of them is wrong, and nothing is emitted. Report it with the plant and the gains.",
    Code.BUG: "This is never your fault. Set `TAILC_DEBUG=1` for the traceback, and report it "
    "with the command and its input.",
    Code.USAGE: "The command does not take these arguments together; `--help` lists what it takes.",
}


def heading(rule: Rule) -> str:
    """The code, what it is and which exit code it leads to, and its title."""
    kind = severity_of(rule).value
    if rule.exit_code is not ExitCode.OK:
        kind += f", exit code {rule.exit_code:d}"
    return f"{rule.ident} ({kind}): {rule.title}"


def severity_of(rule: Rule) -> Severity:
    """An error leads to an exit code of its own; of a trace's defects some are notes."""
    told = getattr(rule, "severity", None)
    usual = Severity.WARNING if rule.exit_code is ExitCode.OK else Severity.ERROR
    return told if isinstance(told, Severity) else usual


def explanation(rule: Rule) -> str:
    """What it means and what to do, in sentences."""
    return EXPLANATIONS[rule] if isinstance(rule, Code) else getattr(rule, "explanation", "")


def rule_named(word: str) -> Rule | None:
    """The code, or the defect of a trace, of that code or name; None where there is none."""
    code = next((code for code in Code if code.ident == word.upper()), None)
    if code is not None:
        return code
    from tailc.lint.registry import defect_named

    return defect_named(word)
