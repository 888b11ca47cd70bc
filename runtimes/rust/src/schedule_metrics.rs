//! What a schedule has counted, as OpenMetrics text.

use std::fmt::Write;

use crate::options::system_s;
use crate::schedule::Schedule;

pub(crate) fn open_metrics(schedule: &Schedule, reload_age_ns: u64) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_metrics(&mut text, schedule, reload_age_ns);
    text
}

fn write_metrics(to: &mut String, schedule: &Schedule, reload_age_ns: u64) -> std::fmt::Result {
    let (counts, policy) = (schedule.counts(), schedule.policy());
    let counters = policy.counters();
    let totals = [
        ("requests", counts.arrived),
        ("refused", counts.refused),
        ("degraded", counts.degraded),
        ("starts", counts.started),
        ("waits", counts.waited),
        ("climbs", counts.climbs),
        ("descents", counts.descents),
        ("boosts", counts.boosts),
        ("give_ups", counts.gave_up),
        ("cut_offs", counts.cut_off),
        ("exits", counts.exits),
        ("reloads", counts.reloads),
        ("refused_reloads", counters.refused_reloads()),
        ("lookups_outside", counters.outside()),
    ];
    for (name, value) in totals {
        writeln!(to, "# TYPE tailc_{name} counter\ntailc_{name}_total {value}")?;
    }
    writeln!(to, "# TYPE tailc_lookups counter")?;
    for (rung, value) in &counts.lookups {
        writeln!(to, "tailc_lookups_total{{rung=\"{}\"}} {value}", escaped(rung))?;
    }
    let (ticks, late_s) = (counts.ticks, seconds(counts.late_ns));
    writeln!(to, "# TYPE tailc_tick_lateness_seconds summary")?;
    writeln!(to, "tailc_tick_lateness_seconds_count {ticks}")?;
    writeln!(to, "tailc_tick_lateness_seconds_sum {late_s}")?;
    let gauges = [
        ("in_system", schedule.in_system() as f64),
        ("running", schedule.running() as f64),
        ("reload_age_seconds", seconds(reload_age_ns)),
    ];
    for (name, value) in gauges {
        writeln!(to, "# TYPE tailc_{name} gauge\ntailc_{name} {value}")?;
    }
    if let Some(expires_s) = policy.signature_expires_s() {
        let days_left = (expires_s as f64 - system_s() as f64) / 86_400.0;
        writeln!(to, "# TYPE tailc_signature_days_left gauge")?;
        writeln!(to, "tailc_signature_days_left {days_left}")?;
    }
    let last_refusal = counters.last_refusal().map_or("", |refused| refused.name);
    writeln!(
        to,
        "# TYPE tailc_policy info\n\
         tailc_policy_info{{name=\"{}\",generation=\"{}\",digest=\"{}\",last_refusal=\"{}\"}} 1\n\
         # EOF",
        escaped(policy.name()),
        policy.generation(),
        policy.policy_digest(),
        last_refusal,
    )
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
