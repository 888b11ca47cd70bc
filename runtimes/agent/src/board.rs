//! Memory that a server shares with the agent: a line of 64-bit words for each of its cores.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::cores::{Core, Running, Seen, MOST_WAITING};
use crate::fault::{warn, Fault};
use crate::os::{open_shared, word_at};

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

const WORD: usize = size_of::<u64>();

/// The words of all cores. The file is read, and not mapped: a mapping that a server shortens ends
/// the process that looks at it.
#[derive(Debug)]
pub struct Board {
    path: PathBuf,
    file: File,
    bytes: Vec<u8>,
    cores: usize,
    line: usize,
    is_warned: bool,
}

impl Board {
    /// Creates or opens the file, for `cores` cores, each with room for `queue` waiting requests.
    /// What a server has written there before stays.
    pub fn open(path: &Path, cores: usize, queue: usize) -> Result<Self, Fault> {
        let line = (QUEUE + queue).next_multiple_of(CACHE_LINE);
        let bytes = vec![0; (HEADER + cores * line) * WORD];
        let unwritable = |why: io::Error| Fault::unwritable(path, &why);
        let file = open_shared(path, bytes.len() as u64).map_err(unwritable)?;
        let board = Self { path: path.to_owned(), file, bytes, cores, line, is_warned: false };
        board.write_header().map_err(unwritable)?;
        Ok(board)
    }

    fn write_header(&self) -> io::Result<()> {
        let header = [MARK, self.cores as u64, self.line as u64].map(u64::to_ne_bytes);
        self.file.write_all_at(header.as_flattened(), 0)
    }

    /// Reads the words of all cores, which are not one snapshot: a word that a server writes meanwhile
    /// is seen at the next tick.
    pub fn seen(&mut self, now_ns: u64) -> Result<Seen, Fault> {
        self.read().map_err(|why| Fault::unreadable(&self.path, &why))?;
        let cores = (0..self.cores).map(|core| self.core(core, now_ns)).collect();
        Ok(Seen { now_ns, cores })
    }

    /// A file that a server has shortened gets its length back; cores without words are idle.
    fn read(&mut self) -> io::Result<()> {
        match self.file.read_exact_at(&mut self.bytes, 0) {
            Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => {}
            done => return done,
        }
        if !self.is_warned {
            self.is_warned = true;
            warn(format_args!(
                "`{}` was shortened: the agent makes it as long as before",
                self.path.display()
            ));
        }
        self.bytes.fill(0);
        self.file.set_len(self.bytes.len() as u64)?;
        self.write_header()
    }

    fn core(&self, core: usize, now_ns: u64) -> Core {
        let word = |at: usize| word_at(&self.bytes, HEADER + core * self.line + at);
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
        Core { running, waiting, queue_ns, arrivals: word(ARRIVALS), counts: None }
    }
}
