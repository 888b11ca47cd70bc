//! What all measurements of the machine do: change it, measure, and restore it.

use std::io;
use std::path::PathBuf;

use crate::arguments::Place;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::machine::{Machine, Tree};
use crate::setting::Setting;
use crate::undo::{warn_all, UndoFile, Writer};
use crate::watchdog::Watchdog;

/// Options of a measurement.
#[derive(Debug)]
pub struct Bench {
    /// Where.
    pub place: Place,
    /// What is measured.
    pub subject: Subject,
    /// The CPU that is measured.
    pub cpu: usize,
    /// How often.
    pub repeat: u64,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A change of frequency.
    Clock,
    /// How long batch work in this group runs on after it is stopped.
    Release(String),
}

/// A machine that may be changed for a measurement.
pub struct Changed {
    tree: Tree,
    writer: Writer<Tree>,
    watchdog: Watchdog,
    root: PathBuf,
}

impl Changed {
    /// With a watchdog, as for a policy.
    pub fn begin(place: &Place) -> Result<Self, Fault> {
        let (root, state) = (place.root.clone(), place.undo_file());
        let mut undo = UndoFile::lock(&state)?;
        let mut tree = Tree::new(&root);
        warn_all(&undo.restore(&mut tree));
        let watchdog = Watchdog::start(&root, &state, Filter::default())?;
        Ok(Self { tree, writer: Writer::new(Tree::new(&root), Some(undo)), watchdog, root })
    }

    /// The machine, to read it.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Writes a setting.
    pub fn apply(&mut self, setting: &Setting) -> Result<(), Fault> {
        let unwritable = |why: io::Error| Fault::unwritable(&self.root.join(&setting.path), &why);
        self.writer.apply(setting).map_err(unwritable)
    }

    /// Writes a setting that needs no restoring: the group of a process that ends.
    pub fn place(&mut self, setting: &Setting) -> Result<(), Fault> {
        let unwritable = |why: io::Error| Fault::unwritable(&self.root.join(&setting.path), &why);
        self.tree.write(setting).map_err(unwritable)
    }

    /// Restores everything.
    pub fn end(mut self) {
        warn_all(&self.writer.restore(&mut self.tree));
        // The watchdog takes the lock of the undo file before it ends.
        drop(self.writer);
        self.watchdog.end();
    }
}
