//! The trailer of a `.tailc` file: a magic, the payload's length, the payload's SHA-256. A second one
//! says who signed it.

use sha2::{Digest, Sha256};

use crate::error::{refused, Refusal, Result};

const MAGIC: &[u8; 8] = b"TLCSEAL1";
const SIGNED_MAGIC: &[u8; 8] = b"TLCSIGN1";
const SEAL_SIZE: usize = 48;
const SIGNED_SIZE: usize = 96;
/// Of the second trailer all but its own check.
const CHECKED_SIZE: usize = 88;

/// Bytes that are whole.
#[cfg_attr(not(feature = "signatures"), allow(dead_code))]
pub(crate) struct Unsealed<'a> {
    pub payload: &'a [u8],
    /// The trailer that says so.
    pub seal: &'a [u8],
    pub signed: Option<Signed<'a>>,
}

/// Contents of a second trailer, which are not checked yet.
#[cfg_attr(not(feature = "signatures"), allow(dead_code))]
pub(crate) struct Signed<'a> {
    /// Magic, expiry and key id, which are signed together with the seal.
    pub claim: &'a [u8],
    pub expires_s: u64,
    pub key_id: &'a [u8],
    pub signature: &'a [u8],
}

/// Why bytes without a right seal are no policy; `has_magic`: whether they have a seal of another length.
fn why_unsealed(bytes: &[u8], has_magic: bool) -> &'static str {
    let has_identifier = matches!(bytes.get(4..8), Some(b"TLC1" | b"TLS1"));
    let first = bytes.iter().find(|byte| !b" \r\n".contains(byte));
    match first {
        _ if bytes.is_empty() => "the file is empty",
        _ if has_identifier && has_magic => "the file does not have the length in its seal",
        _ if has_identifier => "the seal is missing, or the end of the file",
        Some(b'{' | b'[') => "the file looks like JSON: open the `.tailc` file instead",
        _ if bytes.starts_with(&[0x1f, 0x8b]) => "the file looks compressed by gzip: decompress it",
        _ => "the file is neither a policy nor a state: it has no identifier `TLC1` or `TLS1`",
    }
}

/// The payload with its seal.
pub(crate) fn sealed(payload: &[u8]) -> Vec<u8> {
    let size = (payload.len() as u64).to_le_bytes();
    [payload, MAGIC, &size, Sha256::digest(payload).as_slice()].concat()
}

/// The parts of a file's bytes; refused unless all of it is whole.
pub(crate) fn unseal(bytes: &[u8]) -> Result<Unsealed<'_>> {
    let (sealed, signed) = split_signed(bytes)?;
    let Some(size) = sealed.len().checked_sub(SEAL_SIZE) else {
        return Err(refused(Refusal::Truncated, why_unsealed(bytes, false)));
    };
    let (payload, seal) = sealed.split_at(size);
    let has_magic = &seal[..8] == MAGIC;
    if !has_magic || number_in(&seal[8..16]) != size as u64 {
        return Err(refused(Refusal::Truncated, why_unsealed(bytes, has_magic)));
    }
    if Sha256::digest(payload).as_slice() != &seal[16..] {
        return Err(mismatch());
    }
    Ok(Unsealed { payload, seal, signed })
}

fn split_signed(bytes: &[u8]) -> Result<(&[u8], Option<Signed<'_>>)> {
    let Some(size) = bytes.len().checked_sub(SIGNED_SIZE) else {
        return Ok((bytes, None));
    };
    let (sealed, trailer) = bytes.split_at(size);
    if sealed.len() < SEAL_SIZE || !trailer.starts_with(SIGNED_MAGIC) {
        return Ok((bytes, None));
    }
    let (said, check) = trailer.split_at(CHECKED_SIZE);
    if !Sha256::digest(said).starts_with(check) {
        return Err(mismatch());
    }
    let (claim, signature) = said.split_at(24);
    let expires_s = number_in(&claim[8..16]);
    Ok((sealed, Some(Signed { claim, expires_s, key_id: &claim[16..], signature })))
}

fn number_in(little_endian: &[u8]) -> u64 {
    little_endian.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn mismatch() -> crate::Error {
    refused(Refusal::HashMismatch, "the bytes do not match their SHA-256")
}
