//! A file is swapped a thousand times a second while all cores look up: every answer is that of one of
//! its policies. `TAILC_SWAPS_S` says for how many seconds each way to swap.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use tailc_runtime::{Answer, Options, Policy, Watched};

use super::{opened, vector, Folder};

/// Of one generation, with other answers each.
const NAMES: [&str; 4] = ["lucene", "classes", "smallest", "controller"];
const SWAP_EVERY: Duration = Duration::from_millis(1);

fn answers(policy: &Policy) -> Vec<Answer> {
    let ladder = policy.ladder().unwrap();
    (0..64).map(|n| ladder.lookup(n, 100 * n, 20_000 * (n % 32))).collect()
}

/// Answers by the name of the policy that they are of.
fn expected() -> BTreeMap<String, Vec<Answer>> {
    let policies = NAMES.map(|name| opened(&format!("{name}.tailc")));
    let found = policies.iter().map(|policy| (policy.name().to_owned(), answers(policy)));
    found.collect()
}

fn swap(write: impl Fn(&Path, usize, &[u8]), path: &Path) {
    let bytes = NAMES.map(|name| fs::read(vector(&format!("{name}.tailc"))).unwrap());
    let expected = expected();
    let watched = Watched::open(path, Options::new()).unwrap();
    let (is_over, looks) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|threads| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            threads.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let current = watched.current();
                    assert_eq!(answers(&current), expected[current.name()]);
                    looks.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        threads.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                watched.check();
            }
        });
        let _over = SetWhenDropped(&is_over);
        write_on_time(|number| write(path, number, &bytes[number % bytes.len()]));
    });
    assert!(looks.into_inner() > 0);
    write(path, 0, &bytes[0]);
    watched.check();
    assert_eq!(watched.current().policy_digest(), opened("lucene.tailc").policy_digest());
}

/// Also where a write panics: nobody waits for those that look up.
struct SetWhenDropped<'a>(&'a AtomicBool);

impl Drop for SetWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A write once in `SWAP_EVERY`, numbered from 1.
fn write_on_time(write: impl Fn(usize)) {
    let seconds = std::env::var("TAILC_SWAPS_S").map_or(0.3, |text| text.parse().unwrap());
    let begun = Instant::now();
    let mut number = 0;
    while begun.elapsed().as_secs_f64() < seconds {
        number += 1;
        write(number);
        let next = begun + SWAP_EVERY * number as u32;
        sleep(next.saturating_duration_since(Instant::now()));
    }
}

#[test]
fn a_file_may_be_written_in_place() {
    let folder = Folder::new();
    let path = folder.join("policy.tailc");
    fs::copy(vector("lucene.tailc"), &path).unwrap();
    swap(|path, _, bytes| fs::write(path, bytes).unwrap(), &path);
}

#[test]
fn a_file_may_be_renamed_over() {
    let folder = Folder::new();
    let path = folder.join("policy.tailc");
    fs::copy(vector("lucene.tailc"), &path).unwrap();
    let rename_over = |path: &Path, _: usize, bytes: &[u8]| {
        fs::write(folder.join("next"), bytes).unwrap();
        fs::rename(folder.join("next"), path).unwrap();
    };
    swap(rename_over, &path);
}

/// As Kubernetes does: `policy.tailc` leads to `..data/policy.tailc`, and `..data` is swapped.
#[test]
fn a_link_on_the_way_may_be_swapped() {
    let folder = Folder::new();
    let path = folder.join("policy.tailc");
    let link_to_next = |_: &Path, number: usize, bytes: &[u8]| {
        let (data, next) = (folder.join(format!("..{number}")), folder.join("..data_tmp"));
        fs::create_dir_all(&data).unwrap();
        fs::write(data.join("policy.tailc"), bytes).unwrap();
        symlink(&data, &next).unwrap();
        fs::rename(&next, folder.join("..data")).unwrap();
        if number > 1 {
            fs::remove_dir_all(folder.join(format!("..{}", number - 1))).unwrap();
        }
    };
    link_to_next(&path, 1, &fs::read(vector("lucene.tailc")).unwrap());
    symlink(folder.join("..data").join("policy.tailc"), &path).unwrap();
    swap(link_to_next, &path);
}
