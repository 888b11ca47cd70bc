//! A child that restores the machine when the agent dies, even by SIGKILL.
//!
//! It holds the end of a pipe, which closes with the agent. An agent that ends well has restored
//! everything, and the undo file is empty.

use std::env;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::fault::{warn, Exit, Fault};
use crate::machine::Tree;
use crate::os::{leave_session, Signals};
use crate::undo::{check_restored, UndoFile};

/// The word of the command line that starts it.
pub const WORD: &str = "watchdog";

/// The running watchdog; it ends after this process.
#[derive(Debug)]
pub struct Watchdog {
    command: Command,
    child: Child,
}

impl Watchdog {
    /// The same program, with the pipe as its standard input.
    pub fn start(root: &Path, state: &Path) -> Result<Self, Fault> {
        let program =
            env::current_exe().map_err(|why| Fault::unreadable(Path::new("self"), &why))?;
        let mut command = Command::new(&program);
        command
            .arg(WORD)
            .args([Path::new("--root"), root, Path::new("--state"), state])
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        let child = command.spawn().map_err(|why| Fault::unreadable(&program, &why))?;
        Ok(Self { command, child })
    }

    /// Starts another child if this one was killed, such as for lack of memory.
    pub fn replace_ended(&mut self) {
        if !self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
            return;
        }
        match self.command.spawn() {
            Ok(child) => {
                warn("the watchdog was killed; another one has started");
                self.child = child;
            }
            Err(why) => warn(format_args!("the watchdog was killed, and none can start: {why}")),
        }
    }

    /// After everything is restored: closes the pipe, and waits for the child.
    pub fn end(mut self) {
        drop(self.child.stdin.take());
        // A child that was killed has nothing to do any more.
        let _ = self.child.wait();
    }
}

/// The child: waits for the end of the pipe, and restores what the agent has not.
pub fn watch(root: &Path, state: &Path) -> Result<(), Fault> {
    leave_session();
    let _blocked = Signals::block();
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
