//! Reads and writes of a machine: the files of its kernel below a root folder.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::setting::Setting;

/// Files below a root; all paths are relative to it.
pub trait Machine {
    /// The text of a file, without white space at its ends.
    fn read(&self, path: &Path) -> io::Result<String>;
    /// Writes a file that exists.
    fn write(&mut self, setting: &Setting) -> io::Result<()>;
}

/// The files of a real machine (root `/`), or of a copy of such a tree.
#[derive(Clone, Debug)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// The tree below a folder.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The whole path of a file.
    pub fn path_of(&self, path: &Path) -> PathBuf {
        self.root.join(path)
    }
}

impl Machine for Tree {
    fn read(&self, path: &Path) -> io::Result<String> {
        Ok(fs::read_to_string(self.path_of(path))?.trim().to_owned())
    }

    fn write(&mut self, setting: &Setting) -> io::Result<()> {
        // Files of the kernel are never created; a copy is truncated, as the kernel's are.
        let mut file =
            fs::File::options().write(true).truncate(true).open(self.path_of(&setting.path))?;
        file.write_all(format!("{}\n", setting.value).as_bytes())
    }
}

/// A machine that is only read; writes are printed, and read again as if they had happened.
#[derive(Debug)]
pub struct DryRun {
    tree: Tree,
    written: HashMap<PathBuf, String>,
}

impl DryRun {
    /// On top of a tree, which stays as it is.
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
            // Nobody reads the rest, and a dry run has nothing to restore.
            std::process::exit(0);
        }
        self.written.insert(setting.path.clone(), setting.value.clone());
        Ok(())
    }
}
