"""Explanations of all finding codes: why tailc reports them, and how to fix the cause.

`tailc explain` prints these texts, and docs/errors.md is generated from them.
"""

from __future__ import annotations

from collections.abc import Mapping

from tailc.errors import Code, ExitCode, FindingRule, Severity

EXPLANATIONS: Mapping[Code, str] = {
    Code.SYNTAX: "The file is not YAML from the place shown on, so the rest of it was not "
    "checked. Usually a space is missing after a colon, a quote is open, or a tab is used for "
    "indentation.",
    Code.UNKNOWN_KEY: "Specs of this kind have no such key. It would have no effect, so it is "
    "refused. Correct its spelling, or look it up in the list of keys of the kind.",
    Code.MISSING_KEY: "No default of this key is right for every service. Add it; the help line "
    "shows an example.",
    Code.BAD_VALUE: "The value is not of the type of the key, or is outside its range. The help "
    "line says which values are allowed.",
    Code.MISSING_UNIT: "A number without a unit is ambiguous, and a wrong guess is off by a "
    "factor of a thousand. Write the unit after the number, such as `500ms` or `30/s`. If the "
    "unit of a file is not known, give it on the command line.",
    Code.BAD_UNIT: "The unit is unknown, or measures another quantity than the key. The help line "
    "lists the units that are allowed.",
    Code.UNKNOWN_KIND: "This version of tailc does not have this kind of policy, or this version "
    "of the spec language. `tailc schema` lists the kinds.",
    Code.DUPLICATE_KEY: "YAML readers differ in which of two equal keys they use. Remove one.",
    Code.TOO_LARGE: "The document is longer, deeper or, after its aliases are expanded, larger "
    "than a spec can be. Write it without aliases, or move data into a trace.",
    Code.CONFLICT: "The two lines that the message shows contradict each other. Change or remove "
    "one of them.",
    Code.RESPONSE_TIME: "A response time contains queueing, which depends on the load and on the "
    "policy. A policy compiled from it counts queueing twice. Measure the service demand, or "
    "explain in one sentence why requests did not wait.",
    Code.LAYOUT: "The spec is valid, but its layout differs, so that changes are hard to see in a "
    "diff. `tailc fmt` formats it and keeps its comments.",
    Code.NOT_CARRIED: "A spec limits the latency of a share of requests, and nothing else. For the "
    "other parts of the SLO, continue to use the tool that the document was written for.",
    Code.BAD_CONFIGURATION: "The nearest tailc.toml, or [tool.tailc] of a pyproject.toml, sets "
    "options. A key without effect, or a value that the option refuses, "
    "would hide a mistake. `tailc config COMMAND` prints each option with"
    " its value and its origin; `--isolated` reads no file.",
    Code.UNUSED_IGNORE: "A comment `# tailc: ignore[CODE] reason` hides a warning of its line"
    " or of the line below. If it has no reason, or the warning does not "
    "occur, it would hide a later one: add a reason, or remove it.",
    Code.EMPTY_TRACE: "There are no rows to compile from: the file is empty, has only a header, "
    "or the filter excludes every row.",
    Code.MISSING_COLUMN: "The spec names a column that the file does not have. Column names are "
    "case-sensitive.",
    Code.DUPLICATE_COLUMN: "The name does not identify a column. Rename one of them.",
    Code.NOT_A_NUMBER: "A cell that must be a number is empty, NaN or text. tailc does not drop "
    "such rows silently. Correct them, or leave them out when you write the file.",
    Code.NOT_FINITE: "An infinite time is usually a timeout. Leave the row out, or write the time "
    "at which the request was given up.",
    Code.NOT_POSITIVE: "Demands, weights and speed-ups must be above 0. A demand of 0 is usually "
    "caused by a coarse clock.",
    Code.RAGGED_ROW: "The row and the header differ in the number of cells, so cells may be in "
    "the wrong columns. Quote cells that contain commas.",
    Code.TRUNCATED: "The file ends in the middle of a record. Copy it again, or wait until the "
    "program that writes it has ended.",
    Code.BROKEN_FORMAT: "The bytes do not have the expected format, or are damaged. Name the "
    "format with `format`, or write the file again.",
    Code.BAD_TIMINGS: "A speed-up is a ratio of times at two degrees, so every request needs a "
    "time at degree 1 and at every other degree that is timed. Measure the missing times, or lower "
    "`max_degree`. Between two timed degrees speed-ups are interpolated, unless the next degree is "
    "more than four times as large.",
    Code.BAD_SPLIT: "One of the two parts has no rows. Choose another fraction, or another column.",
    Code.UNKNOWN_CLASS: "A request whose class has no speed-up curve cannot be replayed. Add a "
    "curve for the class, or exclude its rows with a filter.",
    Code.OUT_OF_RANGE: "Times are whole nanoseconds, and counts go up to 2^53. Values that are "
    "finer or larger are refused and not rounded. Usually the unit is wrong.",
    Code.WRONG_TYPE: "The column has values of another type than numbers or text, such as lists "
    "or dates. Name another column.",
    Code.TRACE_TOO_LARGE: "The file states more rows or bytes than the limits allow, or its rows "
    "need far more memory than the file has bytes and cannot be merged. The limits protect the "
    "memory against forged or damaged files. `tailc ingest` counts rows into a small profile.",
    Code.NOT_SINGLE: "Recorded arrivals are replayed one by one, and a row for several requests "
    "has only one time. Write one row for each request.",
    Code.OUT_OF_ORDER: "An arrival time is earlier than the one before, so the order of rows is "
    "not the order of requests. Sort the file by that column.",
    Code.FEW_ARRIVALS: "A rate and the gaps between arrivals need several different times.",
    Code.ARRIVAL_GAP: "During a gap that is much longer than all others, every queue becomes "
    "empty. Split the recording at the gap, or let tailc shorten it.",
    Code.BAD_RATES: "Each step of a rate profile needs a rate and a duration above 0. All steps "
    "together must have as many requests as one replay can have.",
    Code.BAD_STEP: "A plant can be fitted only if the input changes exactly once. Cut the "
    "recording to one step.",
    Code.BAD_PLANT: "The response has no step, or its gain, time constant or delay is outside the "
    "range for which controllers are tuned.",
    Code.SINGULAR_FIT: "Two columns of the trace change together, so their effects cannot be "
    "separated. Measure while only one of them changes.",
    Code.UNKNOWN_INPUT: "Measurements are recognised by their content, and no known format "
    "matches. The file may be a spec, a policy or a workbook. Give the raw output of the tool in "
    "one of the formats of docs/ingest.md; for a table, name the column.",
    Code.UNSTATED_MEASURE: "The file does not say whether its times are service demands or "
    "response times, or whether requests were sent at a rate or in a closed loop. A wrong guess "
    "would not be noticed, so state it with `--measure`.",
    Code.CLOSED_LOOP: "A client that waits for each answer sends fewer requests while the server "
    "is slow, so the longest waits are missing (coordinated omission). Measure at a rate, or "
    "estimate the missing requests with `--expected-interval`, which the profile records.",
    Code.OTHER_PROFILE: "Times that measure different quantities have no common distribution. "
    "Write a profile for each.",
    Code.NO_METRIC: "A scrape has histograms of many metrics, and a policy is for one. Choose it "
    "with `--metric`, and its labels with `--label`. An HdrHistogram log with tags can have "
    "several times of the same requests, such as response, service and waiting times. Choose with "
    "`--tag`.",
    Code.SEVERAL_SERVICES: "A trace has the spans of all services that a request visits, but a "
    "policy is for one of them. Choose it with "
    "`--service`. The spans of the other services are still subtracted from its own times.",
    Code.OPEN_BUCKET: "The `+Inf` bucket says how many requests took longer than the largest "
    "bound, but not how long they took. They are the tail, so tailc does not invent times for "
    "them. Add larger buckets to the histogram, or use a native histogram.",
    Code.COUNTER_RESET: "A counter only increases while a server runs. Here it decreased, so the "
    "server was restarted, and its earlier counts are lost.",
    Code.MIXED_BUCKETS: "Counts can be added only if the bounds of the buckets are the same. "
    "Choose histograms with the same bounds with `--label`; their profiles can be added.",
    Code.UNKNOWN_MACHINE: "The spec does not declare the machine of a row. Declare it, or exclude "
    "its rows with a filter.",
    Code.RUNNING_TOTAL: "A weight is the number of requests of its own row. A running total "
    "counts the rows before as well, so the first rows would count many times.",
    Code.STEPS_AS_REQUESTS: "`sacct` of Slurm lists the steps of a job, such as `46.batch`, after "
    "the job, whose time includes theirs. As requests they would count again. List jobs without "
    "steps by `sacct -X`.",
    Code.NO_ZONE: "Readers interpret a time without a time zone differently, by an hour or more. "
    "Write the offset, or name the zone in the spec.",
    Code.SAME_TIME: "Two values at one time contradict each other. Remove one.",
    Code.UNEVEN_TIMES: "A series must have equal time steps; the place shown is the first that "
    "differs. Resample the series.",
    Code.SERIES_GAP: "More successive values are missing than tailc fills in. Fill them from "
    "another source, or choose other days.",
    Code.TOO_WIDE: "The job needs more servers than the datacentre has, so it can never start.",
    Code.SHORT_HISTORY: "The series is shorter than needed; for instance, prices may need "
    "three times the days of the plan. Give a longer series.",
    Code.UNIT_SUSPECT: "At least half of the demands are shorter or longer than those of usual "
    "services, or arrival times are Unix times in another unit. Check the unit; if it is right, "
    "no change is needed.",
    Code.SPEEDUP_FALLS: "These requests are slower with more threads. tailc does not use such "
    "degrees. Check whether the timings were disturbed.",
    Code.SPEEDUP_EXCEEDS: "A request is more than n times as fast on n threads. Caches can cause "
    "this, and so can noise.",
    Code.SPEEDUP_SUPERLINEAR: "Each further thread gains more than the one before; usually it "
    "gains less. Check the timings.",
    Code.FEW_REPETITIONS: "The mean of few timings is uncertain, and so is the speed-up computed "
    "from it.",
    Code.RUNG_DOMINATED: "Another way to run a request is at least as fast at a lower cost, so "
    "this one is not used.",
    Code.SPEEDUP_NOT_FROM_ONE: "Speed-ups are relative to one thread, so the first must be 1. "
    "tailc uses the curve as it is; check what it is relative to.",
    Code.GAP_CLOSED: "Gaps that are much longer than the rest of the recording suggests were "
    "shortened, so that queues do not become empty during them.",
    Code.ARRIVALS_THINNED: "If a random part of the requests is held out, it has fewer arrivals "
    "than were recorded. Hold out by time, or rescale the rate.",
    Code.DEGREES_INTERPOLATED: "No request was timed at these degrees. Their speed-up is on the "
    "line between those of the timed degrees around them, which is at most the real one if each "
    "further thread gains less than the one before.",
    Code.JOBS_LEFT_OUT: "Jobs that have no run time, are too wide, or cannot start before the "
    "plan begins are not counted. The message says how many, and why.",
    Code.LOG_IS_PART: "The header of the log states another number of jobs than the log has. The "
    "log is an excerpt, or was truncated.",
    Code.SERIES_GAPS: "Missing values were interpolated, or are marked as unknown; the message "
    "says how many.",
    Code.NIGHT_CLAMPED: "Inverters use a little power at night and report it as negative power.",
    Code.CLOCK_CHANGE: "Local time skips or repeats an hour here. UTC does not.",
    Code.SMALL_SAMPLE: "All requests of such a small sample may be below the percentile, so "
    "estimates of it are guesses. Measure as many requests as the help line says.",
    Code.SAME_NUMBER: "Several jobs have the same number, so the plan gives them other names.",
    Code.UNUSED_SPEEDUP: "The curve has no effect. Check the name of its application.",
    Code.COARSE_INPUT: "The input has some percentiles and no requests. All requests between two "
    "percentiles count as the higher one, so that demands are overestimated and not "
    "underestimated. If each row of a table is a summary of many requests, its percentile is used "
    "as the time of one request.",
    Code.FAILED_REQUESTS: "A failed request did less work, or ended in a timeout. If failed "
    "requests are left out, the service can look better than it is; if they are counted, it can "
    "look faster.",
    Code.CLOSED_AS_DEMAND: "A closed loop hides waiting times, and a demand has none. With one "
    "client this is right, with several it is not.",
    Code.INTERNAL_SPANS: "Spans of kind internal are steps of the server itself; agents create "
    "them around a handler. Without them almost no own time of the server remains, and a policy "
    "compiled from that is too optimistic. Count them with `--with-internal`, unless the server "
    "only waits during them.",
    Code.WIDE_BUCKET: "A histogram has the number of requests in each bucket, and not their "
    "times. tailc distributes them as Prometheus does for quantiles: linearly in classic buckets, "
    "exponentially in native ones. In a wide bucket the error can be large. Use narrower buckets "
    "around the latency of the SLO.",
    Code.SPANS_LEFT_OUT: "A span without an end, or that ends before it starts, has no length. "
    "The other spans of the file are counted. If a span that is left out was called by another, "
    "its time is not subtracted from that of its caller.",
    Code.SPANS_REPEATED: "An exporter sends a batch again if it had no answer, although the "
    "collector had stored it. Spans with the same trace, id, kind and start are one span, which "
    "counts once. Of such spans the one that ends last is counted.",
    Code.CYCLIC_SPANS: "The time of a child is subtracted from that of its parent. A span that "
    "names itself as its parent counts as a span without a parent. If several spans are ancestors "
    "of one another, their own times are unknown, and they are left out.",
    Code.ZERO_LENGTH: "The clock is too coarse for these spans or requests. Each counts as half of "
    "the unit in which the file has its times, so low percentiles are uncertain.",
    Code.CUT_SHORT: "At the end of a run, a load generator drops the requests that are under way. "
    "The slowest requests are most likely among them. If they are as many as the requests above "
    "the percentile, that percentile is not known. Run for longer. ghz writes the times of the "
    "first million requests only.",
    Code.OUTSIDE_LOAD: "Requests of setup() and teardown() are sent by k6 one by one, before and "
    "after the load. They prepare the test and are not requests of users.",
    Code.SUMS_LEFT_OUT: "A transaction of JMeter has a row that lasts as long as its requests "
    "together. If the requests also have their own rows, they would count twice.",
    Code.SKEWED_SPANS: "A call cannot start before its caller, so the clocks of two machines "
    "differ. Only the part of a child within its parent is subtracted, so the own time of the "
    "parent is too long. Synchronise the clocks, or export the client's span of each call.",
    Code.CLOCK_STEP: "Each request has a number in the order of sending, and a later one has an "
    "earlier time: the clock was set back during the run. The latencies are right, since they are "
    "measured with a clock that does not step. Rates are wrong around the step, and a closed loop "
    "is searched for only in the longest part without a step.",
    Code.ORPHAN_SPANS: "The time of a call is subtracted from a server span only if the parents of "
    "the call lead to it. If a span between them was not exported, the call is not subtracted, and "
    "the own time of the server is too long. A span with a missing parent counts as a call of "
    "the server span that started last of those in its trace that contain it. A server span with "
    "a missing parent counts only if the trace begins in the file.",
    Code.SPANS_AS_REQUESTS: "The table has columns with ids of spans and of their parents, so a "
    "row may be a call within a request. Its time then counts twice. Export the spans of servers "
    "alone, or give the spans as OTLP, Jaeger or Zipkin JSON, from which `tailc ingest` subtracts "
    "calls.",
    Code.BAD_ARTIFACT: "The file is complete, but its content is not a valid policy; for "
    "instance, ages decrease. Compile it again.",
    Code.UNKNOWN_RULE: "A reader that ignores a rule would not do what was verified. Use a newer "
    "version of tailc.",
    Code.UNKNOWN_SCHEMA: "A newer version of tailc wrote the policy, in a schema that this "
    "version cannot read.",
    Code.UNKNOWN_FORM: "The policy has a part whose form this version does not know. Use a newer "
    "version of tailc.",
    Code.LENGTH_MISMATCH: "The file was truncated, or bytes were appended. Copy it again.",
    Code.HASH_MISMATCH: "Bytes have changed since the policy was written. Copy or compile it "
    "again.",
    Code.NOT_CANONICAL: "The digest of a policy is that of its canonical form, so policies cannot "
    "be edited by hand. If only the layout changed, run `tailc migrate`; "
    "otherwise compile it again.",
    Code.BAD_STRUCTURE: "The bytes cannot be decoded. Copy or compile the policy again.",
    Code.UNSIGNED: "Keys are trusted here, so only signed policies are read. Sign the policy with "
    "`tailc sign`.",
    Code.UNKNOWN_SIGNER: "The policy was signed with a key that is not trusted here.",
    Code.BAD_SIGNATURE: "The signature does not match the policy. Do not use the policy.",
    Code.EXPIRED: "The signature has passed its expiry time. Compile and sign the policy again.",
    Code.BAD_KEY: "The file is not an Ed25519 key, is encrypted with another passphrase, or is "
    "the other key of the pair.",
    Code.NO_ROLLBACK: "A rollback publishes an earlier policy of the same service as a new "
    "generation. These two policies are of different services, or make the same decisions.",
    Code.EXPOSED_KEY: "A user who reads a private key can sign policies that servers accept. "
    "Restrict it to its owner, and create a new pair if it may have been copied.",
    Code.UNVERIFIED: "`--insecure-skip-verify` was given although keys are trusted, so the "
    "policies may be anyone's. Use the result only to examine a policy, and remove the option "
    "otherwise.",
    Code.INFEASIBLE: "The limits contradict each other for this demand. The message names the "
    "binding limit, and the nearest target that can be met.",
    Code.IN_THE_WAY: "The listed lines cannot all hold, and without any one of them the others "
    "could. Choose which to change: each help line gives the smallest change that is enough if "
    "all other lines stay.",
    Code.BUDGET_ENDED: "The search ended before its answer was certified, so nothing was written. "
    "Raise the budget, or choose a faster method.",
    Code.METHOD_UNFIT: "The method does not solve problems of this form, or of this size. Omit it "
    "to use the default.",
    Code.NO_TUNING: "No gains meet the robustness limits at this rate. Lower the highest rate, or "
    "turn control off.",
    Code.UNSTABLE_GAINS: "With these gains the output of the loop oscillates more and more. Lower "
    "them, or let tailc tune them.",
    Code.OVERLOADED: "At this rate, requests use all of the machine. Lower the rate, or add cores.",
    Code.BAD_MODEL: "The measured throughput gives no model that a controller can use. The "
    "message says why; usually the trace has too few shares.",
    Code.HOST_SHORT: "The least shares of all machines add up to more than the host has, so some "
    "machines miss their targets.",
    Code.HOPEFUL_SUM: "The sum of the tails of cycles and of memory time is below the tail of "
    "their sum, so the percentile may be missed. `tailc verify` shows by how much, and "
    "`table.distribution: joint` avoids it.",
    Code.BEYOND_LIMIT: "All cores at their highest frequency use more power than the limit of the "
    "chip.",
    Code.PREDICTED_MISS: "Replays of the design sample miss an SLO at one of the rates, or do not "
    "decide it. Lower the rate, raise the latency, or add cores or threads.",
    Code.UNDER_LEAST: "The least share of the host is more than the target needs, so the machine "
    "exceeds its target.",
    Code.POWER_FALLS: "A higher frequency with a lower power is usually a measurement error.",
    Code.OPEN_GAP: "The plan is feasible, but its gap to the proved bound is larger than "
    "requested. Raise the budget for a better plan.",
    Code.ODD_DEFERRAL: "A deferral must be at least one epoch and end within the horizon; "
    "otherwise it has no effect, or less than stated. Change it, or remove it.",
    Code.NO_CHOICE: "There is one rung only, so the policy is the same for every load. Add a "
    "second core type or frequency, or run the server without a policy.",
    Code.POWER_BEYOND: "The powers of all frequencies are computed from the power at a frequency "
    "above the highest one. This is right if that frequency was left out on purpose; usually it "
    "is a wrong unit.",
    Code.JOBS_TURNED_AWAY: "Known jobs have no room within the horizon, or make no profit. Add "
    "servers, or allow narrower jobs, unless they are refused on purpose.",
    Code.NO_EXPECTED_JOBS: "Prices are learned from jobs before the plan. None are known, so the "
    "prices are those of the jobs of the plan. Begin later in the log.",
    Code.BAD_STATE: "The file is not the state of a plan, or it is of another plan, time, log or "
    "datacentre. Write it with `tailc advance` from the plan in force.",
    Code.RULE_CHOSEN: "A rule decides about jobs that arrive after the plan is made. The method "
    "`auto` compares the rules in replays of earlier days, with the forecasts of those days. Of "
    "the rules that keep the promise, it takes the best one; for malleable jobs, a rule must also "
    "draw no more brown energy than constant widths. `search.method` sets a rule.",
    Code.LOST_PROMISE: "A job that runs at the start of the plan cannot get the green energy of "
    "its SLA any more, not even with all green servers to itself. The plan pays the penalty. "
    "`violations` limits the other jobs.",
    Code.NO_GREEN_POWER: "The expected power of sun and wind is below that of one rack, so no "
    "rack is green. Check the unit.",
    Code.NO_BETTER_TABLE: "The search by simulation found no table that is better than the "
    "initial one.",
    Code.SHARING_LOSES: "The slowdowns of requests and of batch work add up to 100 % or more, so "
    "every moment in which they share a core loses batch work and makes requests late. The policy "
    "`borrow-idle` is compiled in place of the one that the spec names.",
    Code.NOISY_MODEL: "From one step to the next the throughput of a machine varies by more than "
    "the tolerance of the spec, so its mean error will also exceed the tolerance. Measure over a "
    "longer window, or raise the tolerance. For llm-batching, fitted times of iterations differ "
    "from measured ones by more than 10 % on average, so percentiles may differ as much.",
    Code.BEYOND_PROFILE: "The table has larger budgets, or the engine batches more sequences, than "
    "any iteration in the file of `engine.steps`. The replay extends the fitted times with their "
    "last slope, which may be far from the real ones. Measure larger iterations, or lower "
    "`engine.max_budget` or `engine.max_sequences`.",
    Code.SHORT_WINDOW: "A percentile of a window needs some requests above it, and a throughput "
    "needs as much time as in the trace; over a shorter window, the controller follows random "
    "variation. Lengthen the window.",
    Code.LONG_QUANTUM: "A runtime looks at the ages of requests once in a quantum. If all ages of "
    "climbs are shorter, the climbs of a request come together at its first look, or never. Lower "
    "the quantum.",
    Code.QUANTUM_OVER_DEMAND: "A running request checks its age once in a quantum, so a climb is "
    "up to a quantum late. A tenth of the median demand costs little and delays climbs little.",
    Code.NO_EFFECT: "The policies of a sweep make the same decisions for all values of this key, "
    "and have the same latencies. Either no value limits the policy, or the method does not use "
    "the key.",
    Code.BETTER_BY_HAND: "In replays at the rates of the spec, a setting that a user can choose "
    "by hand has a percentile or a cost that is more than 2 % below that of the policy. For rubik "
    "with `batch` the cost is the energy of the server for a unit of batch work. Usually the spec "
    "asks for a method by formula, a named policy or a controller. For llm-batching, it means that "
    "a static budget has a shorter percentile of the first SLO at the named rate, within the other "
    "SLOs. For autopro, it means that a constant share keeps a machine closer to its target than "
    "the controller in a replay of the trace.",
    Code.CONTROLLER_LEFT_OUT: "The spec states a controller and the method `auto`. In replays the "
    "formula's ages with the controller miss the SLO, or need more energy at some rate than the "
    "best table without one, so the compile wrote that table. To compile the controller all the "
    "same, set `search.method: dual`, or the formula that suits the spec.",
    Code.OTHER_CONTROL: "In a replay of the trace the best constant share keeps a machine closer "
    "to its target than the published controller, which follows noise. The compile wrote the "
    "controller with the smallest errors of all machines: the observer, a larger pole, or constant "
    "shares with a pole near 1. To write the published controller, set `control.method: paper`.",
    Code.JUDGED_ON_OWN: "A table looks better on the requests that it was tuned on than on "
    "others. Give a longer trace, or verify the policy on another one.",
    Code.NOT_AS_RECORDED: "The policy was tuned on recorded arrival times, which it does not "
    "contain. Other arrivals have another tail. Name the column with the arrival times of the "
    "held-out trace.",
    Code.OTHER_SPEC: "The spec has changed since the policy was compiled. The table of the "
    "formula, which the policy is compared with, comes from the changed spec, so part of the "
    "difference is not due to tuning. Give the spec that the policy was compiled from.",
    Code.NO_RADIUS: "The SLO is missed or undecided with the measured demand and speed-ups, so no "
    "error of them is allowed. Give lower rates, a higher latency or more requests.",
    Code.OTHER_MEASURE: "The held-out demands were measured in another way than the design "
    "demands, so a missed SLO can be due to the measurement.",
    Code.NO_PROMISE: "No job of the held-out days has an SLO, so there is no verdict.",
    Code.COMPILE_TRACE: "A policy always looks good on the sample that it was compiled from. Give "
    "requests that were held out.",
    Code.SHARED_REQUESTS: "The trace contains requests that the policy was compiled from, so the "
    "verdict is too optimistic. tailc compares the trace with demands in the policy: far more of "
    "them are equal to the nanosecond than by chance. Give requests that were held out.",
    Code.TEST_FAILED: "A file of `tailc test` states what the policy must answer, and the "
    "policy answers otherwise, or the tests read less of it than `--threshold`. If the new "
    "answer is intended, change the test; else compare the policies with `tailc diff`.",
    Code.LOCK_DIFFERS: "With `--locked`, the spec, the files that it names, the options and the "
    "versions of packages must be those of the lock file, and so must the digest of the policy. "
    "Nothing was written. Restore the input, or write a new lock file if the change is intended.",
    Code.OTHER_SERVICE: "The two policies have different names or kinds, so most differences are "
    "not changes of one service.",
    Code.OVER_BUDGET: "The new policy is worse than the old one by more than `budgets` in the "
    "spec allows: the whole 95 % interval of the change is above the budget. Use the old policy, "
    "or raise the budget.",
    Code.UNTOLD_BUDGET: "The interval of the change includes values within the budget and above "
    "it, or there is no interval. A longer held-out trace makes it narrower.",
    Code.DRIFT: "Demand differs significantly from that of the compile, so the policy may miss "
    "its SLO. Compile again on newer requests.",
    Code.CANNOT_READ: "The operating system cannot open the file: it does not exist, is a folder, "
    "or you have no permission.",
    Code.CANNOT_WRITE: "The operating system cannot write the file. An existing file is unchanged.",
    Code.MISSING_PART: "A library that only this command needs is not installed. The help line "
    "says how to install it.",
    Code.SOLVER_FAILED: "A solver crashed, reached its limits, or gave an answer that the exact "
    "check refuted. Choose another solver, or raise its limits.",
    Code.LOST_TASK: "Every process that ran this task was killed, usually because the memory was "
    "too small. The other tasks have their results. Run fewer processes at the same time with a "
    "lower `--jobs`.",
    Code.OTHER_CODE: "A worker of the cluster has files of tailc with other content than this "
    "command, so its results can differ. They are discarded, and other workers repeat the tasks. "
    "It is an error if all workers run other code. Install the same version of tailc everywhere.",
    Code.RESULTS_DIFFER: "Every twentieth task of a cluster runs on two workers. Their results are "
    "different, so one of the machines computes wrongly, for example because of faulty memory. "
    "Policies that were written before the error may be wrong too: compile all again without the "
    "faulty machine.",
    Code.UNLISTED_SPEC: "`tailc fleet specs` wrote the spec for a service that is no longer in the "
    "table. It removes no file, so `tailc fleet compile` still compiles the service. Remove the "
    "spec and its policy if the service is gone.",
    Code.NO_MEMORY: "The process could not get the memory that the command or one of its libraries "
    "needs. A limit of the address space (`ulimit -v`) counts libraries and reserved memory, too: "
    "1 GiB is enough for most commands. Raise the limit, limit the memory by a cgroup instead, or "
    "give a shorter trace.",
    Code.LOOP_DIFFERS: "Both tailc and python-control compute the margins, poles and step "
    "response of every controller. They differ by more than rounding and approximation explain, "
    "so one of them is wrong, and nothing is written. Report this with the plant and the gains.",
    Code.BUG: "This is a fault of tailc, not of your input. Set `TAILC_DEBUG=1` for the "
    "traceback, and report it with the command and its input.",
    Code.USAGE: "The command does not take these arguments together; `--help` lists what it takes.",
}


def heading(rule: FindingRule) -> str:
    """Title line of the explanation of a finding: severity, exit code and name."""
    kind = severity_of(rule).value
    if rule.exit_code is not ExitCode.OK:
        kind += f", exit code {rule.exit_code:d}"
    return f"{rule.ident} ({kind}): {rule.title}"


def severity_of(rule: FindingRule) -> Severity:
    """Severity of a rule: codes with an exit code are errors, checks of traces have their own."""
    own = getattr(rule, "severity", None)
    usual = Severity.WARNING if rule.exit_code is ExitCode.OK else Severity.ERROR
    return own if isinstance(own, Severity) else usual


def explanation(rule: FindingRule) -> str:
    """Explain in sentences what a finding's rule means and what to do."""
    return EXPLANATIONS[rule] if isinstance(rule, Code) else getattr(rule, "explanation", "")


def find_rule(word: str) -> FindingRule | None:
    """Find the rule with the code or name `word`; None if there is none."""
    code = next((code for code in Code if code.ident == word.upper()), None)
    if code is not None:
        return code
    from tailc.lint.registry import defect_named

    return defect_named(word)
