//! Demands of a server's requests as a trace that tailc reads.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::schedule::RequestTimes;

const HEADER: &str = "demand_us,weight\n";
const CLASS_HEADER: &str = "demand_us,weight,class\n";
const TIMED_HEADER: &str =
    "demand_us,weight,class,arrival_us,wait_us,run_us,thread_us,granted_us,late_us\n";
/// So many bytes are written at once.
const BUFFER_BYTES: usize = 64 << 10;

/// A CSV file with every n-th demand, and the number of requests that each represents. Any number
/// of threads may record at once; most requests are only counted. Dropping it writes what is left.
#[derive(Debug)]
pub struct DemandLog {
    path: PathBuf,
    one_in: u64,
    has_classes: bool,
    has_times: bool,
    requests: AtomicU64,
    file: Mutex<BufWriter<File>>,
}

impl DemandLog {
    /// Writes every `one_in`-th demand. An existing file with the same columns is continued; one
    /// with other columns is an invalid argument.
    pub fn open(path: impl AsRef<Path>, one_in: u64) -> Result<Self> {
        Self::with_header(path.as_ref(), one_in, HEADER)
    }

    /// The same with a class for each demand.
    pub fn open_with_classes(path: impl AsRef<Path>, one_in: u64) -> Result<Self> {
        Self::with_header(path.as_ref(), one_in, CLASS_HEADER)
    }

    /// The same with a class, which may be empty, and the times of each request, for a scheduler.
    pub fn open_with_times(path: impl AsRef<Path>, one_in: u64) -> Result<Self> {
        Self::with_header(path.as_ref(), one_in, TIMED_HEADER)
    }

    /// One more request is done, which executed for so long; less than a microsecond counts as one,
    /// since a trace has no demand of 0. If the file cannot be written, recorded demands stay in
    /// memory, up to its limit.
    pub fn record(&self, demand_us: u64) -> Result<()> {
        self.record_row(demand_us, None, None)
    }

    /// The same for a request of a class.
    pub fn record_class(&self, demand_us: u64, class: &str) -> Result<()> {
        self.record_row(demand_us, Some(class), None)
    }

    /// The same in a log with times.
    pub fn record_times(&self, demand_us: u64, class: &str, times: &RequestTimes) -> Result<()> {
        self.record_row(demand_us, Some(class), Some(times))
    }

    /// The same with as much of the request as the log has.
    #[cfg(feature = "threads")]
    pub(crate) fn record_any(
        &self,
        demand_us: u64,
        class: &str,
        times: &RequestTimes,
    ) -> Result<()> {
        let class = self.has_classes.then_some(class);
        self.record_row(demand_us, class, self.has_times.then_some(times))
    }

    /// Writes what was recorded to the file.
    pub fn flush(&self) -> Result<()> {
        self.told(self.file().flush())
    }

    fn record_row(
        &self,
        demand_us: u64,
        class: Option<&str>,
        times: Option<&RequestTimes>,
    ) -> Result<()> {
        if class.is_some() != self.has_classes || times.is_some() != self.has_times {
            let why = "a demand must have a class and times if the log has them";
            return Err(Error::InvalidArgument(why));
        }
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        if !number.is_multiple_of(self.one_in) {
            return Ok(());
        }
        let mut row = format!("{},{}", demand_us.max(1), self.one_in);
        if let Some(class) = class {
            row.push(',');
            push_quoted(&mut row, class);
        }
        if let Some(times) = times {
            for time_us in times.in_order() {
                // Writing to a string does not fail.
                let _ = write!(row, ",{time_us}");
            }
        }
        row.push('\n');
        self.told(self.file().write_all(row.as_bytes()))
    }

    fn with_header(path: &Path, one_in: u64, header: &'static str) -> Result<Self> {
        if one_in == 0 {
            return Err(Error::InvalidArgument(
                "one demand in N is written, so N must be at least 1",
            ));
        }
        let io_error = |why| Error::Io(path.to_owned(), why);
        let opened = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = opened.map_err(io_error)?;
        if file.metadata().map_err(io_error)?.len() == 0 {
            file.write_all(header.as_bytes()).map_err(io_error)?;
        } else if !goes_on(&mut file, header).map_err(io_error)? {
            let why = "the file exists, but has other columns or an incomplete line";
            return Err(Error::InvalidArgument(why));
        }
        Ok(Self {
            path: path.to_owned(),
            one_in,
            has_classes: header != HEADER,
            has_times: header == TIMED_HEADER,
            requests: AtomicU64::new(0),
            file: Mutex::new(BufWriter::with_capacity(BUFFER_BYTES, file)),
        })
    }

    fn file(&self) -> MutexGuard<'_, BufWriter<File>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn told(&self, done: io::Result<()>) -> Result<()> {
        done.map_err(|why| Error::Io(self.path.clone(), why))
    }
}

/// Whether a file begins with a header, and ends with a line.
fn goes_on(file: &mut File, header: &str) -> io::Result<bool> {
    let mut first = Vec::new();
    file.take(header.len() as u64).read_to_end(&mut first)?;
    if first != header.as_bytes() {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// As RFC 4180 quotes a field.
fn push_quoted(row: &mut String, field: &str) {
    if field.contains([',', '"', '\n', '\r']) {
        // Writing to a string does not fail.
        let _ = write!(row, "\"{}\"", field.replace('"', "\"\""));
    } else {
        row.push_str(field);
    }
}
