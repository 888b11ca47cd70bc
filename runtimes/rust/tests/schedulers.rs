//! Parallel requests on the threads that their policy gives them; no test waits for time to pass.

use std::fs;
use std::hint::black_box;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};

use tailc_runtime::{
    Change, DecisionKind, DemandLog, Options, Outcome, Part, Policy, Processors, RequestTimes,
    Schedule, Scheduler, Watched,
};

fn vector(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/vectors/v1");
    folder.join(format!("{name}.tailc"))
}

fn policy(name: &str) -> Arc<Policy> {
    Arc::new(Policy::open(vector(name)).expect("a vector's policy opens"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn parts(count: usize, part: impl Fn() + Send + Sync + 'static) -> Vec<Part> {
    let part = Arc::new(part);
    (0..count)
        .map(|_| {
            let part = Arc::clone(&part);
            Box::new(move || part()) as Part
        })
        .collect()
}

#[test]
fn the_four_threads_of_a_lone_request_meet() {
    let scheduler = Scheduler::new(policy("settings"), 4).expect("it has a scheduler");
    let meeting = Barrier::new(4);
    let outcome = scheduler.run(
        parts(4, move || {
            meeting.wait();
        }),
        None,
    );
    assert_eq!(outcome.ok(), Some(Outcome::Done));
    assert_eq!(scheduler.run(Vec::new(), None).ok(), Some(Outcome::Done));
    let metrics = scheduler.metrics();
    for line in ["tailc_exits_total 2\n", "tailc_in_system 0\n", "tailc_lookups_total{rung=\"d4\"}"]
    {
        assert!(metrics.contains(line), "{line}");
    }
    assert!(metrics.ends_with("# EOF\n"));
}

#[test]
fn a_log_has_only_requests_that_arrive_after_it() {
    let name = format!("tailc-log-{}.csv", std::process::id());
    let path = std::env::temp_dir().join(name);
    let log = Arc::new(DemandLog::open(&path, 1).expect("a log can be written"));
    let scheduler = Arc::new(Scheduler::new(policy("settings"), 1).expect("it has a scheduler"));
    let (inside, own) = (Arc::clone(&scheduler), Arc::clone(&log));
    let begins = parts(1, move || inside.log_to(Arc::clone(&own)).expect("Linux has the times"));
    scheduler.run(begins, None).expect("it runs");
    scheduler.run(parts(1, || ()), None).expect("it runs");
    log.flush().expect("the log can be written");
    let rows = fs::read_to_string(&path).expect("it is there");
    fs::remove_file(&path).expect("it is there");
    assert_eq!(rows.lines().count(), 2, "the header, and the second request: {rows}");
}

#[test]
fn a_panic_of_a_part_ends_the_request_and_goes_on() {
    let scheduler = Scheduler::new(policy("settings"), 1).expect("it has a scheduler");
    let begun = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&begun);
    let fails = parts(3, move || {
        *lock(&counted) += 1;
        std::panic::panic_any("no such document");
    });
    let caught = catch_unwind(AssertUnwindSafe(|| scheduler.run(fails, None)));
    assert_eq!(
        caught.err().and_then(|why| why.downcast_ref::<&str>().copied()),
        Some("no such document")
    );
    assert_eq!(*lock(&begun), 1);
    assert_eq!(scheduler.run(parts(2, || ()), None).ok(), Some(Outcome::Done));
}

#[test]
fn a_scheduler_without_threads_is_an_error() {
    let why = Scheduler::new(policy("settings"), 0).err();
    assert_eq!(why.map(|why| why.name()), Some("invalid-argument"));
}

#[test]
fn the_log_has_the_time_of_requests_shorter_than_a_tick_of_the_kernel() {
    let path = std::env::temp_dir().join(format!("tailc-short-{}.csv", std::process::id()));
    let log = Arc::new(DemandLog::open(&path, 1).expect("a log can be written"));
    let scheduler = Scheduler::new(policy("settings"), 1).expect("it has a scheduler");
    scheduler.log_to(Arc::clone(&log)).expect("Linux has the times");
    for _ in 0..50 {
        let work = parts(1, || {
            for number in 0..50_000 {
                black_box(number);
            }
        });
        assert_eq!(scheduler.run(work, None).ok(), Some(Outcome::Done));
    }
    drop(scheduler);
    log.flush().expect("the log can be written");
    let rows = fs::read_to_string(&path).expect("the log can be read");
    fs::remove_file(&path).expect("the log can be removed");
    assert_eq!(rows.lines().count(), 51);
    assert!(!rows.lines().any(|row| row.starts_with("1,")), "{rows}");
}

#[test]
fn a_policy_that_needs_another_server_has_no_schedule() {
    for name in ["lanes", "rate"] {
        assert_eq!(Schedule::new(policy(name), 0).err().map(|why| why.name()), Some("no-schedule"));
    }
    assert_eq!(Schedule::new(policy("tails"), 0).err().map(|why| why.name()), Some("other-form"));
}

#[test]
fn times_have_threads_of_all_rungs_and_late_ticks() {
    const MS: u64 = 1_000_000;
    let mut schedule = Schedule::new(policy("settings"), 0).expect("it has a schedule");
    for _ in 0..10 {
        schedule.arrive(0, None).expect("there is a ladder for all");
    }
    while schedule.due_ns().is_some_and(|due_ns| due_ns <= 27 * MS) {
        schedule.wake(27 * MS);
    }
    // One thread until 27 ms, and then two.
    let wanted = RequestTimes {
        run_us: 31_000,
        thread_us: 33_000,
        granted_us: 35_000,
        late_us: 23_000,
        ..RequestTimes::default()
    };
    assert_eq!(schedule.times_of(10, 31 * MS, 33 * MS), Some(wanted));
    assert_eq!(schedule.times_of(11, 31 * MS, 0), None);
}

#[test]
fn looks_at_waiting_requests_are_not_counted_as_outside() {
    let policy = policy("settings");
    let mut schedule = Schedule::new(Arc::clone(&policy), 0).expect("it has a schedule");
    for _ in 0..30 {
        schedule.arrive(0, None).expect("there is a ladder for all");
    }
    assert_eq!(policy.counters().outside(), 0);
    while let Some(due_ns) = schedule.due_ns().filter(|due_ns| *due_ns <= 20_000_000) {
        schedule.wake(due_ns);
    }
    assert_eq!(policy.counters().outside(), 13 * 4, "13 requests run, each has four ticks");
}

#[test]
fn a_waiting_request_that_leaves_makes_room_for_nobody() {
    let mut schedule = Schedule::new(policy("lucene"), 0).expect("it has a schedule");
    for _ in 0..27 {
        schedule.arrive(0, None).expect("there is a ladder for all");
    }
    let running = schedule.running();
    schedule.decisions.clear();
    schedule.exit(27, 1);
    assert_eq!((schedule.in_system(), schedule.running()), (26, running));
    schedule.exit(1, 2);
    assert_eq!(schedule.decisions[0].kind, DecisionKind::Start);
    schedule.exit(27, 3);
    assert_eq!(schedule.in_system(), 25);
}

#[test]
fn a_watched_policy_is_followed() {
    let path = std::env::temp_dir().join(format!("tailc-scheduler-{}.tailc", std::process::id()));
    fs::copy(vector("lucene"), &path).expect("a file");
    let watched = Watched::open(&path, Options::new()).expect("it opens");
    let reloaded: Arc<Mutex<Vec<String>>> = Arc::default();
    let pushed = Arc::clone(&reloaded);
    let on_reload = Box::new(move |policy: &Policy| {
        lock(&pushed).push(policy.name().to_owned());
        panic!("a callback may panic");
    });
    let scheduler = Scheduler::with_reloads(watched.clone(), 1, on_reload).expect("a scheduler");
    for name in ["settings", "cores"] {
        fs::copy(vector(name), &path).expect("a file");
        assert!(matches!(watched.check(), Change::Reloaded));
        assert_eq!(scheduler.run(parts(1, || ()), None).ok(), Some(Outcome::Done));
    }
    assert!(scheduler.metrics().contains("last_refusal=\"no-schedule\""));
    assert_eq!(*lock(&reloaded), ["settings"]);
    let _ = fs::remove_file(&path);
}

/// The processors on which this thread may run, as Linux lists them.
#[cfg(target_os = "linux")]
fn permitted() -> String {
    let status = fs::read_to_string("/proc/thread-self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    line.expect("Linux has it").trim().to_owned()
}

#[cfg(target_os = "linux")]
fn on_processors(
    name: &str,
    processors: &[(&str, Vec<usize>)],
) -> tailc_runtime::Result<Scheduler> {
    let by_type = processors.iter().map(|(name, numbers)| ((*name).to_owned(), numbers.clone()));
    Scheduler::on_processors(policy(name), 2, by_type.collect::<Processors>(), Box::new(|_| {}))
}

#[cfg(target_os = "linux")]
#[test]
fn threads_run_on_the_processor_of_their_core_and_move_at_a_climb() {
    let all = permitted();
    let number = |text: &str| text.parse::<usize>().expect("a number");
    let slow = number(all.split([',', '-']).next().unwrap_or_default());
    let fast = number(all.rsplit([',', '-']).next().unwrap_or_default());
    // One slow core and one fast core: requests climb at 37 ms.
    let types = [("slow", vec![slow]), ("fast", vec![fast])];
    let scheduler = on_processors("../../../examples/finance/expected", &types);
    let begun = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&begun);
    let part = parts(1, move || {
        let fast = fast.to_string();
        *lock(&seen) = permitted();
        while permitted() != fast {
            std::thread::yield_now();
        }
    });
    assert_eq!(scheduler.expect("it has processors").run(part, None).ok(), Some(Outcome::Done));
    assert!([slow.to_string(), fast.to_string()].contains(&lock(&begun)), "it is bound");
}

#[cfg(target_os = "linux")]
#[test]
fn a_policy_without_its_processors_is_refused() {
    let finance = "../../../examples/finance/expected";
    for (name, processors) in [
        (finance, vec![]),
        ("cores-lanes", vec![("core", vec![0, 0])]),
        ("cores", vec![("core", vec![0])]),
        ("settings", vec![("core", vec![0])]),
        ("lucene", vec![("core", vec![1 << 20])]),
    ] {
        let why = on_processors(name, &processors).err();
        assert_eq!(why.map(|why| why.name()), Some("no-schedule"), "{name}");
    }
}
