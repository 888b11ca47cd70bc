//! One value that a kind wants in a file of the kernel.

use std::path::PathBuf;

/// `path` is below the root of the machine, without a leading slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Such as `sys/fs/cgroup/web/cpu.max`.
    pub path: PathBuf,
    /// What is written, without an end of line.
    pub value: String,
}

impl Setting {
    /// A value for a file.
    pub fn new(path: impl Into<PathBuf>, value: impl ToString) -> Self {
        Self { path: path.into(), value: value.to_string() }
    }
}
