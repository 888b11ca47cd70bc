//! Parallel requests of tokio; its clock is paused, so that time jumps to the next timer.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tailc_runtime::{AsyncScheduler, Outcome, Policy};
use tokio::runtime::Builder;
use tokio::time::{sleep, Instant};

fn policy(name: &str) -> Arc<Policy> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/vectors/v1");
    Arc::new(Policy::open(folder.join(format!("{name}.tailc"))).expect("a vector's policy opens"))
}

fn run<F: Future>(main: F) -> F::Output {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(main)
}

fn scheduler(name: &str) -> AsyncScheduler {
    AsyncScheduler::new(policy(name)).expect("it has a scheduler")
}

/// A part that begins when it is run.
async fn lasting(time: Duration) {
    sleep(time).await;
}

#[test]
fn parts_run_at_once_as_the_request_climbs() {
    run(async {
        let scheduler = scheduler("settings");
        let mut others = Vec::new();
        for _ in 0..9 {
            others.push(scheduler.admit(None).await.expect("a ladder").expect("it starts"));
        }
        // The tenth: one thread, and a second one from 25 ms on.
        let began = Instant::now();
        let parts = (0..5).map(|_| lasting(Duration::from_millis(30))).collect();
        assert_eq!(scheduler.run(parts, None).await.ok(), Some(Outcome::Done));
        // Ends at 30, 55, 60, 85 and 90 ms; the timer of tokio has whole milliseconds.
        let took_ms = began.elapsed().as_millis();
        assert!((90..=94).contains(&took_ms), "{took_ms}");
        drop(others);
        assert!(scheduler.metrics().contains("tailc_in_system 0\n"));
    });
}

#[test]
fn a_request_waits_until_its_delay_is_over_or_leaves() {
    run(async {
        let scheduler = scheduler("settings");
        let mut others = Vec::new();
        for _ in 0..13 {
            others.push(scheduler.admit(None).await.expect("a ladder").expect("it starts"));
        }
        let began = Instant::now();
        let leaves = tokio::time::timeout(Duration::from_millis(5), scheduler.admit(None));
        assert!(leaves.await.is_err());
        assert!(scheduler.metrics().contains("tailc_in_system 13\n"));
        let waited = scheduler.admit(None).await.expect("a ladder");
        let took_ms = began.elapsed().as_millis();
        assert!((15..=18).contains(&took_ms), "{took_ms}");
        drop((waited, others));
    });
}

/// Of two parts, the first one panics; each holds `part` while it runs.
fn with_a_panic(part: &Arc<()>) -> Vec<impl Future<Output = ()> + Send + 'static> {
    let parts = (1..=2).map(|seconds| {
        let part = Arc::clone(part);
        async move {
            sleep(Duration::from_secs(seconds)).await;
            drop(part);
            panic!("no such document");
        }
    });
    parts.collect()
}

#[test]
fn parts_have_ended_when_their_request_is_cut_off_or_panics() {
    run(async {
        let part = Arc::new(());
        let copy = Arc::clone(&part);
        let endless = async move {
            sleep(Duration::from_secs(3_600)).await;
            drop(copy);
        };
        let cut_off = scheduler("overload").run(vec![endless], None).await;
        assert_eq!(cut_off.ok(), Some(Outcome::CutOff));
        assert_eq!(Arc::strong_count(&part), 1);
        let parts = with_a_panic(&part);
        let panics = tokio::spawn(async move { scheduler("settings").run(parts, None).await });
        assert!(panics.await.is_err_and(|why| why.is_panic()));
        assert_eq!(Arc::strong_count(&part), 1);
    });
}

#[test]
fn a_request_is_refused_or_cut_off() {
    run(async {
        let scheduler = scheduler("overload");
        let parts = vec![lasting(Duration::from_secs(3_600))];
        assert_eq!(scheduler.run(parts, None).await.ok(), Some(Outcome::CutOff));
        let policy = policy("overload");
        let overload = policy.ladder().expect("a ladder").overload();
        let count = (0..).take_while(|others| !overload.refuses(*others)).count();
        let mut requests = tokio::task::JoinSet::new();
        let scheduler = Arc::new(scheduler);
        for _ in 0..count {
            let scheduler = Arc::clone(&scheduler);
            requests.spawn(async move {
                scheduler.run(vec![lasting(Duration::from_secs(1))], None).await
            });
        }
        while !scheduler.metrics().contains(&format!("tailc_in_system {count}\n")) {
            tokio::task::yield_now().await;
        }
        let refused = scheduler.run(vec![lasting(Duration::ZERO)], None).await;
        assert_eq!(refused.ok(), Some(Outcome::Refused));
    });
}
