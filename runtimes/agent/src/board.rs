//! Memory that a server shares with the agent: a line of 64-bit words for each of its cores.

use std::path::Path;

use crate::cores::{Core, Running, Seen, MOST_WAITING};
use crate::fault::Fault;
use crate::os::SharedWords;

/// Words before the first line: this mark, the number of cores, and the words of a line.
const HEADER: usize = 8;
const MARK: u64 = u64::from_ne_bytes(*b"TLCBOARD");
/// Words of a line before the arrivals of waiting requests; 0 means that there is no such value.
const STARTED_NS: usize = 0;
const WAITING: usize = 1;
const ARRIVED_NS: usize = 2;
const ARRIVALS: usize = 3;
const CYCLES: usize = 4;
const MEMORY_NS: usize = 5;
const THREAD: usize = 6;
const QUEUE: usize = 8;
/// So that each line begins with a cache line.
const CACHE_LINE: usize = 8;

/// The words of all cores.
#[derive(Debug)]
pub struct Board {
    words: SharedWords,
    cores: usize,
    line: usize,
}

impl Board {
    /// Creates or maps the file, for `cores` cores, each with room for `queue` waiting requests.
    /// What a server has written there before stays.
    pub fn open(path: &Path, cores: usize, queue: usize) -> Result<Self, Fault> {
        let line = (QUEUE + queue).next_multiple_of(CACHE_LINE);
        let words = SharedWords::open(path, HEADER + cores * line)
            .map_err(|why| Fault::unwritable(path, &why))?;
        for (at, value) in [MARK, cores as u64, line as u64].into_iter().enumerate() {
            words.set(at, value);
        }
        Ok(Self { words, cores, line })
    }

    /// What the words say now. Each word is read at once, but not all of them together: what is
    /// half written is right at the next tick.
    pub fn seen(&self, now_ns: u64) -> Seen {
        Seen { now_ns, cores: (0..self.cores).map(|core| self.core(core, now_ns)).collect() }
    }

    fn core(&self, core: usize, now_ns: u64) -> Core {
        let word = |at: usize| self.words.get(HEADER + core * self.line + at);
        let given = |at: usize| Some(word(at)).filter(|value| *value > 0);
        let waiting = word(WAITING).min(MOST_WAITING);
        let queued = waiting.min((self.line - QUEUE) as u64) as usize;
        let queue_ns = (0..queued).map_while(|i| given(QUEUE + i)).collect();
        // A server that reads its clock after the agent has started no request in the future.
        let running = given(STARTED_NS).map(|started_ns| {
            let started_ns = started_ns.min(now_ns);
            let arrived_ns = given(ARRIVED_NS).unwrap_or(started_ns).min(started_ns);
            let (cycles, memory_ns, thread) = (given(CYCLES), word(MEMORY_NS), word(THREAD));
            Running { started_ns, arrived_ns, cycles, memory_ns, thread }
        });
        Core { running, waiting, queue_ns, arrivals: word(ARRIVALS) }
    }
}
