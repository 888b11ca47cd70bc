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

fn swap(write: impl Fn(&Path, usize, &[u8]), path: &Path) {
    let bytes = NAMES.map(|name| fs::read(vector(&format!("{name}.tailc"))).unwrap());
    let expected: BTreeMap<String, Vec<Answer>> = NAMES
        .map(|name| opened(&format!("{name}.tailc")))
        .map(|policy| (policy.name().to_owned(), answers(&policy)))
        .into();
    assert_eq!(expected.len(), NAMES.len());
    let watched = Watched::open(path, Options::new()).unwrap();
    let (is_over, looked_up) = (AtomicBool::new(false), AtomicU64::new(0));
    let seconds = std::env::var("TAILC_SWAPS_S").map_or(0.3, |text| text.parse().unwrap());
    thread::scope(|threads| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            threads.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let current = watched.current();
                    assert_eq!(answers(&current), expected[current.name()]);
                    looked_up.fetch_add(64, Ordering::Relaxed);
                }
            });
        }
        threads.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                watched.check();
            }
        });
        let begun = Instant::now();
        for number in 1.. {
            if begun.elapsed().as_secs_f64() > seconds {
                break;
            }
            write(path, number, &bytes[number % bytes.len()]);
            sleep((begun + SWAP_EVERY * number as u32).saturating_duration_since(Instant::now()));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(looked_up.into_inner() > 0);
    write(path, 0, &bytes[0]);
    watched.check();
    assert_eq!(watched.current().policy_digest(), opened("lucene.tailc").policy_digest());
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
