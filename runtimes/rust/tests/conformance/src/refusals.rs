//! As what bytes are refused.

use std::fs;
use std::io::{stdin, stdout, BufWriter, Write};
use std::path::Path;

use tailc_runtime::{Form, Options, Policy};

use crate::Outcome;

pub fn files() -> Outcome {
    let mut out = BufWriter::new(stdout().lock());
    for path in stdin().lines() {
        writeln!(out, "{}", opened_as(&fs::read(path?)?))?;
    }
    out.flush()?;
    Ok(true)
}

pub fn damages(path: &Path) -> Outcome {
    let mut out = BufWriter::new(stdout().lock());
    let mut bytes = fs::read(path)?;
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        writeln!(out, "{}", opened_as(&bytes))?;
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    for size in 0..bytes.len() {
        writeln!(out, "{}", opened_as(&bytes[..size]))?;
    }
    bytes.push(0);
    for byte in 0..=255 {
        *bytes.last_mut().expect("a byte was appended") = byte;
        writeln!(out, "{}", opened_as(&bytes))?;
    }
    out.flush()?;
    Ok(true)
}

fn opened_as(bytes: &[u8]) -> &'static str {
    match Options::new().open_bytes(bytes) {
        Ok(policy) => {
            ask(&policy);
            "opened"
        }
        Err(refused) => refused.name(),
    }
}

/// Whatever is opened must be safe to ask.
fn ask(policy: &Policy) {
    if let Some(controller) = policy.controller() {
        controller.step(300_000, 10_000);
    }
    match policy.form() {
        Form::Ladders(ladders) => {
            for ladder in ladders {
                assert!(ladder.lookup(5, 1, 2).rung < ladder.rungs().len());
            }
        }
        Form::TailTable(table) => {
            table.level(&[5_000, 7], 9, 9).expect("a core with two requests has a level");
        }
        Form::BudgetTable(table) => {
            table.lookup(5, 700);
        }
        _ => {}
    }
}
