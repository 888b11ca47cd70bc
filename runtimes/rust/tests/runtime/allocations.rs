//! A look-up allocates nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::Arc;

use tailc_runtime::{Options, Schedule, Watched};

use super::{opened, vector};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// Safety: the system's allocator does what it is asked.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations_in(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn allocations_are_counted_here() {
    assert_eq!(allocations_in(|| drop(black_box(Box::new(1)))), 1);
}

#[test]
fn a_look_up_allocates_nothing() {
    let policy = opened("controller.tailc");
    let ladder = policy.ladder().unwrap();
    let count = allocations_in(|| {
        for load in 0..10_000 {
            black_box(ladder.lookup(load, load / 2, 1_000 * load));
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn starts_ticks_and_exits_allocate_nothing() {
    let policy = Arc::new(opened("settings.tailc"));
    let mut schedule = Schedule::new(policy, 0).unwrap();
    let mut now_ns = 0;
    let mut request = || {
        let arrival = schedule.arrive(now_ns, None).unwrap().unwrap();
        now_ns += 5_000_000;
        schedule.wake(now_ns);
        schedule.exit(arrival.request, now_ns);
        schedule.decisions.clear();
    };
    request();
    assert_eq!(allocations_in(|| (0..1_000).for_each(|_| request())), 0);
}

#[test]
fn a_look_up_in_what_is_watched_allocates_once_in_a_thread() {
    let watched = Watched::open(vector("lucene.tailc"), Options::new()).unwrap();
    let look_up = || {
        for load in 0..1_000 {
            black_box(watched.current().ladder().unwrap().lookup(load, 0, 1_000 * load));
        }
    };
    look_up();
    assert_eq!(allocations_in(look_up), 0);
}

#[test]
fn a_step_and_a_level_allocate_nothing() {
    let policy = opened("tails-trim.tailc");
    let (table, controller) = (policy.tail_table().unwrap(), policy.controller().unwrap());
    let ages_ns = [350_000; 100];
    let count = allocations_in(|| {
        for held in 1..=ages_ns.len() {
            black_box(table.level(&ages_ns[..held], 95_000, 12_000).unwrap());
            black_box(controller.step(1_000 * held as u64, 10_000));
        }
    });
    assert_eq!(count, 0);
}
