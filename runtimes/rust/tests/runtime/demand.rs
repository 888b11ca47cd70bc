//! Demands in a CSV file.

use std::fs;
use std::thread;

use tailc_runtime::DemandLog;

use super::{word, Folder};

const INVALID: &str = "invalid-argument";

#[test]
fn every_nth_demand_is_written_with_its_weight_and_a_log_goes_on() {
    let folder = Folder::new();
    let path = folder.join("demand.csv");
    for _ in 0..2 {
        let log = DemandLog::open(&path, 3).unwrap();
        for demand_us in 1..=7 {
            log.record(demand_us).unwrap();
        }
    }
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(written, "demand_us,weight\n3,3\n6,3\n3,3\n6,3\n");
}

#[test]
fn a_demand_below_a_microsecond_counts_as_one() {
    let folder = Folder::new();
    let path = folder.join("demand.csv");
    let log = DemandLog::open(&path, 1).unwrap();
    for demand_us in 0..=2 {
        log.record(demand_us).unwrap();
    }
    drop(log);
    assert_eq!(fs::read_to_string(&path).unwrap(), "demand_us,weight\n1,1\n1,1\n2,1\n");
}

#[test]
fn classes_stand_beside_their_demands_as_csv_quotes_them() {
    let folder = Folder::new();
    let path = folder.join("demand.csv");
    let log = DemandLog::open_with_classes(&path, 1).unwrap();
    log.record_class(12, "short").unwrap();
    log.record_class(13, r#"a "long", one"#).unwrap();
    assert_eq!(word(log.record(14)), INVALID);
    log.flush().unwrap();
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(written, "demand_us,weight,class\n12,1,short\n13,1,\"a \"\"long\"\", one\"\n");
}

#[test]
fn what_is_no_such_log_stays_as_it_was() {
    let folder = Folder::new();
    let path = folder.join("demand.csv");
    for text in ["demand_ms,weight\n", "demand_us,weight,class\n", "demand_us,weight\n7", "x"] {
        fs::write(&path, text).unwrap();
        assert_eq!(word(DemandLog::open(&path, 1)), INVALID, "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(word(DemandLog::open(folder.join("new.csv"), 0)), INVALID);
    assert_eq!(word(DemandLog::open(&*folder, 1)), "unreadable");
}

#[test]
fn a_full_buffer_is_written_in_whole_lines() {
    let folder = Folder::new();
    let path = folder.join("demand.csv");
    let log = DemandLog::open(&path, 1).unwrap();
    for demand_us in 0..20_000 {
        log.record(demand_us).unwrap();
    }
    let early = fs::read_to_string(&path).unwrap();
    assert!(early.len() > 60_000 && early.ends_with('\n'), "{} bytes", early.len());
    drop(log);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 20_001);
}

#[test]
fn threads_record_at_once() {
    let folder = Folder::new();
    let path = folder.join("demand.csv");
    let log = DemandLog::open(&path, 4).unwrap();
    thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| (0..1_000).for_each(|_| log.record(42).unwrap()));
        }
    });
    drop(log);
    let wanted = "demand_us,weight\n".to_owned() + &"42,4\n".repeat(2_000);
    assert_eq!(fs::read_to_string(&path).unwrap(), wanted);
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_is_told() {
    assert_eq!(word(DemandLog::open("/dev/full", 1)), "unreadable");
}
