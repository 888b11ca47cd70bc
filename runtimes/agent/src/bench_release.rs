//! How long batch work runs on after its group is stopped: what `lanes.release` of an elfen spec is.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::bench::{Bench, Changed};
use crate::cgroup::Freezer;
use crate::fault::{Exit, Fault};
use crate::machine::Machine;
use crate::os::{now_ns, pin, SharedWords, Signals};
use crate::samples::Samples;
use crate::setting::Setting;

/// The word of the command line that starts the batch work.
pub const WORD: &str = "spin";
const PATIENCE_NS: u64 = 2_000_000_000;

/// Measures, and prints the result in the form of a spec.
pub fn measure(bench: &Bench, group: &str) -> Result<(), Fault> {
    let signals = Signals::block();
    let mut changed = Changed::begin(&bench.place)?;
    let measured = releases(bench, group, &mut changed, &signals);
    changed.end();
    let samples = Samples::of(measured?).ok_or_else(|| not_stopped(group))?;
    println!("batch work on CPU {} leaves after: {samples}", bench.cpu);
    println!("lanes: {{release: {}us}}", samples.p99_us());
    Ok(())
}

fn not_stopped(group: &str) -> Fault {
    let what = format!("the processes of `{group}` are not stopped within 2 s");
    Fault::new(Exit::MissingPart, what, "check that `--root` has the groups of this machine")
}

fn releases(
    bench: &Bench,
    group: &str,
    changed: &mut Changed,
    signals: &Signals,
) -> Result<Vec<u64>, Fault> {
    let freezer = Freezer::of(changed.tree(), group)?;
    let work = Work::start(bench.cpu)?;
    let procs = freezer.file().with_file_name("cgroup.procs");
    let mut found = Vec::new();
    // Moves the child into the group; it ends there.
    changed.place(&Setting::new(procs, work.child.id()))?;
    for _ in 0..bench.repeat {
        work.await_running().ok_or_else(|| not_stopped(group))?;
        let begun_ns = now_ns();
        changed.apply(&freezer.setting(true))?;
        let last_ns = work.await_stopped(&freezer, changed.tree());
        changed.apply(&freezer.setting(false))?;
        let last_ns = last_ns.ok_or_else(|| not_stopped(group))?;
        found.push(last_ns.saturating_sub(begun_ns));
        if signals.wait(Duration::from_millis(1)) {
            break;
        }
    }
    Ok(found)
}

/// A process that writes the time all the time.
struct Work {
    child: Child,
    words: SharedWords,
    path: PathBuf,
}

impl Work {
    fn start(cpu: usize) -> Result<Self, Fault> {
        let path = env::temp_dir().join(format!("tailc-agent-{}", std::process::id()));
        let words = SharedWords::open(&path, 1).map_err(|why| Fault::unwritable(&path, &why))?;
        let program =
            env::current_exe().map_err(|why| Fault::unreadable(Path::new("self"), &why))?;
        let child = Command::new(&program).arg(WORD).arg(&path).stdin(Stdio::piped()).spawn();
        let child = child.map_err(|why| Fault::unreadable(&program, &why))?;
        let work = Self { child, words, path };
        pin(work.child.id(), cpu).map_err(|why| {
            let what = format!("batch work cannot run on CPU {cpu}: {why}");
            Fault::new(Exit::MissingPart, what, "give the number of a CPU of this machine")
        })?;
        Ok(work)
    }

    fn last_ns(&self) -> u64 {
        self.words.get(0)
    }

    fn await_running(&self) -> Option<()> {
        let (before, begun_ns) = (self.last_ns(), now_ns());
        while self.last_ns() == before {
            if now_ns() - begun_ns > PATIENCE_NS {
                return None;
            }
            std::thread::yield_now();
        }
        Some(())
    }

    /// When it ran last. A process that only waits for its CPU is not stopped, so the state of the
    /// group counts.
    fn await_stopped(&self, freezer: &Freezer, machine: &dyn Machine) -> Option<u64> {
        let begun_ns = now_ns();
        while !freezer.is_frozen(machine) {
            if now_ns() - begun_ns > PATIENCE_NS {
                return None;
            }
            std::thread::yield_now();
        }
        Some(self.last_ns())
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // One that has ended already needs nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The child: writes the time until it is killed, or its parent has ended.
pub fn spin(path: &Path) -> Result<(), Fault> {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    let words = SharedWords::open(path, 1).map_err(|why| Fault::unwritable(path, &why))?;
    loop {
        words.set(0, now_ns());
    }
}
