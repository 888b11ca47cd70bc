//! `tailc-agent`: see `docs/agent.md` of the tailc repository.

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use tailc_agent::{arguments, carry_out};

fn main() -> ExitCode {
    match arguments::parse(env::args_os().skip(1)).and_then(carry_out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            // The exit code counts even if standard error is closed.
            let _ = writeln!(io::stderr(), "{fault}");
            ExitCode::from(fault.exit as u8)
        }
    }
}
