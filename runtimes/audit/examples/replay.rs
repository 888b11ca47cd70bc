//! Prints the latency of each request that arrives at a server, in nanoseconds.
//!
//!     cargo run --release --example replay -- LADDER.json DESIGN.csv ARRIVALS.csv ...
//!
//! The ladder is the form `ladder` of a policy. A line of the arrivals has a time in nanoseconds and
//! the position of the request among those of the sample in the order of demand, from 0. Several
//! servers may be given; an empty line ends each.

use std::process::ExitCode;

use tailc_audit::latencies;

const FILES_OF_A_SERVER: usize = 3;

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    for files in given.chunks(FILES_OF_A_SERVER) {
        match replay(files) {
            Ok(latencies) => {
                latencies.iter().for_each(|latency_ns| println!("{latency_ns}"));
                println!();
            }
            Err(why) => {
                eprintln!("replay: {why}");
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::SUCCESS
}

fn replay(files: &[String]) -> Result<Vec<i64>, String> {
    let [ladder, design, arrivals] = files else {
        return Err("usage: replay LADDER.json DESIGN.csv ARRIVALS.csv ...".into());
    };
    let read =
        |path: &String| std::fs::read_to_string(path).map_err(|why| format!("{path}: {why}"));
    let arrival = |line: &str| {
        let (at_ns, request) = line.split_once(',')?;
        Some((at_ns.parse().ok()?, request.parse().ok()?))
    };
    let arrivals: Option<Vec<(i64, usize)>> = read(arrivals)?.lines().map(arrival).collect();
    let arrivals = arrivals.ok_or("a line of the arrivals has not two numbers")?;
    latencies(&read(ladder)?, &read(design)?, &arrivals)
}
