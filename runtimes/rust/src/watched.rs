//! A policy that is opened again whenever its file changes.

use std::mem;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::options::{bytes_of, Options};
use crate::policy::Policy;
use crate::stamp::Stamp;

/// Default interval between checks of the file.
pub const INTERVAL: Duration = Duration::from_secs(1);

/// The policy in a file, and its successors. A clone is the same one.
#[derive(Clone, Debug)]
pub struct Watched {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    options: Options,
    current: ArcSwap<Policy>,
    seen: Mutex<Seen>,
}

type Sha256Bytes = [u8; 32];

/// What was in the file when it was looked at.
#[derive(Debug)]
struct Seen {
    /// None: it could not be looked at.
    stamp: Option<Stamp>,
    is_unreadable: bool,
    last_read: Sha256Bytes,
    /// Of the policy in force.
    held: Sha256Bytes,
}

/// Result of a check of the file.
#[derive(Debug)]
pub enum Change {
    /// The policy held is the one in the file, or what is there was refused before.
    Unchanged,
    /// Another policy is in force.
    Reloaded,
    /// What is there now is refused, or cannot be read; the policy held stays in force.
    Refused(Error),
}

/// The current policy at the time of the call. It stays valid as long as you keep the reference;
/// keep it for a request or a quantum, and get it again.
#[derive(Debug)]
pub struct Current(Guard<Arc<Policy>>);

impl Current {
    /// The same as a shared pointer, which may be kept, or passed to another thread.
    pub fn to_arc(&self) -> Arc<Policy> {
        Arc::clone(&self.0)
    }
}

impl Deref for Current {
    type Target = Policy;

    fn deref(&self) -> &Policy {
        &self.0
    }
}

impl Watched {
    /// Opens the policy in a file; each that follows must satisfy the same options, and not be older.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref().to_owned();
        // Before it is read, so that what changes meanwhile has another one.
        let stamp = Stamp::of(&path).ok();
        let bytes = bytes_of(&path)?;
        let policy = options.policy_in(&bytes, &path)?;
        let digest = Sha256::digest(&bytes).into();
        let seen =
            Mutex::new(Seen { stamp, is_unreadable: false, last_read: digest, held: digest });
        let current = ArcSwap::from_pointee(policy);
        Ok(Self { shared: Arc::new(Shared { path, options, current, seen }) })
    }

    /// The policy in force. Never blocks, from any thread; the first call of a thread allocates.
    #[inline]
    pub fn current(&self) -> Current {
        Current(self.shared.current.load())
    }

    /// Checks the file once, and returns the result. A change that is refused is counted once.
    pub fn check(&self) -> Change {
        let mut seen = self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match self.shared.successor(&mut seen) {
            Ok(None) => Change::Unchanged,
            Ok(Some(policy)) => {
                self.shared.current.store(Arc::new(policy));
                Change::Reloaded
            }
            Err(why) => {
                self.current().counters().count_refused(&why);
                Change::Refused(why)
            }
        }
    }

    /// Checks in a separate thread until the returned value is dropped.
    pub fn check_every(&self, interval: Duration) -> Result<Checking> {
        let (stop, stopped) = channel::<()>();
        let watched = self.clone();
        let check = move || {
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                watched.check();
            }
        };
        let thread = Builder::new().name("tailc-watch".to_owned()).spawn(check);
        let thread = thread.map_err(|why| Error::Io(self.shared.path.clone(), why))?;
        Ok(Checking { stop: Some(stop), thread: Some(thread) })
    }
}

impl Shared {
    /// The policy that replaces the current one; none if the policy has not changed.
    fn successor(&self, seen: &mut Seen) -> Result<Option<Policy>> {
        let Some(bytes) = self.other_bytes(seen)? else { return Ok(None) };
        let options = self.options.clone().replacing(&self.current.load());
        let policy = options.policy_in(&bytes, &self.path)?;
        seen.held = seen.last_read;
        Ok(Some(policy))
    }

    /// What the file has now; none: that is known. What cannot be read is an error once, and tried
    /// again at every look.
    fn other_bytes(&self, seen: &mut Seen) -> Result<Option<Vec<u8>>> {
        let before = seen.stamp.take();
        let was_unreadable = mem::replace(&mut seen.is_unreadable, true);
        let stamp = match Stamp::of(&self.path) {
            Err(_) if was_unreadable && before.is_none() => return Ok(None),
            found => found.map_err(|why| Error::Io(self.path.clone(), why))?,
        };
        seen.stamp = Some(stamp);
        let is_touched = before.is_none_or(|before| !stamp.is_of_same(&before));
        if !is_touched && !was_unreadable && before.is_some_and(|before| !before.is_young) {
            seen.is_unreadable = false;
            return Ok(None);
        }
        let bytes = match bytes_of(&self.path) {
            Err(_) if was_unreadable && !is_touched => return Ok(None),
            read => read?,
        };
        seen.is_unreadable = false;
        let digest: Sha256Bytes = Sha256::digest(&bytes).into();
        let is_known = digest == seen.held || !is_touched && digest == seen.last_read;
        seen.last_read = digest;
        Ok((!is_known).then_some(bytes))
    }
}

/// A thread that checks; dropping this stops it, and waits for a check that is under way.
#[derive(Debug)]
#[must_use = "the thread stops when this is dropped"]
pub struct Checking {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Checking {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has already printed a message.
            let _ = thread.join();
        }
    }
}
