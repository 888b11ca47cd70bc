//! Arguments that cannot be, forms that are not there, threads that ask at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tailc_runtime::{Actuator, Budget, Error, LoadAxis, Policy, Rule, Start};

use super::{opened, vector, word};

fn is_shared<T: Send + Sync>() {}

#[test]
fn a_policy_and_its_errors_go_to_any_thread() {
    is_shared::<Policy>();
    is_shared::<Error>();
}

/// Haque et al., ASPLOS 2015, Table 2, rows 14 and 25.
#[test]
fn rows_of_the_published_table_are_found() {
    let policy = opened("lucene.tailc");
    let ladder = policy.ladder().unwrap();
    let waits = ladder.lookup(14, 4_000, 0);
    assert_eq!((waits.start, waits.rung), (Start::WaitUs(6_000), 0));
    assert_eq!(ladder.lookup(14, 10_000, 225_000).rung, 3);
    assert_eq!(ladder.lookup(25, 0, 0).start, Start::OnExit);
    assert_eq!(ladder.rungs(), ["d1", "d2", "d3", "d4"]);
    assert_eq!((ladder.load_axis(), ladder.quantum_us()), (LoadAxis::InSystem, 5_000));
    assert!(ladder.rules().contains(&Rule::BoostLastRung));
    assert_eq!(ladder.boost().map(|boost| boost.below_ppm), Some(15_000_000));
    assert_eq!((policy.name(), policy.generation()), ("lucene", 1));
}

#[test]
fn the_largest_arguments_are_answered() {
    let policy = opened("lucene.tailc");
    let answer = policy.ladder().unwrap().lookup(u64::MAX, u64::MAX, u64::MAX);
    assert_eq!(answer.rung, policy.ladder().unwrap().lookup(1_000, 0, 1 << 40).rung);
}

#[test]
fn what_cannot_be_asked_is_an_invalid_argument() {
    const INVALID: &str = "invalid-argument";
    let policy = opened("lucene.tailc");
    assert_eq!(word(policy.ladder().unwrap().lookup_scaled(0, 0, 0, 1_000_001)), INVALID);
    let tails = opened("tails-trim.tailc");
    assert_eq!(word(tails.tail_table().unwrap().level(&[], 0, 0)), INVALID);
    assert_eq!(word(tails.tail_table().unwrap().level_scaled(&[1], 0, 0, 2_000_001)), INVALID);
    let mut shares = opened("shares.tailc").shares().unwrap().clone();
    for throughput in [&[1.0][..], &[1.0, -1.0], &[1.0, f64::NAN]] {
        assert_eq!(word(shares.tick(throughput)), INVALID);
    }
    assert_eq!(word(shares.tick_waiting(&[1.0, 1.0], &[1])), INVALID);
    let mut plan = opened("plan.tailc").plan().unwrap().clone();
    assert_eq!(word(plan.quote(0, 0, 1, 0)), INVALID);
    assert_eq!(word(plan.quote(0, 1, -1, 0)), INVALID);
    assert_eq!(word(plan.quote(0, 1, 1, 1_000_001)), INVALID);
    assert_eq!(word(plan.cheapest_width(0, &[(1, 1)].into())), INVALID);
    assert_eq!(word(plan.take("", 0, 1, 1)), INVALID);
    assert_eq!(word(plan.release("nobody", 0)), INVALID);
}

#[test]
fn a_budget_table_has_the_limits_of_its_engine() {
    let policy = opened("budgets.tailc");
    let table = policy.budget_table().unwrap();
    assert_eq!(table.lookup(17, 5_000), Budget { tokens: 768, new_sequences: 2 });
    assert_eq!(table.lookup(u64::MAX, u64::MAX).tokens, 0);
    let limits = (table.kv_blocks(), table.block_tokens(), table.max_sequences());
    assert_eq!(limits, (6_007, 16, 64));
}

#[test]
fn what_a_policy_has_not_is_another_form() {
    let policy = opened("classes.tailc");
    assert_eq!(policy.ladder_of("short").unwrap().request_class(), Some("short"));
    assert_eq!(policy.ladder_of("long").unwrap().request_class(), None);
    assert_eq!(word(policy.tail_table()), "other-form");
    assert_eq!(word(policy.shares()), "other-form");
    assert_eq!(word(policy.plan()), "other-form");
    assert_eq!(word(policy.budget_table()), "other-form");
    assert_eq!(word(opened("plan.tailc").ladder_of("short")), "other-form");
    assert!(policy.controller().is_none());
    assert_eq!(opened("tails-trim.tailc").controller().unwrap().acts_on(), Actuator::LatencyBound);
}

#[test]
fn what_is_no_file_cannot_be_read() {
    assert_eq!(word(Policy::open(vector("missing.tailc"))), "unreadable");
    assert_eq!(word(Policy::open(vector(""))), "unreadable");
}

#[test]
fn what_is_outside_is_counted() {
    let policy = opened("classes.tailc");
    let ladder = policy.ladder().unwrap();
    ladder.lookup(1, 0, 0);
    assert_eq!(policy.counters().outside(), 0);
    ladder.lookup(1_000_000, 0, 0);
    assert_eq!(policy.counters().outside(), 1);
    let clamped = opened("smallest.tailc");
    clamped.ladder().unwrap().lookup(1_000_000, 0, 0);
    assert_eq!(clamped.counters().outside(), 0, "the last row has no end");
    let datacentre = opened("plan.tailc");
    assert_eq!(datacentre.plan().unwrap().epoch_at(0), None);
    assert_eq!(datacentre.counters().outside(), 1);
}

#[test]
fn a_clone_remembers_and_the_policy_does_not() {
    let policy = opened("plan.tailc");
    let first = policy.plan().unwrap();
    let mut plan = first.clone();
    let places = plan.take("new", 0, 1, 1).unwrap().expect("a server is free");
    let pool = places[0].pool;
    assert_eq!(first.free(0).unwrap()[pool], plan.free(0).unwrap()[pool] + 1);
    plan.release("new", 0).unwrap();
    assert_eq!(first.free(0), plan.free(0));
}

/// Rungs stay within what outputs of the controller can give, whenever they are read.
#[test]
fn look_ups_and_steps_do_not_disturb_each_other() {
    let policy = opened("controller.tailc");
    let (ladder, controller) = (policy.ladder().unwrap(), policy.controller().unwrap());
    let is_over = AtomicBool::new(false);
    thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    assert!(ladder.lookup(10, 0, 100_000).rung < ladder.rungs().len());
                }
            });
        }
        for i in 0..20_000 {
            controller.step(i * 37 % 500_000, i % 90_000);
        }
        is_over.store(true, Ordering::Relaxed);
    });
}
