//! The functions of `tailc.h`: handles of the Rust reader behind a C interface.
//!
//! Each function returns a status. None unwinds into C: a panic becomes `TAILC_PANIC`.

#![warn(missing_docs)]
// `tailc.h` states once for all functions which pointers are valid.
#![allow(clippy::missing_safety_doc)]

mod border;
mod controller;
mod ladder;
mod policy;
mod schedule;
mod shares;
mod tables;
