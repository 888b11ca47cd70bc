//! What vectors do not tell: threads, allocations, counters, reloads, wrong arguments.

mod allocations;
mod any_bytes;
mod arguments;
mod demand;
mod options;
mod plan_states;
mod reload;
mod swaps;

use std::env::temp_dir;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use tailc_runtime::{Policy, Result};

/// A file among the look-up vectors of the repository.
fn vector(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/vectors/v1").join(name)
}

fn opened(name: &str) -> Policy {
    Policy::open(vector(name)).expect("a vector's policy opens")
}

/// The word of a refusal, or empty.
fn word<T>(result: Result<T>) -> &'static str {
    result.map_or_else(|error| error.name(), |_| "")
}

/// A folder of a test's own, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = temp_dir().join(format!("tailc-rust-{}-{number}", process::id()));
        fs::create_dir_all(&path).expect("a folder for temporary files");
        Self(path)
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
