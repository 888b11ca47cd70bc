//! States of plans: read, written with the same bytes, and refused by the word of their name.

use std::fs;
use std::path::{Path, PathBuf};

use tailc_runtime::{BegunJob, PlanState, RanSeconds};

use super::{vector, word, Folder};

const LARGE: i64 = 1 << 53;

fn states_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("there is a folder of vectors");
    let paths = entries.map(|entry| entry.expect("an entry is read").path());
    let states: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "tailc")).collect();
    assert!(states.len() > 2, "there are vectors of states");
    states
}

#[test]
fn a_state_is_written_as_it_was_read() {
    let folder = Folder::new();
    for path in states_in(&vector("states")) {
        let written = folder.join("state.tailc");
        PlanState::open(&path).unwrap().write(&written).unwrap();
        assert_eq!(fs::read(written).unwrap(), fs::read(&path).unwrap(), "{path:?}");
    }
    assert_eq!(fs::read_dir(&*folder).unwrap().count(), 1, "no other file is left");
}

#[test]
fn a_state_has_what_its_file_says() {
    let read = PlanState::open(vector("states/every.tailc")).unwrap();
    let ran = |servers, seconds| RanSeconds { servers, seconds };
    let expected = PlanState {
        at_unix_s: 1_338_555_600,
        decided_unix_s: 1_338_552_000,
        servers: 12,
        running: vec![
            BegunJob {
                name: "render/7".to_owned(),
                begun_unix_s: None,
                servers: vec![0, 1, 5],
                ran_s: vec![ran(2, 900), ran(3, 2_700)],
                green_slots: 4,
                machines: Some(6),
            },
            BegunJob {
                name: "Zürich".to_owned(),
                begun_unix_s: Some(1_338_554_700),
                servers: vec![11],
                ran_s: vec![ran(1, 900)],
                ..BegunJob::default()
            },
        ],
        waiting: vec!["later".to_owned(), "last".to_owned()],
        refused: vec!["wide".to_owned()],
        battery_mj: Some(3_600_000_000),
    };
    assert_eq!(read, expected);
}

#[test]
fn a_damaged_state_is_refused_by_its_name() {
    for path in states_in(&vector("states/refused")) {
        let refusal = word(PlanState::open(&path));
        let name = path.file_name().unwrap().to_string_lossy();
        assert!(!refusal.is_empty() && name.starts_with(refusal), "{name}: {refusal}");
    }
    assert_eq!(word(PlanState::open(vector("plan.tailc"))), "bad-structure");
    assert_eq!(word(PlanState::open("no such file")), "unreadable");
}

#[test]
fn a_state_that_no_reader_accepts_is_not_written() {
    let job = BegunJob { name: "a".to_owned(), servers: vec![0], ..BegunJob::default() };
    let with = |job: BegunJob| PlanState { servers: 1, running: vec![job], ..PlanState::default() };
    let long = RanSeconds { servers: 1, seconds: 253_402_300_800 };
    let empty_name = vec![String::new()];
    for wrong in [
        PlanState::default(),
        PlanState { servers: 1, battery_mj: Some(LARGE), ..PlanState::default() },
        PlanState { servers: 1, waiting: empty_name, ..PlanState::default() },
        with(BegunJob { green_slots: LARGE, ..job.clone() }),
        with(BegunJob { machines: Some(LARGE), ..job.clone() }),
        with(BegunJob { servers: vec![], ..job.clone() }),
        with(BegunJob { begun_unix_s: Some(0), ran_s: vec![long], ..job }),
    ] {
        assert_eq!(word(wrong.to_bytes()), "bad-meaning", "{wrong:?}");
    }
}
