//! The best schedule on a grid of times, by looking at every one.

use crate::execution::Execution;
use crate::ladder::FS_PER_US;
use crate::profile::Profile;

/// Schedules times requests or loads, whichever are more, that are evaluated at most.
const MOST_EVALUATIONS: i128 = 200_000_000;

pub struct Grid {
    pub step_us: i128,
    pub longest_us: i128,
    pub rungs: usize,
}

/// Each stay in steps; None: never leaves the rung.
pub type Steps = Vec<Option<i128>>;

impl Grid {
    /// Whether all schedules can be evaluated in seconds, for the larger number of requests and loads.
    pub fn is_small(&self, each: usize) -> bool {
        let steps = self.longest_us / self.step_us;
        let mut schedules = 1;
        for place in 1..self.rungs as i128 {
            schedules = schedules * (steps + 1 + place) / place;
            if schedules * each as i128 > MOST_EVALUATIONS {
                return false;
            }
        }
        true
    }

    /// Calls `visit` with the execution of every schedule whose finite stays fit.
    pub fn each(&self, profile: &Profile, mut visit: impl FnMut(&Execution)) {
        let mut steps: Steps = Vec::new();
        self.extend(&mut steps, self.longest_us / self.step_us, &mut |steps| {
            let unit = self.step_us * FS_PER_US;
            let stays: Vec<_> = steps.iter().map(|step| step.map(|step| step * unit)).collect();
            visit(&Execution::of(profile, &stays));
        });
    }

    fn extend(&self, steps: &mut Steps, left: i128, visit: &mut impl FnMut(&Steps)) {
        if steps.len() + 1 == self.rungs {
            visit(steps);
            return;
        }
        for step in 0..=left {
            steps.push(Some(step));
            self.extend(steps, left - step, visit);
            steps.pop();
        }
        // Rungs behind one that is never left do not matter.
        let reached = steps.len();
        steps.resize(self.rungs - 1, Some(0));
        steps[reached] = None;
        visit(steps);
        steps.truncate(reached);
    }
}

#[cfg(test)]
mod tests {
    use super::Grid;
    use crate::profile::Profile;

    #[test]
    fn every_schedule_is_visited_once() {
        let text = "demand_ms,weight,speedup_1,speedup_2,speedup_3\n9,1,1,1,1\n";
        let grid = Grid { step_us: 1_000, longest_us: 2_000, rungs: 3 };
        let mut schedules = 0;
        grid.each(&Profile::parse(text).unwrap(), |_| schedules += 1);
        // Two stays of at most two steps together: 6; a finite one and never: 3; never: 1.
        assert_eq!(schedules, 10);
        assert!(grid.is_small(1));
        assert!(!Grid { step_us: 1, longest_us: 1 << 40, rungs: 4 }.is_small(1));
    }
}
