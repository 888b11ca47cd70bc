//! Times a request that starts, climbs and exits, and its look-ups alone: `schedule FILE`.
//!
//! Prints nanoseconds of a request, and of the look-ups that it makes, each the least of many short
//! rounds in turns; and how many allocations a request makes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Instant;

use tailc_runtime::{Policy, Schedule};

const ROUNDS: usize = 3_000;
const REQUESTS: u32 = 500;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        System.alloc(layout)
    }

    unsafe fn dealloc(&self, held: *mut u8, layout: Layout) {
        System.dealloc(held, layout);
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn ns_of(mut work: impl FnMut()) -> f64 {
    let begun = Instant::now();
    for _ in 0..REQUESTS {
        work();
    }
    begun.elapsed().as_nanos() as f64 / f64::from(REQUESTS)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("no policy")?;
    let policy = Arc::new(Policy::open(path)?);
    let mut schedule = Schedule::new(Arc::clone(&policy), 0)?;
    let ladder = policy.ladder()?;
    let quantum_us = ladder.quantum_us() as u64;
    let (mut now_ns, mut sum) = (0, 0);
    let mut request = || {
        let arrival = schedule.arrive(now_ns, None).ok().flatten();
        now_ns += quantum_us * 1_000;
        schedule.wake(now_ns);
        if let Some(arrival) = arrival {
            schedule.exit(arrival.request, now_ns);
        }
        sum += schedule.decisions.drain(..).map(|decision| decision.rung).sum::<usize>();
    };
    let mut lookups = || {
        for executed_us in [0, 1, quantum_us] {
            black_box(ladder.lookup(1, 0, black_box(executed_us)).rung);
        }
    };
    let (mut request_ns, mut lookups_ns) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        request_ns = request_ns.min(ns_of(&mut request));
        lookups_ns = lookups_ns.min(ns_of(&mut lookups));
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    ns_of(&mut request);
    let made = ALLOCATIONS.load(Ordering::Relaxed) - before;
    println!("{request_ns:.1} {lookups_ns:.1} {:.2}", made as f64 / f64::from(REQUESTS));
    black_box(sum);
    Ok(())
}
