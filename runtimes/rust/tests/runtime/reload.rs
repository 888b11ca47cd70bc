//! What a look at a file tells.

use std::env;
use std::fs::{self, File};
use std::iter;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use tailc_runtime::{Change, Options, Watched};

use super::{vector, word, Folder};

fn told(watched: &Watched) -> &'static str {
    match watched.check() {
        Change::Unchanged => "unchanged",
        Change::Reloaded => "reloaded",
        Change::Refused(why) => why.name(),
    }
}

fn put(name: &str, path: &Path) {
    fs::copy(vector(name), path).unwrap();
}

fn watched_in(folder: &Folder, options: Options) -> Watched {
    let path = folder.join("policy.tailc");
    put("lucene.tailc", &path);
    Watched::open(&path, options).unwrap()
}

#[test]
fn a_file_that_is_written_anew_is_opened() {
    let folder = Folder::new();
    let watched = watched_in(&folder, Options::new());
    let first = watched.current().to_arc();
    assert_eq!(told(&watched), "unchanged");
    put("classes.tailc", &folder.join("policy.tailc"));
    assert_eq!(told(&watched), "reloaded");
    assert_eq!(told(&watched), "unchanged");
    assert_eq!((watched.current().name(), first.name()), ("classes", "lucene"));
}

#[test]
fn a_file_that_is_renamed_over_is_opened() {
    let folder = Folder::new();
    let watched = watched_in(&folder, Options::new());
    put("classes.tailc", &folder.join("next"));
    fs::rename(folder.join("next"), folder.join("policy.tailc")).unwrap();
    assert_eq!(told(&watched), "reloaded");
}

#[test]
fn a_file_of_equal_bytes_keeps_what_its_policy_remembers() {
    let folder = Folder::new();
    let path = folder.join("policy.tailc");
    put("controller.tailc", &path);
    let watched = Watched::open(&path, Options::new()).unwrap();
    watched.current().controller().unwrap().step(500_000, 10_000);
    let output = watched.current().controller().unwrap().output();
    put("controller.tailc", &folder.join("next"));
    fs::rename(folder.join("next"), &path).unwrap();
    assert_eq!(told(&watched), "unchanged");
    assert_eq!(watched.current().controller().unwrap().output(), output);
}

#[test]
fn what_is_refused_leaves_the_policy_held_in_force_and_is_counted_once() {
    let folder = Folder::new();
    let watched = watched_in(&folder, Options::new().service("lucene"));
    let path = folder.join("policy.tailc");
    let counters = watched.current().counters().clone();
    let half = fs::read(vector("lucene.tailc")).unwrap()[..2_000].to_vec();
    for (count, (bytes, word)) in [
        (half, "truncated"),
        (fs::read(vector("refused/bit-flip.tailc")).unwrap(), "hash-mismatch"),
        (fs::read(vector("classes.tailc")).unwrap(), "other-service"),
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(&path, bytes).unwrap();
        assert_eq!(told(&watched), word);
        assert_eq!(told(&watched), "unchanged");
        assert_eq!(counters.refused_reloads(), count as u64 + 1);
        assert_eq!(counters.last_refusal().unwrap().name, word);
        assert_eq!(watched.current().name(), "lucene");
    }
    put("lucene.tailc", &path);
    assert_eq!(told(&watched), "unchanged");
}

#[test]
fn an_older_generation_is_refused() {
    let folder = Folder::new();
    let path = folder.join("policy.tailc");
    put("smallest.tailc", &path);
    let watched = Watched::open(&path, Options::new()).unwrap();
    put("signed/good.tailc", &path);
    assert_eq!(told(&watched), "reloaded");
    put("smallest.tailc", &path);
    assert_eq!(told(&watched), "older-generation");
    assert_eq!(watched.current().generation(), 7);
}

#[test]
fn a_file_that_is_gone_is_counted_once_and_missed_no_more_when_it_is_back() {
    let folder = Folder::new();
    let watched = watched_in(&folder, Options::new());
    let (path, away) = (folder.join("policy.tailc"), folder.join("away"));
    fs::rename(&path, &away).unwrap();
    assert_eq!(told(&watched), "unreadable");
    assert_eq!(told(&watched), "unchanged");
    assert_eq!(watched.current().counters().refused_reloads(), 1);
    fs::rename(&away, &path).unwrap();
    assert_eq!(told(&watched), "unchanged");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(told(&watched), "unreadable");
    assert_eq!(told(&watched), "unchanged");
}

/// As in a server that has too many connections.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_opened_for_a_while_is_tried_again_as_it_is() {
    let own = env::current_exe().unwrap();
    let few = Command::new("sh")
        .args(["-c", r#"ulimit -n 32 && exec "$0" --ignored --exact reload::where_files_run_out"#])
        .arg(own)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&few.stdout);
    assert!(few.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "asked in a process of its own, which may open few files"]
fn where_files_run_out() {
    let folder = Folder::new();
    let watched = watched_in(&folder, Options::new());
    let path = folder.join("policy.tailc");
    put("classes.tailc", &path);
    let all: Vec<File> = iter::from_fn(|| File::open(&path).ok()).collect();
    assert_eq!((told(&watched), told(&watched)), ("unreadable", "unchanged"));
    drop(all);
    assert_eq!((told(&watched), told(&watched)), ("reloaded", "unchanged"));
    assert_eq!(watched.current().counters().refused_reloads(), 1);
}

#[test]
fn what_is_refused_is_counted_at_each_change() {
    let folder = Folder::new();
    let watched = watched_in(&folder, Options::new());
    for _ in 0..3 {
        put("refused/bit-flip.tailc", &folder.join("next"));
        fs::rename(folder.join("next"), folder.join("policy.tailc")).unwrap();
        assert_eq!((told(&watched), told(&watched)), ("hash-mismatch", "unchanged"));
    }
    assert_eq!(watched.current().counters().refused_reloads(), 3);
}

/// Clocks of file systems tick every few milliseconds: the same time and size may be other bytes.
#[test]
fn equal_sizes_and_times_hide_no_change() {
    let folder = Folder::new();
    let watched = watched_in(&folder, Options::new());
    let path = folder.join("policy.tailc");
    let whole = fs::read(vector("lucene.tailc")).unwrap();
    let mut flipped = whole.clone();
    flipped[100] ^= 1;
    for _ in 0..100 {
        fs::write(&path, &flipped).unwrap();
        assert_eq!(told(&watched), "hash-mismatch");
        fs::write(&path, &whole).unwrap();
        assert_eq!(told(&watched), "unchanged");
    }
}

#[test]
fn a_thread_checks_until_it_is_dropped() {
    let folder = Folder::new();
    let watched = watched_in(&folder, Options::new());
    let checking = watched.check_every(Duration::from_millis(1)).unwrap();
    put("classes.tailc", &folder.join("policy.tailc"));
    let begun = Instant::now();
    while watched.current().name() != "classes" {
        assert!(begun.elapsed() < Duration::from_secs(60), "nobody has looked");
        sleep(Duration::from_millis(1));
    }
    drop(checking);
    put("lucene.tailc", &folder.join("policy.tailc"));
    sleep(Duration::from_millis(20));
    assert_eq!(watched.current().name(), "classes");
}

#[test]
fn what_is_no_policy_at_first_is_not_watched() {
    assert_eq!(word(Watched::open(vector("missing.tailc"), Options::new())), "unreadable");
    let damaged = vector("refused/bit-flip.tailc");
    assert_eq!(word(Watched::open(damaged, Options::new())), "hash-mismatch");
}
