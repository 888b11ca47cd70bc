//! A child that restores the machine when the agent dies, even by SIGKILL.
//!
//! It holds the end of a pipe, which closes with the agent. An agent that ends well has restored
//! everything, and the undo file is empty.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::fault::{warn, Exit, Fault};
use crate::filter::Filter;
use crate::machine::Tree;
use crate::os::{leave_session, set_name, Child};
use crate::undo::{check_restored, UndoFile};

/// The running watchdog; it ends after this process.
#[derive(Debug)]
pub struct Watchdog {
    root: PathBuf,
    state: PathBuf,
    filter: Filter,
    child: Child,
}

impl Watchdog {
    /// A copy of this process, with a filter of system calls, before any thread starts.
    pub fn start(root: &Path, state: &Path, filter: Filter) -> Result<Self, Fault> {
        let child = child(root, state, filter).map_err(|why| {
            let what = format!("no watchdog can start: {why}");
            Fault::new(Exit::MissingPart, what, "permit this user more processes, or more memory")
        })?;
        Ok(Self { root: root.to_owned(), state: state.to_owned(), filter, child })
    }

    /// Starts another child if this one was killed, such as for lack of memory.
    pub fn replace_ended(&mut self) {
        if !self.child.is_ended() {
            return;
        }
        match child(&self.root, &self.state, self.filter) {
            Ok(child) => {
                warn("the watchdog was killed; another one has started");
                self.child = child;
            }
            Err(why) => warn(format_args!("the watchdog was killed, and none can start: {why}")),
        }
    }

    /// After everything is restored: closes the pipe, and waits for the child.
    pub fn end(self) {
        // A child that was killed has nothing to do any more.
        let _ = self.child.end();
    }
}

fn child(root: &Path, state: &Path, filter: Filter) -> io::Result<Child> {
    Child::start(|| {
        set_name(c"tailc-watchdog");
        // The agent prints the warning where there is no filter.
        let _ = filter.install();
        match watch(root, state) {
            Ok(()) => 0,
            Err(why) => {
                warn(&why);
                why.exit as u8
            }
        }
    })
}

/// The child: waits for the end of the pipe, and restores what the agent has not.
fn watch(root: &Path, state: &Path) -> Result<(), Fault> {
    leave_session();
    let mut rest = Vec::new();
    // An error of the pipe is its end, too.
    let _ = io::stdin().read_to_end(&mut rest);
    match restore(root, state) {
        // The next agent has begun, and so has restored everything.
        Err(why) if why.exit == Exit::Busy => Ok(()),
        done => done,
    }
}

/// Restores what an agent has left; an error if that fails, or if an agent still runs.
pub fn restore(root: &Path, state: &Path) -> Result<(), Fault> {
    if !state.exists() {
        return Ok(());
    }
    let mut undo = UndoFile::wait(state)?;
    check_restored(&undo.restore(&mut Tree::new(root)), state)
}
