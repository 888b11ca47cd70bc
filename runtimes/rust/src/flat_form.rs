//! The FlatBuffer of a `.tailc` file: of a known version, laid out as a policy is.

use flatbuffers::root;

use crate::error::{refused, Error, Refusal, Result};
use crate::generated::tailc::policy::{self, Form};
use crate::generated::tailc::reader::{FormNames, Forms, Version};
use crate::ladder::meaning::{check_row_structure, check_rules};

const SCHEMA_MAJOR: u16 = 1;
const IDENTIFIER: &[u8; 4] = b"TLC1";

pub(crate) type FormBoxes<'a> =
    flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<policy::FormBox<'a>>>;

/// The policy in a payload; refused unless all of it is laid out as one.
pub(crate) fn flat_form_in(payload: &[u8]) -> Result<policy::Policy<'_>> {
    check_version(payload)?;
    let Ok(found) = root::<policy::Policy>(payload) else {
        return Err(why_refused(payload));
    };
    check_forms(found.forms())?;
    Ok(found)
}

/// Another major version may lay out anything else otherwise, so its number comes before the rest.
fn check_version(payload: &[u8]) -> Result<()> {
    if payload.get(4..8) != Some(IDENTIFIER) {
        let why = "the FlatBuffer's identifier is not TLC1";
        return Err(refused(Refusal::BadStructure, why));
    }
    let version = root::<Version>(payload).map_err(|_| broken())?;
    let (major, minor) = (version.schema_major(), version.schema_minor());
    if major == SCHEMA_MAJOR {
        return Ok(());
    }
    Err(refused(Refusal::UnknownSchema, format!("schema `{major}.{minor}` is not known here")))
}

/// Where the whole is broken a form or a rule that is not known here is still named: its policy may
/// lack what those of this version have.
fn why_refused(payload: &[u8]) -> Error {
    let unknown = root::<FormNames>(payload)
        .ok()
        .and_then(|names| names.forms().iter().find(|form| !is_known(Form(form.form_type()))));
    if let Some(form) = unknown {
        return unknown_form(form.form_name());
    }
    let known = root::<Forms>(payload).ok().map(|view| check_forms(view.forms()));
    known.and_then(Result::err).unwrap_or_else(broken)
}

fn check_forms(boxes: FormBoxes<'_>) -> Result<()> {
    for form in boxes {
        if !is_known(form.form_type()) {
            return Err(unknown_form(form.form_name()));
        }
        if let Some(ladder) = form.form_as_ladder() {
            check_rules(&ladder)?;
            check_row_structure(&ladder)?;
        }
    }
    Ok(())
}

fn is_known(form: Form) -> bool {
    form != Form::NONE && form.variant_name().is_some()
}

fn unknown_form(name: &str) -> Error {
    refused(Refusal::UnknownForm, format!("form `{name}` is not known here"))
}

fn broken() -> Error {
    refused(Refusal::BadStructure, "the FlatBuffer is broken")
}
