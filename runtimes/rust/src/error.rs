//! Why a policy was refused; the words of `Refusal::name` are the same in every language's runtime.

use std::path::PathBuf;
use std::{fmt, io};

/// Why a policy was not opened, or a call was not answered.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not a policy that this program may act on, and why.
    Refused(Refusal, String),
    /// The file cannot be read.
    Io(PathBuf, io::Error),
    /// An argument is invalid; nothing was done.
    InvalidArgument(&'static str),
    /// A schedule cannot apply the policy.
    Schedule(&'static str),
}

/// What this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// As what a policy is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// The file has another length than it was sealed with.
    Truncated,
    /// The bytes do not match their SHA-256.
    HashMismatch,
    /// The policy is not signed.
    Unsigned,
    /// The policy is signed with a key that is not trusted.
    UnknownKey,
    /// The policy is not what was signed.
    BadSignature,
    /// The signature held until a moment that is past.
    Expired,
    /// Signatures cannot be checked here: the feature `signatures` is off.
    NoSignatures,
    /// The bytes are whole, but not laid out as a policy is.
    BadStructure,
    /// The policy contradicts itself.
    BadMeaning,
    /// The policy needs a rule that is unknown to this version.
    UnknownRule,
    /// The policy has a form that is unknown to this version.
    UnknownForm,
    /// The policy has another major version of the schema.
    UnknownSchema,
    /// The policy has no ladder for the requested class.
    UnknownClass,
    /// The policy is valid, but has another form than the requested one.
    OtherForm,
    /// The policy is that of another service.
    OtherService,
    /// The policy is older than the one held.
    OlderGeneration,
}

impl Refusal {
    /// The word of every runtime for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::HashMismatch => "hash-mismatch",
            Self::Unsigned => "unsigned",
            Self::UnknownKey => "unknown-key",
            Self::BadSignature => "bad-signature",
            Self::Expired => "expired",
            Self::NoSignatures => "no-signatures",
            Self::BadStructure => "bad-structure",
            Self::BadMeaning => "bad-meaning",
            Self::UnknownRule => "unknown-rule",
            Self::UnknownForm => "unknown-form",
            Self::UnknownSchema => "unknown-schema",
            Self::UnknownClass => "unknown-class",
            Self::OtherForm => "other-form",
            Self::OtherService => "other-service",
            Self::OlderGeneration => "older-generation",
        }
    }
}

impl Error {
    /// As what it was refused; none: it was not.
    pub fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::Refused(refusal, _) => Some(*refusal),
            Self::Io(..) | Self::InvalidArgument(_) | Self::Schedule(_) => None,
        }
    }

    /// The word of the refusal, `unreadable`, `invalid-argument` or `no-schedule`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Refused(refusal, _) => refusal.name(),
            Self::Io(..) => "unreadable",
            Self::InvalidArgument(_) => "invalid-argument",
            Self::Schedule(_) => "no-schedule",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal, why) => write!(to, "{refusal}: {why}"),
            Self::Io(path, why) => write!(to, "{}: {why}", path.display()),
            Self::InvalidArgument(why) | Self::Schedule(why) => to.write_str(why),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(_, why) => Some(why),
            Self::Refused(..) | Self::InvalidArgument(_) | Self::Schedule(_) => None,
        }
    }
}

pub(crate) fn refused(refusal: Refusal, why: impl Into<String>) -> Error {
    Error::Refused(refusal, why.into())
}

/// Refuses a policy that contradicts itself.
pub(crate) fn require(holds: bool, otherwise: &'static str) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(refused(Refusal::BadMeaning, otherwise))
}
