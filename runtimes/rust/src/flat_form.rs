//! The FlatBuffer of a `.tailc` file: of a known version, laid out as a policy is.

use crate::error::{refused, Refusal, Result};
use crate::generated::tailc::policy;
use crate::structure::Structure;

const SCHEMA_MAJOR: u16 = 1;
const IDENTIFIER: &[u8; 4] = b"TLC1";

pub(crate) type FormBoxes<'a> =
    flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<policy::FormBox<'a>>>;

/// The policy in a payload; refused unless all of it is laid out as one.
pub(crate) fn flat_form_in(payload: &[u8]) -> Result<policy::Policy<'_>> {
    if payload.get(4..8) != Some(IDENTIFIER) {
        let why = "the FlatBuffer's identifier is not TLC1";
        return Err(refused(Refusal::BadStructure, why));
    }
    let mut structure = Structure::new(payload);
    // Another major version may lay out anything else otherwise, so its number comes before the rest.
    structure.check_version()?;
    let root = root_of(payload);
    let (major, minor) = (root.schema_major(), root.schema_minor());
    if major != SCHEMA_MAJOR {
        let why = format!("unknown schema `{major}.{minor}`");
        return Err(refused(Refusal::UnknownSchema, why));
    }
    structure.check_all()?;
    Ok(root)
}

#[allow(unsafe_code)]
fn root_of(payload: &[u8]) -> policy::Policy<'_> {
    // SAFETY: what an accessor follows is verified by `Structure` before the accessor is called.
    unsafe { policy::root_as_policy_unchecked(payload) }
}
