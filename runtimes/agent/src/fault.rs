//! What ends the agent: a sentence, how to mend it, and the exit code.

use std::io::{self, Write};
use std::path::Path;
use std::{fmt, fs};

/// Exit codes, as in `sysexits.h` and `docs/exit-codes.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The policy is damaged or not trusted.
    Integrity = 5,
    /// The command line is wrong.
    Usage = 64,
    /// The content of a file is wrong.
    BadContent = 65,
    /// A file cannot be read.
    CannotRead = 66,
    /// The machine lacks what the policy needs.
    MissingPart = 69,
    /// A file cannot be written.
    CannotWrite = 73,
    /// Another agent acts on this machine.
    Busy = 75,
}

/// An error for people.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The exit code of the program.
    pub exit: Exit,
    what: String,
    help: String,
}

impl Fault {
    /// `what` is wrong, in lower case; `help` mends it.
    pub fn new(exit: Exit, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { exit, what: what.into(), help: help.into() }
    }

    /// A file that cannot be read.
    pub fn unreadable(path: &Path, why: &io::Error) -> Self {
        let what = format!("`{}` cannot be read: {why}", path.display());
        Self::new(Exit::CannotRead, what, "check the path and its permissions")
    }

    /// The text of a regular file: a pipe could wait without end, and a device could have none.
    pub fn text_of(path: &Path) -> Result<String, Self> {
        let unreadable = |why: io::Error| match why.kind() {
            io::ErrorKind::InvalidData => {
                let what = format!("`{}` is no text in UTF-8", path.display());
                Self::new(Exit::BadContent, what, "give a text file")
            }
            _ => Self::unreadable(path, &why),
        };
        let about = fs::metadata(path).map_err(unreadable)?;
        if !about.is_file() {
            return Err(unreadable(io::Error::other("it is no regular file")));
        }
        fs::read_to_string(path).map_err(unreadable)
    }

    /// A file that cannot be written.
    pub fn unwritable(path: &Path, why: &io::Error) -> Self {
        let what = format!("`{}` cannot be written: {why}", path.display());
        let help = match why.kind() {
            io::ErrorKind::PermissionDenied => {
                "run the agent as root, or as the owner of the file, such as of a delegated cgroup"
            }
            io::ErrorKind::NotFound => "create its folder, or give another path",
            _ => "check the file, and whether the kernel or the file system takes what is written",
        };
        Self::new(Exit::CannotWrite, what, help)
    }
}

/// Prints a warning. An agent whose standard error is closed goes on.
pub fn warn(what: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "warning: {what}");
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "error: {}\n  = help: {}", self.what, self.help)
    }
}
