//! The journal of decisions: a CSV file, flushed after every decision.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::fault::{warn, Fault};

/// A file, or nothing.
#[derive(Debug)]
pub struct Journal(Option<(PathBuf, File)>);

impl Journal {
    /// Replaces the file by one with these columns.
    pub fn create(path: Option<&Path>, columns: &str) -> Result<Self, Fault> {
        let Some(path) = path else { return Ok(Self(None)) };
        let file = File::create(path).map_err(|why| Fault::unwritable(path, &why))?;
        let mut journal = Self(Some((path.to_owned(), file)));
        journal.write(&format!("{columns}\n"))?;
        Ok(journal)
    }

    /// Adds whole lines. If that fails, a warning says so, and the journal ends: limits matter more.
    pub fn add(&mut self, lines: &str) {
        if let Err(why) = self.write(lines) {
            warn(format_args!("the journal ends here\n{why}"));
            self.0 = None;
        }
    }

    fn write(&mut self, lines: &str) -> Result<(), Fault> {
        let Some((path, file)) = &mut self.0 else { return Ok(()) };
        file.write_all(lines.as_bytes()).map_err(|why| Fault::unwritable(path, &why))
    }
}
