//! What a server's metrics may want to know; any thread may read at any time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::Error;

/// Why a policy did not take the place of the one held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedReload {
    /// The word of the refusal, or `unreadable`.
    pub name: &'static str,
    /// The same in a sentence, with the file.
    pub why: String,
}

/// What was counted since the first policy was opened; reloads go on counting.
#[derive(Debug, Default)]
pub struct Counters {
    outside: AtomicU64,
    refused_reloads: AtomicU64,
    last_refusal: Mutex<Option<RefusedReload>>,
}

impl Counters {
    /// Look-ups at a load that the policy was not compiled for, of a queue longer than its rows, or
    /// at a moment outside its epochs.
    pub fn outside(&self) -> u64 {
        self.outside.load(Ordering::Relaxed)
    }

    /// Policies that were to take the place of one held, and were refused or could not be read.
    pub fn refused_reloads(&self) -> u64 {
        self.refused_reloads.load(Ordering::Relaxed)
    }

    /// Why the last of them was.
    pub fn last_refusal(&self) -> Option<RefusedReload> {
        self.last_refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn count_outside(&self) {
        self.outside.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_refused(&self, why: &Error) {
        let refused = RefusedReload { name: why.name(), why: why.to_string() };
        *self.last_refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(refused);
        self.refused_reloads.fetch_add(1, Ordering::Relaxed);
    }
}
