//! Reads and writes of a machine: the files of its kernel below a root folder.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::fault::{warn, Exit, Fault};
use crate::os;
use crate::setting::Setting;

/// A folder that the kernel does not have: `affinity/ID` is the list of CPUs of a thread. A copy of a
/// machine has it as files.
pub const AFFINITY: &str = "affinity";
/// What is read of a thread has its start time behind the CPUs, such as `0,1 since 4711`: another
/// thread with its id does not get its CPUs.
const SINCE: &str = " since ";

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
    /// Others write now, so what is known of open files may not hold any more.
    fn close(&mut self) {}
}

/// The files of a real machine (root `/`), or of a copy of such a tree.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    /// Files that were written stay open: opening costs more than writing.
    open: HashMap<PathBuf, Opened>,
    /// Threads that were moved, and when they started.
    moved: HashMap<PathBuf, u64>,
}

/// A file, and the length of the text that was written last.
#[derive(Debug)]
struct Opened {
    file: File,
    length: usize,
}

impl Opened {
    fn write(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all_at(text.as_bytes(), 0)?;
        // A copy may have had a longer text; a file of the kernel has no length.
        if text.len() < self.length {
            let _ = self.file.set_len(text.len() as u64);
        }
        self.length = text.len();
        Ok(())
    }
}

impl Tree {
    /// The tree below a folder.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), open: HashMap::new(), moved: HashMap::new() }
    }

    /// The whole path of a file.
    pub fn path_of(&self, path: &Path) -> PathBuf {
        self.root.join(path)
    }

    /// The thread of a path below `AFFINITY`, on a real machine.
    fn thread_of(&self, path: &Path) -> Option<u32> {
        thread_in(path).filter(|_| self.root == Path::new("/"))
    }

    fn move_thread(&mut self, thread: u32, setting: &Setting) -> io::Result<()> {
        let since = thread_start(thread)?;
        let (cpus, wanted) = match setting.value.split_once(SINCE) {
            Some((cpus, start)) => (cpus, start.parse().ok()),
            None => (setting.value.as_str(), Some(since)),
        };
        if wanted != Some(since) {
            return Err(io::ErrorKind::NotFound.into());
        }
        os::set_affinity(thread, cpus)?;
        self.moved.insert(setting.path.clone(), since);
        Ok(())
    }

    /// Files of the kernel are never created.
    fn write_file(&mut self, path: &Path, text: &str) -> io::Result<()> {
        if let Some(opened) = self.open.get_mut(path) {
            return opened.write(text);
        }
        let file = File::options().write(true).open(self.path_of(path))?;
        let mut opened = Opened { file, length: usize::MAX };
        opened.write(text)?;
        self.open.insert(path.to_owned(), opened);
        Ok(())
    }
}

impl Machine for Tree {
    fn read(&self, path: &Path) -> io::Result<String> {
        if let Some(thread) = self.thread_of(path) {
            return Ok(format!("{}{SINCE}{}", os::affinity(thread)?, thread_start(thread)?));
        }
        Ok(fs::read_to_string(self.path_of(path))?.trim().to_owned())
    }

    fn write(&mut self, setting: &Setting) -> io::Result<()> {
        if let Some(thread) = self.thread_of(&setting.path) {
            return self.move_thread(thread, setting);
        }
        let text = format!("{}\n", setting.value);
        self.write_file(&setting.path, &text).map_err(|why| {
            self.open.remove(&setting.path);
            // The group or the CPU has ended while its file was open.
            let is_gone = why.raw_os_error() == Some(libc::ENODEV);
            if is_gone {
                io::ErrorKind::NotFound.into()
            } else {
                why
            }
        })
    }

    fn ended(&mut self) -> Vec<PathBuf> {
        let id = |about: fs::Metadata| (about.dev(), about.ino());
        let root = &self.root;
        let is_ended = |path: &Path, opened: &Opened| {
            let (open, now) =
                (opened.file.metadata().map(id), fs::metadata(root.join(path)).map(id));
            open.ok() != now.ok()
        };
        let files = self.open.extract_if(|path, file| is_ended(path, file)).map(|(path, _)| path);
        let mut ended: Vec<PathBuf> = files.collect();
        let start = |path: &Path| thread_start(thread_in(path)?).ok();
        let threads = self.moved.extract_if(|path, since| start(path) != Some(*since));
        ended.extend(threads.map(|(path, _)| path));
        ended
    }

    fn close(&mut self) {
        self.open.clear();
    }
}

/// The thread of a path below `AFFINITY`. The kernel's ids are positive and signed.
fn thread_in(path: &Path) -> Option<u32> {
    let name = path.strip_prefix(AFFINITY).ok()?;
    name.to_str()?.parse().ok().filter(|id| *id <= i32::MAX as u32)
}

/// When a thread started, in ticks since the machine started.
fn thread_start(thread: u32) -> io::Result<u64> {
    // Field 22 of proc(5); the second one is a name, which may have blanks and brackets.
    const AFTER_NAME: usize = 19;
    // One that ends while its file is read gives another error than one that has ended.
    let text = fs::read_to_string(format!("/proc/{thread}/stat"))
        .map_err(|_| io::Error::from(io::ErrorKind::NotFound))?;
    let start = text.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(AFTER_NAME));
    start.and_then(|start| start.parse().ok()).ok_or_else(|| io::ErrorKind::InvalidData.into())
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
        if let Err(why) = io::stdout().write_all(line.as_bytes()) {
            // A dry run has nothing to restore. That its reader has gone is no error.
            if why.kind() == io::ErrorKind::BrokenPipe {
                std::process::exit(0);
            }
            warn(Fault::unwritable(Path::new("standard output"), &why));
            std::process::exit(Exit::CannotWrite as i32);
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

    #[test]
    fn a_thread_whose_id_another_one_has_now_is_gone() {
        let id = std::process::id();
        let path = Path::new(AFFINITY).join(id.to_string());
        let mut tree = Tree::new("/");
        let own = tree.read(&path).unwrap();
        tree.write(&Setting::new(&path, &own)).unwrap();
        assert_eq!(tree.ended(), Vec::<PathBuf>::new());
        let (cpus, since) = own.split_once(SINCE).unwrap();
        let since: u64 = since.parse().unwrap();
        let earlier = Setting::new(&path, format!("{cpus}{SINCE}{}", since - 1));
        assert_eq!(tree.write(&earlier).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(tree.read(&path).unwrap(), own);
        tree.moved.insert(path.clone(), since - 1);
        assert_eq!(tree.ended(), [path]);
    }
}
