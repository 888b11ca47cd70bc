//! What every function does at the border: check pointers, catch panics, and keep the message.

use std::cell::RefCell;
use std::ffi::{c_char, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::{ptr, slice};

use tailc_runtime::{Error, Refusal, Result};

/// A status of `tailc.h`; 0 is success.
pub type Status = i32;

const OK: Status = 0;
const UNREADABLE: Status = 32;
const INVALID_ARGUMENT: Status = 33;
const NO_SCHEDULE: Status = 34;
const PANIC: Status = 35;

/// Refusals by status, from 1.
const REFUSALS: [Refusal; 16] = [
    Refusal::Truncated,
    Refusal::HashMismatch,
    Refusal::Unsigned,
    Refusal::UnknownKey,
    Refusal::BadSignature,
    Refusal::Expired,
    Refusal::NoSignatures,
    Refusal::BadStructure,
    Refusal::BadMeaning,
    Refusal::UnknownRule,
    Refusal::UnknownForm,
    Refusal::UnknownSchema,
    Refusal::UnknownClass,
    Refusal::OtherForm,
    Refusal::OtherService,
    Refusal::OlderGeneration,
];

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// The status of a call; its message is kept for `tailc_last_error`.
pub fn status_of(call: impl FnOnce() -> Result<()>) -> Status {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => OK,
        Ok(Err(error)) => {
            keep(error.to_string());
            number_of(&error)
        }
        Err(_) => {
            keep("a defect of the tailc library: a function panicked".to_owned());
            PANIC
        }
    }
}

fn keep(message: String) {
    let text = CString::new(message.replace('\0', "?")).unwrap_or_default();
    LAST_ERROR.set(text);
}

fn number_of(error: &Error) -> Status {
    match error {
        Error::Refused(refusal, _) => REFUSALS
            .iter()
            .position(|known| known == refusal)
            .map_or(PANIC, |index| index as Status + 1),
        Error::Io(..) => UNREADABLE,
        Error::Schedule(_) => NO_SCHEDULE,
        _ => INVALID_ARGUMENT,
    }
}

/// Bytes that the policy owns; not terminated by 0.
#[repr(C)]
pub struct Text {
    bytes: *const u8,
    length: usize,
}

impl Text {
    /// A view of `text`.
    pub fn of(text: &str) -> Self {
        Self { bytes: text.as_ptr(), length: text.len() }
    }

    /// A view of `text`; NULL if there is none.
    pub fn of_optional(text: Option<&str>) -> Self {
        text.map_or(Self { bytes: ptr::null(), length: 0 }, Self::of)
    }
}

const IS_NULL: Error = Error::InvalidArgument("a handle, an argument or an output is NULL");

/// What a handle points to.
pub unsafe fn held<'a, T>(handle: *const T) -> Result<&'a T> {
    handle.as_ref().ok_or(IS_NULL)
}

/// What a handle points to, for one caller at a time.
pub unsafe fn held_mut<'a, T>(handle: *mut T) -> Result<&'a mut T> {
    handle.as_mut().ok_or(IS_NULL)
}

/// Refuses an output that is NULL, before a call that changes what a handle points to, or that
/// writes another output.
pub fn check_output<T>(output: *mut T) -> Result<()> {
    if output.is_null() {
        return Err(IS_NULL);
    }
    Ok(())
}

/// Writes an output.
pub unsafe fn put<T>(output: *mut T, value: T) -> Result<()> {
    check_output(output)?;
    output.write(value);
    Ok(())
}

/// Writes a new handle, which the caller owns.
pub unsafe fn put_handle<T>(output: *mut *mut T, value: T) -> Result<()> {
    check_output(output)?;
    output.write(Box::into_raw(Box::new(value)));
    Ok(())
}

/// Drops what a handle points to; NULL is no handle.
pub unsafe fn drop_handle<T>(handle: *mut T) {
    if !handle.is_null() {
        status_of(|| {
            drop(Box::from_raw(handle));
            Ok(())
        });
    }
}

/// Text that C passes.
pub unsafe fn text<'a>(pointer: *const c_char) -> Result<&'a str> {
    optional_text(pointer)?.ok_or(IS_NULL)
}

/// Text that C passes; none for NULL.
pub unsafe fn optional_text<'a>(pointer: *const c_char) -> Result<Option<&'a str>> {
    if pointer.is_null() {
        return Ok(None);
    }
    let text = CStr::from_ptr(pointer).to_str();
    text.map(Some).map_err(|_| Error::InvalidArgument("a text is not UTF-8"))
}

/// An array that C passes; an empty one may be NULL.
pub unsafe fn array<'a, T>(pointer: *const T, length: usize) -> Result<&'a [T]> {
    if length == 0 {
        return Ok(&[]);
    }
    held(pointer)?;
    Ok(slice::from_raw_parts(pointer, length))
}

/// The message of the last call of this thread that failed.
#[no_mangle]
pub extern "C" fn tailc_last_error() -> *const c_char {
    LAST_ERROR.with_borrow(|text| text.as_ptr())
}

/// The word of a status, which is the same in every runtime.
#[no_mangle]
pub extern "C" fn tailc_status_name(status: Status) -> *const c_char {
    let name = match status {
        OK => c"ok",
        UNREADABLE => c"unreadable",
        INVALID_ARGUMENT => c"invalid-argument",
        NO_SCHEDULE => c"no-schedule",
        PANIC => c"panic",
        1 => c"truncated",
        2 => c"hash-mismatch",
        3 => c"unsigned",
        4 => c"unknown-key",
        5 => c"bad-signature",
        6 => c"expired",
        7 => c"no-signatures",
        8 => c"bad-structure",
        9 => c"bad-meaning",
        10 => c"unknown-rule",
        11 => c"unknown-form",
        12 => c"unknown-schema",
        13 => c"unknown-class",
        14 => c"other-form",
        15 => c"other-service",
        16 => c"older-generation",
        _ => c"unknown-status",
    };
    name.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_at_the_border() {
        assert_eq!(status_of(|| panic!("a defect")), PANIC);
        let message = unsafe { CStr::from_ptr(tailc_last_error()) };
        assert!(message.to_str().is_ok_and(|text| text.contains("panicked")));
    }

    #[test]
    fn each_refusal_has_its_word() {
        for (index, refusal) in REFUSALS.iter().enumerate() {
            let word = unsafe { CStr::from_ptr(tailc_status_name(index as Status + 1)) };
            assert_eq!(word.to_str(), Ok(refusal.name()));
        }
    }
}
