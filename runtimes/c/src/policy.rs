//! Policies and the checks before they are opened.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use tailc_runtime::{Change, Options, Policy, PublicKey, Watched};

use crate::border::*;

/// A policy; its handle also owns what is borrowed from it.
pub type Handle = Arc<Policy>;

/// Options without conditions.
#[no_mangle]
pub unsafe extern "C" fn tailc_options_new(options: *mut *mut Options) -> Status {
    status_of(|| put_handle(options, Options::new()))
}

/// Frees options.
#[no_mangle]
pub unsafe extern "C" fn tailc_options_free(options: *mut Options) {
    drop_handle(options);
}

/// Requires a signature by this key, or another that is trusted.
#[no_mangle]
pub unsafe extern "C" fn tailc_options_trust(options: *mut Options, pem: *const c_char) -> Status {
    status_of(|| {
        let key = PublicKey::from_pem(text(pem)?)?;
        change(options, |held| held.trust(key))
    })
}

/// Requires the policy of this name.
#[no_mangle]
pub unsafe extern "C" fn tailc_options_service(
    options: *mut Options,
    name: *const c_char,
) -> Status {
    status_of(|| {
        let name = text(name)?;
        change(options, |held| held.service(name))
    })
}

/// Refuses a generation that is older.
#[no_mangle]
pub unsafe extern "C" fn tailc_options_held_generation(
    options: *mut Options,
    generation: i64,
) -> Status {
    status_of(|| change(options, |held| held.held_generation(generation)))
}

/// Uses this time [Unix seconds] for expiry.
#[no_mangle]
pub unsafe extern "C" fn tailc_options_now(options: *mut Options, unix_s: u64) -> Status {
    status_of(|| change(options, |held| held.now_s(unix_s)))
}

unsafe fn change(
    options: *mut Options,
    made: impl FnOnce(Options) -> Options,
) -> tailc_runtime::Result<()> {
    let held = held_mut(options)?;
    *held = made(std::mem::take(held));
    Ok(())
}

unsafe fn options_of(options: *const Options) -> Options {
    options.as_ref().cloned().unwrap_or_default()
}

/// Opens a file.
#[no_mangle]
pub unsafe extern "C" fn tailc_open(
    path: *const c_char,
    options: *const Options,
    policy: *mut *mut Handle,
) -> Status {
    status_of(|| {
        let opened = options_of(options).open(text(path)?)?;
        put_handle(policy, Arc::new(opened))
    })
}

/// Opens the bytes of a file.
#[no_mangle]
pub unsafe extern "C" fn tailc_open_bytes(
    bytes: *const c_void,
    length: usize,
    options: *const Options,
    policy: *mut *mut Handle,
) -> Status {
    status_of(|| {
        let opened = options_of(options).open_bytes(array(bytes.cast::<u8>(), length)?)?;
        put_handle(policy, Arc::new(opened))
    })
}

/// Frees a policy.
#[no_mangle]
pub unsafe extern "C" fn tailc_policy_free(policy: *mut Handle) {
    drop_handle(policy);
}

/// What a policy is.
#[repr(C)]
pub struct PolicyInfo {
    name: Text,
    kind: Text,
    policy_digest: Text,
    generation: i64,
    signature_expires_s: u64,
    lookups_outside: u64,
}

/// Name, kind, digest, generation, expiry and counter.
#[no_mangle]
pub unsafe extern "C" fn tailc_policy_info(policy: *const Handle, info: *mut PolicyInfo) -> Status {
    status_of(|| {
        let policy = held(policy)?;
        put(
            info,
            PolicyInfo {
                name: Text::of(policy.name()),
                kind: Text::of(policy.kind()),
                policy_digest: Text::of(policy.policy_digest()),
                generation: policy.generation(),
                signature_expires_s: policy.signature_expires_s().unwrap_or(0),
                lookups_outside: policy.counters().outside(),
            },
        )
    })
}

/// Opens a file that is checked for changes.
#[no_mangle]
pub unsafe extern "C" fn tailc_watched_open(
    path: *const c_char,
    options: *const Options,
    watched: *mut *mut Watched,
) -> Status {
    status_of(|| put_handle(watched, Watched::open(text(path)?, options_of(options))?))
}

/// Frees a watched policy.
#[no_mangle]
pub unsafe extern "C" fn tailc_watched_free(watched: *mut Watched) {
    drop_handle(watched);
}

/// Checks the file once; the status is that of a change that is refused.
#[no_mangle]
pub unsafe extern "C" fn tailc_watched_check(
    watched: *const Watched,
    is_reloaded: *mut u8,
) -> Status {
    status_of(|| {
        check_output(is_reloaded)?;
        match held(watched)?.check() {
            Change::Refused(error) => Err(error),
            change => put(is_reloaded, u8::from(matches!(change, Change::Reloaded))),
        }
    })
}

/// A handle of the current policy.
#[no_mangle]
pub unsafe extern "C" fn tailc_watched_current(
    watched: *const Watched,
    policy: *mut *mut Handle,
) -> Status {
    status_of(|| put_handle(policy, held(watched)?.current().to_arc()))
}
