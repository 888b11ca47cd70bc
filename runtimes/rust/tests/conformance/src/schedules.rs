//! Events of servers, and the decisions of their schedules.

use std::path::PathBuf;
use std::sync::Arc;

use tailc_runtime::{Policy, Schedule};

use crate::lines::{AnyResult, Row};
use crate::vectors::{difference, Check};

pub fn events(path: PathBuf) -> AnyResult<Check> {
    let mut schedule = Schedule::new(Arc::new(Policy::open(path)?), 0)?;
    Ok(Box::new(move |row| {
        let now_ns = row.number("now_ns")?;
        let mut made = Vec::new();
        while let Some(due_ns) = schedule.due_ns().filter(|due_ns| *due_ns < now_ns) {
            schedule.wake(due_ns);
            take(&mut schedule, due_ns, &mut made);
        }
        let event = call(&mut schedule, row, now_ns)?;
        take(&mut schedule, now_ns, &mut made);
        let wanted = [row.at("event"), row.at("work_ppm"), row.at("decisions")].join(",");
        Ok(difference(&format!("{event},{}", made.join(";")), &wanted))
    }))
}

fn call(schedule: &mut Schedule, row: &Row, now_ns: u64) -> AnyResult<String> {
    match row.at("event") {
        "exit" => schedule.exit(row.number("request")?, now_ns),
        "wake" => schedule.wake(now_ns),
        _ => {
            let class = Some(row.at("request_class")).filter(|name| !name.is_empty());
            return Ok(match schedule.arrive(now_ns, class)? {
                Some(arrival) => format!("arrive,{}", arrival.work_ppm),
                None => "refuse,1000000".to_owned(),
            });
        }
    }
    Ok(format!("{},1000000", row.at("event")))
}

fn take(schedule: &mut Schedule, now_ns: u64, made: &mut Vec<String>) {
    for one in schedule.decisions.drain(..) {
        let (kind, boosted) = (one.kind.name(), u8::from(one.is_boosted));
        let core = one.core.map_or(String::new(), |core| format!(" {core}"));
        made.push(format!("{now_ns} {kind} {} {} {boosted}{core}", one.request, one.rung));
    }
}
