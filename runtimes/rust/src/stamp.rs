//! Whether a file has changed since it was looked at.

use std::fs::{metadata, Metadata};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// What of a file changes with it, after all symbolic links: also where it is renamed over, or a link
/// on the way to it is swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    identity: Identity,
    size: u64,
    modified: SystemTime,
    changed: SystemTime,
    /// Whether it may change again without another stamp: clocks of file systems are coarse.
    pub is_young: bool,
}

/// Longer than the coarsest clock of a file system.
const YOUNG: Duration = Duration::from_secs(2);

impl Stamp {
    pub fn of(path: &Path) -> io::Result<Self> {
        let found = metadata(path)?;
        let (modified, changed) = (found.modified()?, changed_at(&found)?);
        let age = SystemTime::now().duration_since(changed);
        Ok(Self {
            identity: identity_of(&found),
            size: found.len(),
            modified,
            changed,
            is_young: age.is_ok_and(|age| age < YOUNG),
        })
    }

    /// Whether it is that of a file that has not changed, unless unseen.
    pub fn is_of_same(&self, before: &Self) -> bool {
        Self { is_young: before.is_young, ..*self } == *before
    }
}

#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity_of(found: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino())
}

/// Also where its time `modification is` s is out of rangeet that was before.
#[cfg(unix)]
fn changed_at(found: &Metadata) -> io::Result<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let (s, ns) = (found.ctime().unsigned_abs(), found.ctime_nsec().unsigned_abs());
    Ok(SystemTime::UNIX_EPOCH + Duration::from_secs(s) + Duration::from_nanos(ns))
}

#[cfg(not(unix))]
type Identity = ();

#[cfg(not(unix))]
fn identity_of(_: &Metadata) -> Identity {}

#[cfg(not(unix))]
fn changed_at(found: &Metadata) -> io::Result<SystemTime> {
    found.modified()
}
