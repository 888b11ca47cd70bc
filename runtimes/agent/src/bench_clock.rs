//! What a change of frequency takes: until the core runs at it, and how long the core halts.

use std::hint::black_box;

use crate::bench::{Bench, Changed};
use crate::clock::Clock;
use crate::fault::{Exit, Fault};
use crate::os::{now_ns, pin, Signals};
use crate::samples::Samples;

const SLICE_NS: u64 = 10_000;
/// Slices of a steady speed, and after which a change must have taken effect.
const STEADY: usize = 2_000;
const MOST: usize = 10_000;
/// Least ratio of two speeds; with a smaller one, the frequency has not changed.
const LEAST_GAIN: f64 = 1.1;
const BATCH: u64 = 64;

/// Measures, and prints the result in the form of a spec.
pub fn measure(bench: &Bench) -> Result<(), Fault> {
    let signals = Signals::block();
    let mut changed = Changed::begin(&bench.place)?;
    let measured = changes(bench, &mut changed, &signals);
    changed.end();
    let Changes { up_ns, down_ns, halt_ns } = measured?;
    let samples = (Samples::of(up_ns), Samples::of(down_ns), Samples::of(halt_ns));
    let (Some(up), Some(down), Some(halt)) = samples else { return Err(no_effect(bench.cpu)) };
    println!("CPU {}, a change up takes: {up}", bench.cpu);
    println!("a change down takes: {down}");
    println!("the core halts for: {halt}");
    println!("server: {{transition: {{time: {}us}}}}", halt.p99_us());
    Ok(())
}

fn no_effect(cpu: usize) -> Fault {
    let what = format!("the speed of CPU {cpu} does not follow its frequency");
    let help = "check that `--root` is that of this machine, and that nothing else sets the clock";
    Fault::new(Exit::MissingPart, what, help)
}

#[derive(Default)]
struct Changes {
    up_ns: Vec<u64>,
    down_ns: Vec<u64>,
    halt_ns: Vec<u64>,
}

fn changes(bench: &Bench, changed: &mut Changed, signals: &Signals) -> Result<Changes, Fault> {
    let mut clock = Clock::of(changed.tree(), bench.cpu)?;
    pin(std::process::id(), bench.cpu).map_err(|why| {
        let what = format!("the agent cannot run on CPU {}: {why}", bench.cpu);
        Fault::new(Exit::MissingPart, what, "give the number of a CPU of this machine")
    })?;
    let (least_khz, most_khz) = clock.range_khz();
    let slow = steady_speed(changed, &mut clock, least_khz)?;
    let fast = steady_speed(changed, &mut clock, most_khz)?;
    if fast < LEAST_GAIN * slow {
        return Err(no_effect(bench.cpu));
    }
    let (middle, mut found) = ((slow + fast) / 2.0, Changes::default());
    for _ in 0..bench.repeat {
        for is_up in [false, true] {
            let begun_ns = now_ns();
            let khz = if is_up { most_khz } else { least_khz };
            for setting in clock.settings(khz) {
                changed.apply(&setting)?;
            }
            let speeds = slices(MOST / 10);
            let Some((end_ns, halt_ns)) = settled(&speeds, middle, is_up) else { continue };
            let into = if is_up { &mut found.up_ns } else { &mut found.down_ns };
            into.push(end_ns.saturating_sub(begun_ns));
            found.halt_ns.push(halt_ns);
        }
        if signals.wait(std::time::Duration::from_micros(1)) {
            break;
        }
    }
    Ok(found)
}

fn steady_speed(changed: &mut Changed, clock: &mut Clock, khz: u64) -> Result<f64, Fault> {
    for setting in clock.settings(khz) {
        changed.apply(&setting)?;
    }
    slices(STEADY);
    let mut speeds: Vec<f64> = slices(STEADY).iter().map(|slice| slice.speed()).collect();
    speeds.sort_unstable_by(f64::total_cmp);
    Ok(speeds[speeds.len() / 2])
}

/// Work in a short time.
#[derive(Clone, Copy, Debug)]
struct Slice {
    begun_ns: u64,
    end_ns: u64,
    work: u64,
    /// The longest time in which no work was done.
    pause_ns: u64,
}

impl Slice {
    fn speed(&self) -> f64 {
        self.work as f64 / (self.end_ns - self.begun_ns).max(1) as f64
    }
}

fn slices(count: usize) -> Vec<Slice> {
    (0..count).map(|_| slice()).collect()
}

fn slice() -> Slice {
    let begun_ns = now_ns();
    let mut slice = Slice { begun_ns, end_ns: begun_ns, work: 0, pause_ns: 0 };
    let mut number = begun_ns;
    while slice.end_ns - begun_ns < SLICE_NS {
        for _ in 0..BATCH {
            number = black_box(number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(7));
        }
        let now = now_ns();
        slice.pause_ns = slice.pause_ns.max(now - slice.end_ns);
        slice.end_ns = now;
        slice.work += BATCH;
    }
    slice
}

/// When the speed has passed `middle` for three slices in a row, and the longest pause until then;
/// none: it never has.
fn settled(slices: &[Slice], middle: f64, is_up: bool) -> Option<(u64, u64)> {
    let is_there = |slice: &Slice| (slice.speed() >= middle) == is_up;
    let at = slices.windows(3).position(|three| three.iter().all(is_there))?;
    let pause_ns = slices[..=at].iter().map(|slice| slice.pause_ns).max()?;
    Some((slices[at].begun_ns, pause_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices_at(speeds: &[f64]) -> Vec<Slice> {
        let slice = |(at, speed): (usize, &f64)| {
            let begun_ns = at as u64 * 1_000;
            let pause_ns = 10 + at as u64;
            Slice { begun_ns, end_ns: begun_ns + 1_000, work: (speed * 1_000.0) as u64, pause_ns }
        };
        speeds.iter().enumerate().map(slice).collect()
    }

    #[test]
    fn a_change_is_over_when_three_slices_have_the_new_speed() {
        let up = slices_at(&[1.0, 3.0, 1.0, 1.0, 3.0, 3.0, 2.5, 3.0]);
        assert_eq!(settled(&up, 2.0, true), Some((4_000, 14)));
        let down = slices_at(&[3.0, 3.0, 1.0, 1.0, 1.5]);
        assert_eq!(settled(&down, 2.0, false), Some((2_000, 12)));
    }

    #[test]
    fn a_change_that_has_no_effect_is_never_over() {
        assert_eq!(settled(&slices_at(&[1.0; 6]), 2.0, true), None);
    }

    #[test]
    fn a_slice_does_work_for_its_time() {
        let slice = slice();
        assert!(slice.end_ns - slice.begun_ns >= SLICE_NS);
        assert!(slice.work >= BATCH && slice.speed() > 0.0);
    }
}
