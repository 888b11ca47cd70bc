//! Who signed a policy: the second trailer of a file against the keys that are trusted.

use crate::error::{refused, Error, Refusal, Result};
use crate::seal::Unsealed;

/// An Ed25519 key that policies may be signed with.
#[derive(Clone, Debug)]
pub struct PublicKey {
    #[cfg_attr(not(feature = "signatures"), allow(dead_code))]
    raw: [u8; RAW_SIZE],
}

const RAW_SIZE: usize = 32;
const ENCODED_SIZE: usize = 44;
/// What stands before the raw key in a SubjectPublicKeyInfo (RFC 8410, section 4).
const PREFIX: [u8; ENCODED_SIZE - RAW_SIZE] =
    [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

impl PublicKey {
    /// The key in a text such as `openssl pkey -pubout` writes; any other is an invalid argument.
    pub fn from_pem(text: &str) -> Result<Self> {
        let why = "a trusted key is the PEM text of an Ed25519 public key";
        Self::in_pem(text).ok_or(Error::InvalidArgument(why))
    }

    fn in_pem(text: &str) -> Option<Self> {
        let text = text.trim().strip_prefix("-----BEGIN PUBLIC KEY-----")?;
        let text = text.strip_suffix("-----END PUBLIC KEY-----")?;
        let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let encoded = bytes_in_base64(&digits).filter(|bytes| bytes.len() == ENCODED_SIZE)?;
        let raw = encoded.strip_prefix(&PREFIX)?.try_into().ok()?;
        is_point(&raw).then_some(Self { raw })
    }
}

/// With padding, as RFC 4648, section 4, has it; none where it is something else.
fn bytes_in_base64(text: &[u8]) -> Option<Vec<u8>> {
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    if !text.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for four in text[..text.len() - padding].chunks(4) {
        let bits = four.iter().try_fold(0, |bits, digit| Some(bits << 6 | value_of(*digit)?))?;
        let bits: u32 = bits << (6 * (4 - four.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    Some(bytes)
}

fn value_of(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(not(feature = "signatures"))]
fn is_point(_: &[u8; RAW_SIZE]) -> bool {
    true
}

#[cfg(not(feature = "signatures"))]
pub(crate) fn check_signed(_: &Unsealed<'_>, _: &[PublicKey], _: u64) -> Result<()> {
    let why = "signatures are not checked here: the feature `signatures` is off";
    Err(refused(Refusal::NoSignatures, why))
}

#[cfg(feature = "signatures")]
fn is_point(raw: &[u8; RAW_SIZE]) -> bool {
    ed25519_dalek::VerifyingKey::from_bytes(raw).is_ok()
}

/// Refused unless one of the keys signed it, and the signature still holds at `now_s`.
#[cfg(feature = "signatures")]
pub(crate) fn check_signed(bytes: &Unsealed<'_>, keys: &[PublicKey], now_s: u64) -> Result<()> {
    let Some(signed) = &bytes.signed else {
        return Err(refused(Refusal::Unsigned, "the policy is not signed"));
    };
    let Some(key) = keys.iter().find(|key| key.id() == signed.key_id) else {
        return Err(refused(Refusal::UnknownKey, "the policy is signed with no trusted key"));
    };
    let message = [bytes.seal, signed.claim].concat();
    if !key.has_signed(&message, signed.signature) {
        return Err(refused(Refusal::BadSignature, "the policy is not what was signed"));
    }
    if signed.expires_s != 0 && now_s >= signed.expires_s {
        let why = format!("the signature held until {} s after 1970", signed.expires_s);
        return Err(refused(Refusal::Expired, why));
    }
    Ok(())
}

#[cfg(feature = "signatures")]
impl PublicKey {
    /// The first bytes of its SHA-256.
    fn id(&self) -> [u8; 8] {
        use sha2::{Digest, Sha256};
        let digest = Sha256::digest(self.raw);
        std::array::from_fn(|at| digest[at])
    }

    fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        use ed25519_dalek::{Signature, Verifier, VerifyingKey};
        let parts = (VerifyingKey::from_bytes(&self.raw), Signature::from_slice(signature));
        let (Ok(key), Ok(signature)) = parts else { return false };
        key.verify(message, &signature).is_ok()
    }
}
