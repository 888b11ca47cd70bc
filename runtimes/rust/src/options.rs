//! From a path to a policy in memory: nothing is believed before it is checked.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::counters::Counters;
use crate::error::{refused, Error, Refusal, Result};
use crate::policy::Policy;
use crate::seal::unseal;

const MOST_BYTES: usize = 64 << 20;

/// What is asked of a policy before it is opened; by default, that it is whole and makes sense.
#[derive(Clone, Debug, Default)]
pub struct Options {}

impl Options {
    /// Nothing but that the policy is whole and makes sense.
    pub fn new() -> Self {
        Self::default()
    }

    /// The policy in a `.tailc` file. Length and hash are checked first, then structure, then
    /// meaning.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Policy> {
        let path = path.as_ref();
        let bytes = bytes_of(path)?;
        self.open_bytes(&bytes).map_err(|error| match error {
            Error::Refused(refusal, why) => refused(refusal, format!("{}: {why}", path.display())),
            other => other,
        })
    }

    /// The policy in the bytes of a `.tailc` file, which need not be kept.
    pub fn open_bytes(&self, bytes: &[u8]) -> Result<Policy> {
        if bytes.len() > MOST_BYTES {
            return Err(refused(Refusal::BadStructure, "the file is larger than any policy"));
        }
        let unsealed = unseal(bytes)?;
        Policy::read(unsealed.payload, Arc::new(Counters::default()))
    }
}

/// All bytes of the file, but no more than one beyond the largest policy.
fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    let read = || {
        let file = File::open(path)?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|why| Error::Io(path.to_owned(), why))
}
