//! Reads and writes of a machine: the files of its kernel below a root folder.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::os;
use crate::setting::Setting;

/// A folder that the kernel does not have: `affinity/ID` is the list of CPUs of a thread. A copy of a
/// machine has it as files.
pub const AFFINITY: &str = "affinity";

/// Files below a root; all paths are relative to it.
pub trait Machine {
    /// The text of a file, without white space at its ends.
    fn read(&self, path: &Path) -> io::Result<String>;
    /// Writes a file that exists.
    fn write(&mut self, setting: &Setting) -> io::Result<()>;
    /// Files that were written and are gone now, even if others have their paths: a group that ended,
    /// and began again.
    fn ended(&mut self) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// The files of a real machine (root `/`), or of a copy of such a tree.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    /// Files that were written stay open: opening costs more than writing.
    open: HashMap<PathBuf, File>,
}

impl Tree {
    /// The tree below a folder.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), open: HashMap::new() }
    }

    /// The whole path of a file.
    pub fn path_of(&self, path: &Path) -> PathBuf {
        self.root.join(path)
    }

    /// The thread of a path below `AFFINITY`, on a real machine.
    fn thread_of(&self, path: &Path) -> Option<u32> {
        let name = path.strip_prefix(AFFINITY).ok()?;
        if self.root != Path::new("/") {
            return None;
        }
        // The kernel's ids are positive and signed.
        name.to_str()?.parse().ok().filter(|id| *id <= i32::MAX as u32)
    }

    /// Files of the kernel are never created.
    fn file(&mut self, path: &Path) -> io::Result<&File> {
        if !self.open.contains_key(path) {
            let file = File::options().write(true).open(self.path_of(path))?;
            self.open.insert(path.to_owned(), file);
        }
        Ok(&self.open[path])
    }
}

impl Machine for Tree {
    fn read(&self, path: &Path) -> io::Result<String> {
        if let Some(thread) = self.thread_of(path) {
            return os::affinity(thread);
        }
        Ok(fs::read_to_string(self.path_of(path))?.trim().to_owned())
    }

    fn write(&mut self, setting: &Setting) -> io::Result<()> {
        if let Some(thread) = self.thread_of(&setting.path) {
            return os::set_affinity(thread, &setting.value);
        }
        let text = format!("{}\n", setting.value);
        let written = self.file(&setting.path)?.write_all_at(text.as_bytes(), 0);
        if let Err(why) = written {
            self.open.remove(&setting.path);
            // The group or the CPU has ended while its file was open.
            let is_gone = why.raw_os_error() == Some(libc::ENODEV);
            return Err(if is_gone { io::ErrorKind::NotFound.into() } else { why });
        }
        // A copy may have had a longer text; a file of the kernel has no length.
        let _ = self.file(&setting.path)?.set_len(text.len() as u64);
        Ok(())
    }

    fn ended(&mut self) -> Vec<PathBuf> {
        let id = |about: fs::Metadata| (about.dev(), about.ino());
        let root = &self.root;
        let is_ended = |path: &Path, file: &mut File| {
            let (open, now) = (file.metadata().map(id), fs::metadata(root.join(path)).map(id));
            open.ok() != now.ok()
        };
        self.open.extract_if(|path, file| is_ended(path, file)).map(|(path, _)| path).collect()
    }
}

/// A machine that is only read; writes are printed, and read again as if they had happened.
#[derive(Debug)]
pub struct DryRun {
    tree: Tree,
    written: HashMap<PathBuf, String>,
}

impl DryRun {
    /// A dry run on a tree, which does not change.
    pub fn new(tree: Tree) -> Self {
        Self { tree, written: HashMap::new() }
    }
}

impl Machine for DryRun {
    fn read(&self, path: &Path) -> io::Result<String> {
        match self.written.get(path) {
            Some(value) => Ok(value.clone()),
            None => self.tree.read(path),
        }
    }

    fn write(&mut self, setting: &Setting) -> io::Result<()> {
        self.tree.read(&setting.path)?;
        let line = format!("would write /{}: {}\n", setting.path.display(), setting.value);
        if io::stdout().write_all(line.as_bytes()).is_err() {
            // The reader is gone, and a dry run has nothing to restore.
            std::process::exit(0);
        }
        self.written.insert(setting.path.clone(), setting.value.clone());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_cannot_be_is_one_that_is_gone() {
        let mut tree = Tree::new("/");
        for id in [1 << 31, u64::from(u32::MAX), u64::MAX] {
            let path = Path::new(AFFINITY).join(id.to_string());
            let read = tree.read(&path).map_err(|why| why.kind());
            assert_eq!(read, Err(io::ErrorKind::NotFound), "{id}");
            let written = tree.write(&Setting::new(path, 0)).map_err(|why| why.kind());
            assert_eq!(written, Err(io::ErrorKind::NotFound), "{id}");
        }
    }
}
