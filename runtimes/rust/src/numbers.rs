//! Numbers that several forms share.

/// Millionths in one.
pub(crate) const PPM: i64 = 1_000_000;
/// The largest integer of a policy; every JSON reader represents it exactly.
pub(crate) const LARGEST_WHOLE: i64 = (1 << 53) - 1;
