//! What requests use, from counters of their cores: compute cycles, and time that waits for memory.

use crate::cores::{Core, Running, Seen};
use crate::events::Counts;
use crate::journal::Journal;

const NS_PER_US: u64 = 1_000;
/// The columns of requests that have ended, as specs take demand.
pub const COLUMNS: &str = "arrived_us,started_us,core,cycles,memory_ns";

/// The use of the running request of each core.
#[derive(Debug)]
pub struct Demands {
    cores: Vec<Use>,
    at_ns: u64,
    ended: Journal,
}

/// The state of one core at the last tick.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    counts: Option<Counts>,
    running: Option<Running>,
    /// Use of that request; none if it began before the counters were opened.
    spent: Option<Spent>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    counts: Counts,
    time_ns: u64,
    memory_ns: u64,
}

impl Spent {
    fn add(&mut self, counts: Counts, time_ns: u64) {
        self.counts = self.counts.plus(counts);
        self.time_ns += time_ns;
        let waited = u128::from(time_ns) * u128::from(counts.stalls.min(counts.cycles));
        self.memory_ns += (waited / u128::from(counts.cycles.max(1))) as u64;
    }

    /// Time for this number of cycles at the request's mean speed; none if it has used no cycles.
    fn time_for(&self, cycles: u64) -> Option<u64> {
        let scaled = u128::from(cycles) * u128::from(self.time_ns);
        scaled.checked_div(u128::from(self.counts.cycles)).map(|time_ns| time_ns as u64)
    }

    fn compute_cycles(&self) -> u64 {
        self.counts.cycles.saturating_sub(self.counts.stalls)
    }
}

impl Demands {
    /// For this number of cores. The journal gets a row for each request that ends, with its use.
    pub fn new(cores: usize, ended: Journal) -> Self {
        Self { cores: vec![Use::default(); cores], at_ns: 0, ended }
    }

    /// Adds the counts since the last tick, and sets the demand of requests that the server does not count.
    pub fn observe(&mut self, seen: &mut Seen) {
        let mut rows = String::new();
        let before_ns = std::mem::replace(&mut self.at_ns, seen.now_ns);
        for (at, core) in seen.cores.iter_mut().enumerate() {
            let before = self.cores[at];
            let tick = Tick { before, before_ns, now_ns: seen.now_ns };
            if let Some((ended, spent)) = tick.ended(core) {
                let Running { arrived_ns, started_ns, .. } = ended;
                let (arrived_us, started_us) = (arrived_ns / NS_PER_US, started_ns / NS_PER_US);
                let (cycles, memory_ns) = (spent.compute_cycles(), spent.memory_ns);
                rows += &format!("{arrived_us},{started_us},{at},{cycles},{memory_ns}\n");
            }
            let spent = tick.running(core);
            self.cores[at] = Use { counts: core.counts, running: core.running, spent };
            if let (Some(running), Some(spent)) = (&mut core.running, spent) {
                if running.cycles.is_none() {
                    running.cycles = Some(spent.compute_cycles());
                    running.memory_ns = spent.memory_ns;
                }
            }
        }
        self.ended.add(&rows);
    }
}

/// The interval between two ticks of one core.
#[derive(Clone, Copy)]
struct Tick {
    before: Use,
    before_ns: u64,
    now_ns: u64,
}

impl Tick {
    /// Counts until a time between the two ticks; none if the core was idle at the first one.
    fn counted_until(&self, time_ns: u64, counts: Counts, before: Counts) -> Counts {
        if self.before.running.is_none() {
            return Counts::default();
        }
        let (until_ns, whole_ns) =
            (time_ns.saturating_sub(self.before_ns), self.now_ns.saturating_sub(self.before_ns));
        counts.since(before).part(until_ns, whole_ns)
    }

    /// The request that has ended since the last tick, with its use.
    fn ended(&self, core: &Core) -> Option<(Running, Spent)> {
        let (ended, mut spent) = (self.before.running?, self.before.spent?);
        let (counts, before) = (core.counts?, self.before.counts?);
        let (end_ns, last) = match core.running {
            Some(now) if now.started_ns == ended.started_ns => return None,
            Some(next) => (next.started_ns, self.counted_until(next.started_ns, counts, before)),
            None => (self.now_ns, counts.since(before)),
        };
        let most_ns = end_ns.saturating_sub(self.before_ns);
        spent
            .add(last, spent.time_for(last.cycles).map_or(most_ns, |time_ns| time_ns.min(most_ns)));
        Some((ended, spent))
    }

    /// Use of the running request.
    fn running(&self, core: &Core) -> Option<Spent> {
        let (running, counts, before) = (core.running?, core.counts?, self.before.counts?);
        let since = counts.since(before);
        if self.before.running.is_some_and(|one| one.started_ns == running.started_ns) {
            let mut spent = self.before.spent?;
            spent.add(since, self.now_ns.saturating_sub(self.before_ns));
            return Some(spent);
        }
        let mut spent = Spent::default();
        let own = since.since(self.counted_until(running.started_ns, counts, before));
        spent.add(own, self.now_ns.saturating_sub(running.started_ns));
        Some(spent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn counts(cycles: u64, stalls: u64) -> Option<Counts> {
        Some(Counts { cycles, instructions: 0, stalls })
    }

    fn running(started_ns: u64) -> Option<Running> {
        let (cycles, memory_ns, thread) = (None, 0, 0);
        Some(Running { started_ns, arrived_ns: started_ns, cycles, memory_ns, thread })
    }

    /// The cycles and the memory time of the request that runs then.
    fn used(
        demands: &mut Demands,
        now_ns: u64,
        running: Option<Running>,
        counts: Option<Counts>,
    ) -> (Option<u64>, u64) {
        let core = Core { running, counts, ..Core::default() };
        let mut seen = Seen { now_ns, cores: vec![core] };
        demands.observe(&mut seen);
        seen.cores[0].running.map_or((None, 0), |one| (one.cycles, one.memory_ns))
    }

    fn demands(folder: &str) -> (Demands, std::path::PathBuf) {
        let path = std::env::temp_dir().join(format!("tailc-{folder}-{}", std::process::id()));
        let ended = Journal::create(Some(&path), COLUMNS).unwrap();
        (Demands::new(1, ended), path)
    }

    fn ended(path: &std::path::Path) -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        std::fs::remove_file(path).unwrap();
        text.lines().skip(1).map(str::to_owned).collect()
    }

    #[test]
    fn a_request_has_the_cycles_of_its_core_less_those_that_wait_for_memory() {
        let (mut demands, path) = demands("own");
        assert_eq!(used(&mut demands, 4 * MS, None, counts(500, 100)), (None, 0));
        // Half of the tick, of which a quarter waits.
        let first = used(&mut demands, 8 * MS, running(6 * MS), counts(2_500, 600));
        assert_eq!(first, (Some(1_500), MS / 2));
        let second = used(&mut demands, 12 * MS, running(6 * MS), counts(6_500, 2_600));
        assert_eq!(second, (Some(3_500), MS / 2 + 2 * MS));
        // It ends after 1000 cycles, which take 1 ms at its speed of 6000 in 6 ms.
        used(&mut demands, 16 * MS, None, counts(7_500, 2_600));
        assert_eq!(ended(&path), ["6000,6000,0,4500,2500000"]);
    }

    #[test]
    fn two_requests_in_one_tick_share_what_was_counted_by_their_time() {
        let (mut demands, path) = demands("shared");
        used(&mut demands, 4 * MS, None, counts(0, 0));
        used(&mut demands, 8 * MS, running(4 * MS), counts(4_000, 0));
        let next = used(&mut demands, 12 * MS, running(9 * MS), counts(8_000, 0));
        assert_eq!(next, (Some(3_000), 0));
        assert_eq!(ended(&path), ["4000,4000,0,5000,0"]);
    }

    #[test]
    fn a_request_that_is_older_than_the_counters_has_no_cycles() {
        let (mut demands, path) = demands("older");
        assert_eq!(used(&mut demands, 8 * MS, running(4 * MS), counts(9, 0)), (None, 0));
        assert_eq!(used(&mut demands, 12 * MS, running(4 * MS), counts(99, 0)), (None, 0));
        used(&mut demands, 16 * MS, None, counts(120, 0));
        assert!(ended(&path).is_empty());
    }

    #[test]
    fn a_server_that_counts_itself_is_believed() {
        let (mut demands, path) = demands("believed");
        used(&mut demands, 4 * MS, None, counts(0, 0));
        let own = running(4 * MS).map(|one| Running { cycles: Some(7), memory_ns: 3, ..one });
        assert_eq!(used(&mut demands, 8 * MS, own, counts(100, 50)), (Some(7), 3));
        assert!(ended(&path).is_empty());
    }
}
