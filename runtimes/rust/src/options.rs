//! From a path to a policy in memory; nothing is used before it is checked.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::counters::Counters;
use crate::error::{refused, Error, Refusal, Result};
use crate::policy::Policy;
use crate::seal::unseal;
use crate::signature::{check_signed, PublicKey};

pub(crate) const MOST_BYTES: usize = 64 << 20;
/// Most policies are read at once.
const FIRST_BYTES: usize = 16 << 10;

/// Checks of a policy before it is opened; by default, that it is undamaged and valid.
#[derive(Clone, Debug, Default)]
pub struct Options {
    keys: Vec<PublicKey>,
    service: Option<String>,
    held_generation: Option<i64>,
    now_s: Option<u64>,
    counters: Option<Arc<Counters>>,
}

impl Options {
    /// Only that the policy is undamaged and valid.
    pub fn new() -> Self {
        Self::default()
    }

    /// It must be signed with this key, or another that is trusted.
    pub fn trust(mut self, key: PublicKey) -> Self {
        self.keys.push(key);
        self
    }

    /// It must be the policy of this name.
    pub fn service(mut self, name: impl Into<String>) -> Self {
        self.service = Some(name.into());
        self
    }

    /// It must be of this generation, or a later one.
    pub fn held_generation(mut self, generation: i64) -> Self {
        self.held_generation = Some(generation);
        self
    }

    /// It takes the place of a policy, whose counters go on: it must not be older, and one that is
    /// refused, or cannot be read, is counted.
    pub fn replacing(mut self, held: &Policy) -> Self {
        self.counters = Some(held.counters().clone());
        self.held_generation(held.generation())
    }

    /// Signatures must not be expired at this time [Unix seconds], instead of the time of opening.
    pub fn now_s(mut self, unix_s: u64) -> Self {
        self.now_s = Some(unix_s);
        self
    }

    /// The policy in a `.tailc` file. Length and hash are checked first, then the signature, then
    /// structure, then meaning, then name and generation.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Policy> {
        let path = path.as_ref();
        self.counted(bytes_of(path).and_then(|bytes| self.policy_in(&bytes, path)))
    }

    /// The policy in the bytes of a `.tailc` file; the bytes may be freed afterwards.
    pub fn open_bytes(&self, bytes: &[u8]) -> Result<Policy> {
        self.counted(self.policy_of(bytes))
    }

    pub(crate) fn policy_in(&self, bytes: &[u8], path: &Path) -> Result<Policy> {
        self.policy_of(bytes).map_err(|error| match error {
            Error::Refused(refusal, why) => refused(refusal, format!("{}: {why}", path.display())),
            other => other,
        })
    }

    fn policy_of(&self, bytes: &[u8]) -> Result<Policy> {
        if bytes.len() > MOST_BYTES {
            return Err(refused(
                Refusal::BadStructure,
                "the file is larger than the limit for a policy",
            ));
        }
        let unsealed = unseal(bytes)?;
        let expires_s = if self.keys.is_empty() {
            None
        } else {
            check_signed(&unsealed, &self.keys, self.now_s.unwrap_or_else(system_s))?
        };
        let counters = self.counters.clone().unwrap_or_default();
        let policy = Policy::read(unsealed.payload, counters, expires_s)?;
        self.check_expected(&policy)?;
        Ok(policy)
    }

    fn check_expected(&self, policy: &Policy) -> Result<()> {
        if self.service.as_ref().is_some_and(|name| name != policy.name()) {
            let why = format!("the policy is for `{}`", policy.name());
            return Err(refused(Refusal::OtherService, why));
        }
        if self.held_generation.is_some_and(|held| policy.generation() < held) {
            return Err(refused(
                Refusal::OlderGeneration,
                "the generation is older than the one in use",
            ));
        }
        Ok(())
    }

    fn counted(&self, opened: Result<Policy>) -> Result<Policy> {
        if let (Err(why), Some(counters)) = (&opened, &self.counters) {
            counters.count_refused(why);
        }
        opened
    }
}

pub(crate) fn system_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}

/// All bytes of the file, but no more than one beyond the largest policy.
pub(crate) fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    let read = || {
        let file = File::open(path)?;
        let mut bytes = Vec::with_capacity(FIRST_BYTES);
        file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|why| Error::Io(path.to_owned(), why))
}
