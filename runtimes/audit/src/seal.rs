//! The sealed file of a policy: its length, its SHA-256, and the digest of the policy in it.
//!
//! payload, `TLCSEAL1`, length of the payload in 8 bytes, SHA-256 of the payload; a signed file has
//! 96 more bytes that begin with `TLCSIGN1`. The payload is a FlatBuffer whose root has the digest of
//! the policy's JSON as field 2.

use crate::claims::Claims;
use crate::digest::sha256;

const SEAL: &[u8] = b"TLCSEAL1";
const SEAL_BYTES: usize = 48;
const SIGNATURE: &[u8] = b"TLCSIGN1";
const SIGNATURE_BYTES: usize = 96;
const DIGEST_FIELD: usize = 2;

/// Compares the seal with the payload, and the digest in it with that of the JSON.
pub fn check_seal(file: &[u8], policy_digest: &str, claims: &mut Claims) {
    let Some((payload, length, hash)) = parts(file) else {
        claims.judge("seal", "the sealed file", false, "there is no seal");
        return;
    };
    let by = format!("{length} bytes are claimed, {} are there", payload.len());
    claims.judge("length", "the sealed file", length == payload.len() as u64, &by);
    let right = sha256(payload);
    let by = format!("{hash} is claimed, {right} is right");
    claims.judge("seal", "the sealed file", hash == right, &by);
    let stated = root_text(payload, DIGEST_FIELD).unwrap_or("nothing");
    let by = format!("{stated} is claimed, the JSON has {policy_digest}");
    claims.judge("policy_digest", "the sealed file", stated == policy_digest, &by);
}

fn parts(file: &[u8]) -> Option<(&[u8], u64, String)> {
    let unsigned = match file.len().checked_sub(SIGNATURE_BYTES) {
        Some(end) if file[end..].starts_with(SIGNATURE) => &file[..end],
        _ => file,
    };
    let (payload, seal) = unsigned.split_at(unsigned.len().checked_sub(SEAL_BYTES)?);
    let length = u64::from_le_bytes(seal.get(8..16)?.try_into().ok()?);
    let hash = seal[16..].iter().map(|byte| format!("{byte:02x}")).collect();
    seal.starts_with(SEAL).then_some((payload, length, hash))
}

/// A text field of the root table of a FlatBuffer.
fn root_text(payload: &[u8], field: usize) -> Option<&str> {
    let four = |at: usize| Some(u32::from_le_bytes(payload.get(at..at + 4)?.try_into().ok()?));
    let two = |at: usize| Some(u16::from_le_bytes(payload.get(at..at + 2)?.try_into().ok()?));
    let table = four(0)? as usize;
    let fields = (table as i64).checked_sub(i64::from(four(table)? as i32))?;
    let place = two(usize::try_from(fields).ok()? + 4 + 2 * field)?;
    let offset = table + usize::from((place != 0).then_some(place)?);
    let text = offset + four(offset)? as usize;
    let bytes = payload.get(text + 4..text + 4 + four(text)? as usize)?;
    std::str::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::{check_seal, root_text};
    use crate::claims::{Claims, Verdict};

    #[test]
    fn a_file_without_a_seal_is_refuted() {
        for file in [&b""[..], &[0; 48], &[b'T'; 200]] {
            let mut claims = Claims::default();
            check_seal(file, "", &mut claims);
            assert_eq!(claims.verdict(), Verdict::Refuted);
        }
    }

    #[test]
    fn a_root_that_leads_outside_has_no_text() {
        for payload in [vec![], vec![255; 64], vec![4, 0, 0, 0, 255, 255, 255, 127, 0, 0]] {
            assert_eq!(root_text(&payload, 2), None);
        }
    }
}
