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
/// The bytes before the raw key in a SubjectPublicKeyInfo (RFC 8410, section 4).
const PREFIX: [u8; ENCODED_SIZE - RAW_SIZE] =
    [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// Characters of base64 that all of it takes.
const LINE_SIZE: usize = 60;
/// The y of points of order 8, little endian.
#[rustfmt::skip]
const ORDER_8: [[u8; RAW_SIZE]; 2] = [
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
        0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
        0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
];

impl PublicKey {
    /// The key in a text such as `openssl pkey -pubout` writes; any other is an invalid argument.
    pub fn from_pem(text: &str) -> Result<Self> {
        let why = "a trusted key must be an Ed25519 public key in PEM (`openssl pkey -pubout`)";
        Self::in_pem(text).ok_or(Error::InvalidArgument(why))
    }

    /// Exactly three lines: see `docs/artifact-format.md`, "Signature".
    fn in_pem(text: &str) -> Option<Self> {
        let text = after_line_end(text.strip_prefix("-----BEGIN PUBLIC KEY-----")?)?;
        let (line, text) = text.split_at_checked(LINE_SIZE)?;
        let end = after_line_end(text)?.strip_prefix("-----END PUBLIC KEY-----")?;
        let encoded = bytes_in_base64(line.as_bytes())?;
        let raw = encoded.strip_prefix(&PREFIX)?.try_into().ok()?;
        (matches!(end, "" | "\n" | "\r\n") && is_strong(raw)).then_some(Self { raw })
    }
}

fn after_line_end(text: &str) -> Option<&str> {
    text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n'))
}

/// Of RFC 4648, section 4, with one character of padding; none where it is something else, or a bit
/// of it is lost.
fn bytes_in_base64(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.strip_suffix(b"=")?;
    let (mut bits, mut count, mut bytes) = (0, 0, Vec::with_capacity(ENCODED_SIZE));
    for digit in digits {
        bits = bits << 6 | value_of(*digit)?;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (bits == 0).then_some(bytes)
}

/// Whether a key is a canonical encoding, a y below 2^255 - 19, and of no point whose order divides 8:
/// anybody can make signatures of those.
fn is_strong(mut raw: [u8; RAW_SIZE]) -> bool {
    raw[RAW_SIZE - 1] &= 0x7f;
    let [first, middle @ .., last] = raw;
    let are = |byte, end| last == end && middle.iter().all(|other| *other == byte);
    let is_0_or_1 = are(0, 0) && first <= 1;
    let is_least_prime_less_1 = are(0xff, 0x7f) && first >= 0xec;
    !is_0_or_1 && !is_least_prime_less_1 && !ORDER_8.contains(&raw)
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
pub(crate) fn check_signed(_: &Unsealed<'_>, _: &[PublicKey], _: u64) -> Result<Option<u64>> {
    let why = "signatures cannot be checked: the feature `signatures` is off";
    Err(refused(Refusal::NoSignatures, why))
}

/// Refused unless one of the keys signed it and the signature has not expired at `now_s`; the Unix
/// second at which it expires.
#[cfg(feature = "signatures")]
pub(crate) fn check_signed(
    bytes: &Unsealed<'_>,
    keys: &[PublicKey],
    now_s: u64,
) -> Result<Option<u64>> {
    let Some(signed) = &bytes.signed else {
        return Err(refused(Refusal::Unsigned, "the policy is not signed"));
    };
    let Some(key) = keys.iter().find(|key| key.id() == signed.key_id) else {
        return Err(refused(
            Refusal::UnknownKey,
            "the policy is signed with a key that is not trusted",
        ));
    };
    let message = [bytes.seal, signed.claim].concat();
    if !key.has_signed(&message, signed.signature) {
        return Err(refused(Refusal::BadSignature, "the signature does not match the policy"));
    }
    if signed.expires_s != 0 && now_s >= signed.expires_s {
        let why = format!("the signature expired at Unix second {}", signed.expires_s);
        return Err(refused(Refusal::Expired, why));
    }
    Ok(Some(signed.expires_s).filter(|expires_s| *expires_s != 0))
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
