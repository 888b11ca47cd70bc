//! Plants lies in a policy, repairs its digest, and counts those that an audit refutes.
//!
//!     cargo run --release --example lies -- POLICY.json DESIGN.csv COUNT SEED
//!
//! A lie is one number that says something else than the compiler found: in the evidence of a row,
//! in the summary of the design sample, or in the table. A lie about a replay is larger than its
//! interval, or makes this a tenth as wide, and all that follows from it agrees. Settings that only the spec states, such as
//! the budget, are not lies by themselves. Prints every lie that was not refuted; exits 1 if any.

use std::process::ExitCode;

use tailc_audit::{audit, sha256, without_digest, Given, Json, Verdict};

/// The largest number of a policy.
const LARGEST: i64 = (1 << 53) - 1;
/// Less changes nothing that is measured in whole microseconds.
const LEAST_TIME_US: u64 = 1_000;
const LEAST_CHANGE_PPM: u64 = 500;
/// A lie about a replay is this many intervals, in tenths.
const TENTHS: i64 = 15;
/// Divisor of the distance from a percentile to a limit of its interval, in a lie about the limit.
const NARROWED: i64 = 10;
const PPM: f64 = 1e6;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [policy, design, count, seed] = given.as_slice() else {
        eprintln!("usage: lies POLICY.json DESIGN.csv COUNT SEED");
        return ExitCode::from(2);
    };
    let read = |path: &String| std::fs::read_to_string(path).expect("the file can be read");
    let honest = Json::parse(&read(policy)).expect("the policy is JSON");
    let design = read(design);
    let mut random = Random(seed.parse().expect("a seed is a number"));
    let count: usize = count.parse().expect("a count is a number");
    let places = places(&honest);
    let mut accepted = 0;
    for _ in 0..count {
        let place = &places[random.below(places.len() as u64) as usize];
        let mut lie = honest.clone();
        let change = plant(&mut lie, place, &mut random);
        let claims = audit(&sealed(lie), &Given { design: Some(&design), ..Given::default() });
        if claims.verdict() != Verdict::Refuted {
            accepted += 1;
            println!("not refuted: {} {change}", place.join("."));
        }
    }
    println!("{} of {count} lies refuted, in {} places", count - accepted, places.len());
    ExitCode::from(u8::from(accepted > 0))
}

struct Random(u64);

impl Random {
    /// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// The policy as text with its own digest.
fn sealed(mut policy: Json) -> String {
    let digest = sha256(without_digest(&policy).canonical().as_bytes());
    if let Json::Object(members) = &mut policy {
        let stated = members.iter_mut().find(|(name, _)| name == "policy_digest");
        stated.expect("a policy has a digest").1 = Json::Text(digest);
    }
    policy.canonical()
}

type Place = Vec<String>;

/// Numbers that an audit can refute, as paths from the root.
fn places(policy: &Json) -> Vec<Place> {
    let mut all = Vec::new();
    collect(policy, &mut Vec::new(), &mut all);
    all.retain(|place| is_claim(policy, place));
    all
}

fn collect(json: &Json, path: &mut Place, all: &mut Vec<Place>) {
    let parts: Vec<(String, &Json)> = match json {
        Json::Number(_) => {
            all.push(path.clone());
            return;
        }
        Json::Text(_) => return,
        Json::List(items) => {
            items.iter().enumerate().map(|(place, item)| (place.to_string(), item)).collect()
        }
        Json::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), value)).collect()
        }
    };
    for (name, value) in parts {
        path.push(name);
        collect(value, path, all);
        path.pop();
    }
}

/// Settings that follow from the sample or from the table.
const SETTINGS: [&str; 11] = [
    "deviation_cycles",
    "deviation_memory_ns",
    "gap_ppm",
    "least_us",
    "max_in_system",
    "mean_cycles",
    "mean_memory_ns",
    "percentile_ppm",
    "placed_jobs",
    "profit_udollars",
    "rungs",
];

fn is_claim(policy: &Json, place: &[String]) -> bool {
    let names: Vec<&str> = place.iter().map(String::as_str).collect();
    match names.as_slice() {
        ["evidence", "rows", ..] => true,
        ["evidence", "estimates", "rows", ..] => !name_is(&names, "is_overloaded"),
        ["evidence", "estimates", "requests"] => true,
        ["evidence", "settings", pair, _] => {
            let pair = at(policy, &["evidence", "settings", pair, "0"]);
            let is_bound = |name: &str| name == "max_in_system" && is_replayed(policy);
            matches!(pair, Some(Json::Text(name)) if is_claimed(name) && !is_bound(name))
        }
        ["forms", _, "jobs", _, "green_slots"] => number(policy, &names) > 0,
        ["inputs", input, ..] if !is_plan(policy) => {
            at(policy, &["inputs", input, "role"]) == Some(&Json::Text("design".into()))
        }
        ["forms", _, "rungs", _, "speed_ppm" | "threads"] => true,
        // A table that was searched with replays has no formula that it could contradict.
        ["forms", ..] if is_replayed(policy) => false,
        ["forms", _, "guard" | "boost", _] => true,
        ["forms", _, "cycles" | "memory_ns", ..] => true,
        ["forms", _, "machines", _, "first_a_ppm" | "first_b_milli"] => has_target(policy, &names),
        ["forms", _, "rows", _, "admission", "delay_us"] => number(policy, &names) > 0,
        ["forms", _, "rows", _, "climbs", climb, "age_us"] => *climb != "0",
        ["forms", _, "rows", _, ..] => true,
        _ => false,
    }
}

fn name_is(place: &[&str], name: &str) -> bool {
    place.last() == Some(&name)
}

fn is_replayed(policy: &Json) -> bool {
    at(policy, &["evidence", "proof"]) == Some(&Json::Text("replayed".into()))
}

/// The inputs of plans are not given to an audit.
fn is_plan(policy: &Json) -> bool {
    at(policy, &["forms", "0", "form"]) == Some(&Json::Text("plan".into()))
}

/// Machines without a target have no model.
fn has_target(policy: &Json, place: &[&str]) -> bool {
    let machine = at(policy, &place[..place.len() - 1]);
    machine.is_some_and(|machine| machine.member("target_milli").is_some())
}

fn is_claimed(setting: &str) -> bool {
    SETTINGS.contains(&setting)
        || setting.starts_with("machine_")
        || setting.starts_with("rate_") && !setting.ends_with("batch_ppm")
}

fn at<'a>(json: &'a Json, path: &[&str]) -> Option<&'a Json> {
    path.iter().try_fold(json, |json, name| match json {
        Json::List(items) => items.get(name.parse::<usize>().ok()?),
        other => other.member(name),
    })
}

fn number(policy: &Json, path: &[&str]) -> i64 {
    match at(policy, path) {
        Some(Json::Number(number)) => *number,
        _ => 0,
    }
}

/// Changes the number at `place`; returns what was changed.
fn plant(policy: &mut Json, place: &[String], random: &mut Random) -> String {
    let name = place[place.len() - 1].as_str();
    if place[..place.len() - 1].iter().any(|part| part == "estimates") && name.ends_with("_us") {
        return plant_estimate(policy, place, random);
    }
    let is_time_of_table = place[0] == "forms" && (name == "age_us" || name == "delay_us");
    let number = number_at(policy, place);
    let honest = *number;
    // Percentiles in whole microseconds leave a change open by some millionths.
    let least = match name {
        _ if is_time_of_table => LEAST_TIME_US,
        "change_ppm" => LEAST_CHANGE_PPM,
        _ => 1,
    };
    let size = match random.below(3) {
        0 => least,
        1 => least + random.below(10) * least,
        _ => least + honest.unsigned_abs() / (1 + random.below(100)),
    } as i64;
    // A lower bound that is too low is no lie.
    let rises = name == "bound_us" || honest < size || random.below(2) == 0;
    let rises = rises && honest + size <= LARGEST;
    *number = if rises { honest + size } else { honest - size };
    format!("{honest} -> {}", *number)
}

fn value_at<'a>(policy: &'a mut Json, place: &[String]) -> &'a mut Json {
    place.iter().fold(policy, |json, name| match json {
        Json::List(items) => &mut items[name.parse::<usize>().expect("an index")],
        Json::Object(members) => {
            &mut members.iter_mut().find(|(key, _)| key == name).expect("a member").1
        }
        _ => unreachable!("a path leads through lists and objects"),
    })
}

fn number_at<'a>(policy: &'a mut Json, place: &[String]) -> &'a mut i64 {
    let Json::Number(number) = value_at(policy, place) else { unreachable!("a number") };
    number
}

/// Moves an estimate with its interval, or narrows that; what follows from both agrees.
fn plant_estimate(policy: &mut Json, place: &[String], random: &mut Random) -> String {
    let row: Vec<String> = place[..4].to_vec();
    let path = |names: &[&str]| {
        [&row[..], &names.iter().map(ToString::to_string).collect::<Vec<_>>()].concat()
    };
    let honest = *number_at(policy, place);
    let [low, tail, high] =
        ["low_us", "tail_us", "high_us"].map(|name| *number_at(policy, &path(&[name])));
    let size = (high - low) * (TENTHS + random.below(10) as i64) / 10;
    let shift = if low > size && random.below(2) == 0 { -size } else { size };
    match place[4..].join(".").as_str() {
        "tail_us" => {
            for name in ["low_us", "tail_us", "high_us"] {
                *number_at(policy, &path(&[name])) += shift;
            }
        }
        "low_us" => *number_at(policy, place) = tail - (tail - low) / NARROWED,
        "high_us" => *number_at(policy, place) = tail + (high - tail) / NARROWED,
        _ => *number_at(policy, place) += shift,
    }
    let [low, tail, high] =
        ["low_us", "tail_us", "high_us"].map(|name| *number_at(policy, &path(&[name])));
    let by_hand = *number_at(policy, &path(&["by_hand", "tail_us"]));
    let change = (tail as f64 / by_hand as f64 - 1.0) * PPM;
    *number_at(policy, &path(&["by_hand", "change_ppm"])) = change.round() as i64;
    let slo = number_at(policy, &path(&["slo"])).to_string();
    let limit = *number_at(policy, &["slos", &slo, "latency_us"].map(String::from));
    let standing = match (high <= limit, low > limit) {
        (true, _) => "pass",
        (_, true) => "fail",
        _ => "undecided",
    };
    *value_at(policy, &path(&["standing"])) = Json::Text(standing.into());
    format!("{honest} -> {}", *number_at(policy, place))
}
