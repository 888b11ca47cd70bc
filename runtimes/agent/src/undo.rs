//! A machine whose files are restored: the value before the first write of each is in a file.
//!
//! The record is on disk before the write, so that after a crash the watchdog, `tailc-agent undo` or
//! the next agent can restore everything.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::fault::{warn, Exit, Fault};
use crate::machine::{Machine, Tree, AFFINITY};
use crate::os::user;
use crate::setting::Setting;

/// An agent that has been killed holds the file for less than that.
const PATIENCE: Duration = Duration::from_secs(2);

/// The file of values to restore. Its lock is that of the machine: one agent at a time.
#[derive(Debug)]
pub struct UndoFile {
    path: PathBuf,
    file: File,
}

impl UndoFile {
    /// Creates it, or opens what a crashed agent left; fails at once if another agent holds it.
    pub fn lock(path: &Path) -> Result<Self, Fault> {
        let file = opened(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), file }),
            Err(TryLockError::WouldBlock) => {
                let what = format!("another agent holds `{}`", path.display());
                let help = "stop that agent, or give each agent its own machines and `--state`";
                Err(Fault::new(Exit::Busy, what, help))
            }
            Err(TryLockError::Error(why)) => Err(Fault::unwritable(path, &why)),
        }
    }

    /// The same, but waits for the end of a process that is about to end.
    pub fn wait(path: &Path) -> Result<Self, Fault> {
        const PAUSE: Duration = Duration::from_millis(5);
        let end = Instant::now() + PATIENCE;
        loop {
            match Self::lock(path) {
                Err(why) if why.exit == Exit::Busy && Instant::now() < end => thread::sleep(PAUSE),
                done => return done,
            }
        }
    }

    fn record(&mut self, before: &Setting) -> io::Result<()> {
        let line = format!("{}\t{}\n", before.path.display(), before.value);
        self.file.write_all(line.as_bytes())
    }

    /// Restores all values, the last written first. Returns the failures, which alone stay in the file.
    pub fn restore(&mut self, tree: &mut Tree) -> Vec<String> {
        let text = match self.text() {
            Ok(text) => text,
            Err(why) => return vec![format!("{}: {why}", self.path.display())],
        };
        let records = text.split_inclusive('\n').filter_map(recorded);
        let mut left: Vec<Setting> = records.rev().collect();
        let sys = tree.path_of(Path::new("sys"));
        if !left.is_empty() && !sys.is_dir() && !tree.path_of(Path::new(AFFINITY)).is_dir() {
            // Below another root all files are gone, and their values would be, too.
            return vec![format!("`--root` is of no machine: there is no `{}`", sys.display())];
        }
        // A quota may fit only after the period behind it: try again while that helps.
        loop {
            let before = left.len();
            let mut failed = Vec::new();
            left.retain(|setting| match restore_one(tree, setting) {
                Ok(()) => false,
                Err(why) => {
                    failed.push(format!("{}: {why}", setting.path.display()));
                    true
                }
            });
            if left.is_empty() || left.len() == before {
                if let Err(why) = self.replace(left.iter().rev()) {
                    failed.push(format!("{}: {why}", self.path.display()));
                }
                return failed;
            }
        }
    }

    fn text(&mut self) -> io::Result<String> {
        let mut text = String::new();
        self.file.rewind()?;
        self.file.read_to_string(&mut text)?;
        Ok(text)
    }

    fn replace<'a>(&mut self, mut records: impl Iterator<Item = &'a Setting>) -> io::Result<()> {
        self.file.set_len(0)?;
        records.try_for_each(|record| self.record(record))
    }
}

fn opened(path: &Path) -> Result<File, Fault> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|why| Fault::unwritable(folder, &why))?;
    }
    let mut options = File::options();
    options.read(true).append(true).create(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    let file = options.open(path).map_err(|why| Fault::unwritable(path, &why))?;
    let about = file.metadata().map_err(|why| Fault::unreadable(path, &why))?;
    let is_writable_by_others = about.mode() & 0o022 != 0;
    if !about.is_file() || about.uid() != user() || about.nlink() != 1 || is_writable_by_others {
        let what = format!("`{}` is not a file that only this user can write", path.display());
        let help = "its values are written to the machine: give `--state` in a folder of this user";
        return Err(Fault::new(Exit::CannotWrite, what, help));
    }
    Ok(file)
}

/// A record that a crash or a full disk has cut off has no end of line, and its write did not happen.
fn recorded(line: &str) -> Option<Setting> {
    let (path, value) = line.strip_suffix('\n')?.split_once('\t')?;
    Some(Setting::new(path, value))
}

/// Prints what could not be restored.
pub fn warn_all(failures: &[String]) {
    for failure in failures {
        warn(format_args!("not restored: {failure}"));
    }
}

/// Prints what could not be restored, which is an error.
pub fn check_restored(failures: &[String], state: &Path) -> Result<(), Fault> {
    if failures.is_empty() {
        return Ok(());
    }
    warn_all(failures);
    let (count, state) = (failures.len(), state.display());
    let what = format!("{count} files of the machine are not restored; `{state}` has their values");
    Err(Fault::new(Exit::CannotWrite, what, "mend the reasons above, then run `tailc-agent undo`"))
}

fn restore_one(tree: &mut Tree, setting: &Setting) -> io::Result<()> {
    match tree.write(setting) {
        // A cgroup, CPU or thread that is gone has no limit.
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Applies settings, each only if it changes the file; remembers what was there before.
#[derive(Debug)]
pub struct Writer<M> {
    machine: M,
    undo: Option<UndoFile>,
    last: HashMap<PathBuf, String>,
    /// Writes that changed a file.
    pub writes: u64,
}

impl<M: Machine> Writer<M> {
    /// Without an undo file nothing is restored: for a dry run.
    pub fn new(machine: M, undo: Option<UndoFile>) -> Self {
        Self { machine, undo, last: HashMap::new(), writes: 0 }
    }

    /// Writes one setting, unless it is there already. A file that is gone is an error of kind
    /// `NotFound`.
    pub fn apply(&mut self, setting: &Setting) -> io::Result<()> {
        match self.last.get(&setting.path) {
            Some(value) if *value == setting.value => return Ok(()),
            Some(_) => {}
            None => self.remember(setting)?,
        }
        if let Err(why) = self.machine.write(setting) {
            self.last.remove(&setting.path);
            return Err(why);
        }
        self.writes += 1;
        match self.last.get_mut(&setting.path) {
            Some(value) => value.clone_from(&setting.value),
            None => {
                self.last.insert(setting.path.clone(), setting.value.clone());
            }
        }
        Ok(())
    }

    /// Forgets what was written to files that are gone now, so that it is written again if they are back.
    pub fn forget_ended(&mut self) {
        for path in self.machine.ended() {
            self.last.remove(&path);
        }
    }

    fn remember(&mut self, setting: &Setting) -> io::Result<()> {
        let before = restorable(self.machine.read(&setting.path)?);
        match (&mut self.undo, before) {
            (Some(undo), Some(value)) => undo.record(&Setting::new(&setting.path, value)),
            _ => Ok(()),
        }
    }

    /// Restores all files, and forgets what was written; returns the failures, with reasons.
    pub fn restore(&mut self, tree: &mut Tree) -> Vec<String> {
        self.last.clear();
        self.machine.close();
        self.undo.as_mut().map_or_else(Vec::new, |undo| undo.restore(tree))
    }
}

/// What to write to have the value again; none: the kernel sets it with another file.
fn restorable(value: String) -> Option<String> {
    match value.as_str() {
        "<unsupported>" => None,
        "FREEZING" => Some("FROZEN".to_owned()),
        _ => Some(value),
    }
}
