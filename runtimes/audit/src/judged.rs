//! Estimates of replays: the policy is replayed again, and so is the best setting by hand.

use crate::artifact::Artifact;
use crate::claims::Claims;
use crate::json::Json;
use crate::ladder::{Admission, Ladder, Row};
use crate::profile::Profile;
use crate::replays::{Interval, Overload, Repeats, Replays, Sample};
use crate::shared_cores::{simulate, Arrival, Rules, Server};

const PPM: f64 = 1e6;
const NS_PER_US: f64 = 1e3;
/// Larger replays take hours here.
const MOST_REQUESTS: i128 = 60_000;
const MOST_IN_SAMPLE: i128 = 1 << 20;
const MOST_RATES: usize = 64;
/// An interval that is narrower than this part of the one found here is too narrow.
const NARROWEST: f64 = 0.5;
/// What an upper limit leaves on each side, see docs/verdicts.md.
const BEYOND: f64 = 0.02;
const KNOWN_RULES: [&str; 6] = [
    "age-from-arrival",
    "boost-last-rung",
    "give-up",
    "never-descend",
    "reread-row",
    "start-below",
];

/// Estimates of a kind whose server is not simulated: what follows from their numbers themselves.
pub fn check_stated(
    artifact: &Artifact,
    estimates: &Json,
    claims: &mut Claims,
) -> Result<(), String> {
    let rows = estimates.list("rows")?;
    check_rates(artifact, rows, claims)?;
    let requests = estimates.number("requests")?;
    for row in rows {
        let place = format!("the estimate at {}", row.text("arrivals")?);
        let standing = row.text("standing")?;
        let slo = artifact.policy.list("slos")?.get(row.number("slo")? as usize);
        let (Some(slo), true) = (slo, standing != "overloaded") else { continue };
        let limits = Limits::of(row)?;
        limits.check(standing, slo, requests, &place, claims)?;
        match row.member("by_hand") {
            Some(by_hand) if by_hand.number("is_overloaded")? == 0 => {
                let place = format!("{} in {place}", by_hand.text("name")?);
                limits.check_change(by_hand, &place, claims)?;
            }
            _ => {}
        }
    }
    let kind = artifact.policy.text("kind")?;
    claims.cannot_check(format!(
        "the replays behind the estimates: the server of `{kind}` is not simulated"
    ));
    Ok(())
}

/// Each SLO has an estimate at each rate of the policy.
fn check_rates(artifact: &Artifact, rows: &[Json], claims: &mut Claims) -> Result<(), String> {
    let slos = artifact.policy.list("slos")?.len();
    let rates = artifact.policy.numbers("rates_mrps")?;
    if slos.saturating_mul(rates.len()) > MOST_RATES {
        return Err(format!("more than {MOST_RATES} estimates are not repeated"));
    }
    let mut right: Vec<(i128, usize)> =
        rates.iter().flat_map(|rate_mrps| (0..slos).map(|slo| (*rate_mrps, slo))).collect();
    let mut stated = Vec::new();
    for row in rows {
        stated.push((row.number("rate_mrps")?, row.number("slo")? as usize));
    }
    right.sort_unstable();
    stated.sort_unstable();
    let by = "not one for each SLO at each rate of the policy";
    claims.judge("rates", "the estimates", right == stated, by);
    Ok(())
}

struct Judge<'a> {
    artifact: &'a Artifact,
    sample: Sample<'a>,
    /// Of each rung: its threads.
    degrees: Vec<usize>,
    server: Server,
    requests: i128,
    repeats: i128,
    requests_per_replay: i128,
    is_in_sample: bool,
}

pub fn check(
    artifact: &Artifact,
    ladder: Ladder,
    profile: &Profile,
    claims: &mut Claims,
) -> Result<(), String> {
    let evidence = artifact.evidence()?;
    let Some(estimates) = evidence.member("estimates") else {
        claims.cannot_check("the table: it comes from replays, and no estimate is stated");
        return Ok(());
    };
    let judge = Judge::of(artifact, ladder, profile, estimates)?;
    judge.check_numbers(profile, claims)?;
    let rows = estimates.list("rows")?;
    check_rates(artifact, rows, claims)?;
    for row in rows {
        judge.check_row(row, claims)?;
    }
    if artifact.setting("loss_ppm")?.is_some() {
        claims.cannot_check(
            "`loss_ppm`, the share of resamples in which the table loses: the policy does not have \
             the other tables of the search",
        );
    }
    Ok(())
}

impl Judge<'_> {
    fn of<'a>(
        artifact: &'a Artifact,
        ladder: Ladder,
        profile: &'a Profile,
        estimates: &Json,
    ) -> Result<Judge<'a>, String> {
        let reading = artifact.policy.member("reading");
        if reading.is_some_and(|reading| reading.member("serial").is_some()) {
            return Err("requests with serial parts are not replayed".into());
        }
        let server = server(artifact.form("ladder")?, ladder)?;
        let degrees: Vec<usize> = server.threads.iter().map(|threads| *threads as usize).collect();
        if degrees.iter().any(|degree| *degree > profile.requests[0].speeds.len()) {
            return Err("the profile has fewer speed-ups than the ladder has threads".into());
        }
        let judge = Judge {
            artifact,
            sample: Sample::of(profile),
            degrees,
            server,
            requests: estimates.number("requests")?,
            repeats: estimates.number("repeats")?,
            requests_per_replay: estimates.number("requests_per_replay")?,
            is_in_sample: match estimates.text("sample")? {
                "in-sample" => true,
                "kept-back" => false,
                other => return Err(format!("a sample `{other}` is not known")),
            },
        };
        if judge.requests < 1 || judge.repeats < 1 || judge.requests_per_replay < 1 {
            return Err("estimates have replays of at least one request".into());
        }
        let are_many =
            judge.requests_per_replay > MOST_REQUESTS || profile.total_weight() > MOST_IN_SAMPLE;
        if are_many {
            return Err(format!(
                "replays of more than {MOST_REQUESTS} requests are not repeated, nor samples of \
                 more than {MOST_IN_SAMPLE}"
            ));
        }
        Ok(judge)
    }

    /// The stated numbers of requests.
    fn check_numbers(&self, profile: &Profile, claims: &mut Claims) -> Result<(), String> {
        let place = "the estimates";
        let total = profile.total_weight();
        if self.is_in_sample {
            claims.equal("requests", place, self.requests, total);
        } else {
            let by = format!("{} are claimed to be a part of {total}", self.requests);
            claims.judge("requests", place, self.requests < total, &by);
        }
        if let Some(stated) = self.artifact.setting("judged_on")? {
            claims.equal("judged_on", "the evidence", stated, self.requests);
        }
        Ok(())
    }

    fn check_row(&self, row: &Json, claims: &mut Claims) -> Result<(), String> {
        let rate_mrps = row.number("rate_mrps")?;
        let arrivals = row.text("arrivals")?;
        let place = format!("the estimate at {arrivals}");
        let slos = self.artifact.policy.list("slos")?;
        let Some(slo) = slos.get(row.number("slo")? as usize).filter(|_| rate_mrps > 0) else {
            return Ok(());
        };
        if arrivals.contains(' ') || slo.member("class").is_some() {
            claims.cannot_check(format!(
                "{place}: only Poisson arrivals and SLOs of all requests are replayed"
            ));
            return Ok(());
        }
        let in_words = format!("{}/s", decimal(rate_mrps));
        let by = format!("`{arrivals}` is claimed, `{in_words}` is right");
        claims.judge("arrivals", &place, in_words == arrivals.replace(',', ""), &by);
        let replays = Replays {
            sample: &self.sample,
            rate_mrps,
            percentile_ppm: percentile_ppm(slo)?,
            requests: self.requests_per_replay as usize,
            sample_size: self.requests,
        };
        let ours = replays.repeats(&self.server, &self.degrees);
        let claimed = row.text("standing")?;
        if !check_overload(claimed == "overloaded", ours.overload, &place, claims) {
            return Ok(());
        }
        let limits = Limits::of(row)?;
        limits.check(claimed, slo, self.requests, &place, claims)?;
        let interval = replays.interval(&self.server, &self.degrees, &ours);
        self.check_tail(&limits, &ours, &place, claims);
        self.check_width(&limits, replays.share(), &ours, &interval, &place, claims);
        match row.member("by_hand") {
            Some(by_hand) => self.check_by_hand(by_hand, &limits, &replays, &place, claims),
            None => Ok(()),
        }
    }

    /// The percentile found here is within the stated interval, and near the stated one.
    fn check_tail(&self, limits: &Limits, ours: &Repeats, place: &str, claims: &mut Claims) {
        let us = |ns: f64| ns / NS_PER_US;
        let noise_us = us(ours.noise_ns(self.repeats)) + 1.0;
        let tail_us = us(ours.tail_ns);
        let high_us = limits.high_us.unwrap_or(f64::INFINITY);
        let is_within = (limits.low_us - noise_us..=high_us + noise_us).contains(&tail_us);
        let by = format!("{} us is found, outside of the stated interval", tail_us.round());
        claims.judge("interval of the percentile", place, is_within, &by);
        if self.is_in_sample {
            let off_us = limits.tail_us - tail_us;
            let by = format!(
                "{} is claimed, {} is found: off by {}, and replays differ by at most {}",
                limits.tail_us,
                tail_us.round(),
                off_us.round(),
                noise_us.ceil()
            );
            claims.judge("tail_us on the same sample", place, off_us.abs() <= noise_us, &by);
        }
    }

    /// The stated interval has not many fewer requests than the one found here.
    fn check_width(
        &self,
        limits: &Limits,
        share: f64,
        ours: &Repeats,
        interval: &Interval,
        place: &str,
        claims: &mut Claims,
    ) {
        let within = |us: f64| ours.share_within(us * NS_PER_US);
        let is_wide = |stated: f64, found: f64| stated >= NARROWEST * found - interval.noise;
        let by = |stated: f64, found: f64| {
            format!("{stated:.6} of all requests are between it and the percentile, not {found:.6}")
        };
        let stated = within(limits.tail_us) - within(limits.low_us);
        let found = share - interval.low;
        claims.judge("low_us", place, is_wide(stated, found), &by(stated, found));
        if let (Some(high), Some(high_us)) = (interval.high, limits.high_us) {
            let stated = within(high_us) - within(limits.tail_us);
            let found = high - share;
            claims.judge("high_us", place, is_wide(stated, found), &by(stated, found));
        }
    }

    fn check_by_hand(
        &self,
        by_hand: &Json,
        limits: &Limits,
        replays: &Replays,
        place: &str,
        claims: &mut Claims,
    ) -> Result<(), String> {
        let name = by_hand.text("name")?;
        let place = format!("{name} in {place}");
        if by_hand.member("cost_change_ppm").is_some() {
            claims.cannot_check(format!("the cost of {place}"));
        }
        let Some(server) = self.setting_by_hand(name) else {
            claims.cannot_check(format!("{place}: no such setting is known"));
            return Ok(());
        };
        let ours = replays.repeats(&server, &self.degrees);
        let is_claimed = by_hand.number("is_overloaded")? != 0;
        if !check_overload(is_claimed, ours.overload, &place, claims) {
            return Ok(());
        }
        let tail_us = by_hand.number("tail_us")? as f64;
        let ours_us = ours.tail_ns / NS_PER_US;
        let noise_us = ours.noise_ns(self.repeats) / NS_PER_US + 1.0;
        // Another sample moves both percentiles by about the same part.
        let part = |limit_us: f64| tail_us / limits.tail_us * limit_us;
        let [low_us, high_us] = if self.is_in_sample {
            [tail_us, tail_us]
        } else {
            [part(limits.low_us), part(limits.high_us.unwrap_or(f64::INFINITY))]
        };
        let is_within = (low_us - noise_us..=high_us + noise_us).contains(&ours_us);
        let by = format!(
            "{tail_us} is claimed, {} is found, and replays differ by at most {}",
            ours_us.round(),
            noise_us.ceil()
        );
        claims.judge("tail_us by hand", &place, is_within, &by);
        limits.check_change(by_hand, &place, claims)
    }

    /// A setting of docs/replay.md by its name in reports; None: it is another one.
    fn setting_by_hand(&self, name: &str) -> Option<Server> {
        let rung_of = |number: &str| {
            let threads = number.parse::<f64>().ok()?;
            self.server.threads.iter().position(|of_rung| *of_rung == threads)
        };
        let stay = |rung: usize| vec![(0, rung)];
        let rows = if name == "SEQ" {
            vec![row(1, stay(0))]
        } else if let Some(number) = name.strip_prefix("FIX-") {
            match number.split_once(" below ") {
                Some((number, load)) => {
                    let load = load.parse().ok()?;
                    vec![row(1, stay(rung_of(number)?)), row(load, stay(0))]
                }
                None => vec![row(1, stay(rung_of(number)?))],
            }
        } else {
            let every_us = microseconds(name.strip_prefix("every ")?)?;
            let climbs = 0..self.server.threads.len();
            vec![row(1, climbs.map(|rung| (rung as i128 * every_us, rung)).collect())]
        };
        let threads = self.server.threads.clone();
        Some(Server { rows, threads, rules: Rules::default(), ..self.server })
    }
}

/// Whether the numbers of a row have a meaning that can be compared.
fn check_overload(is_claimed: bool, found: Overload, place: &str, claims: &mut Claims) -> bool {
    match found {
        Overload::Unclear => {
            claims.cannot_check(format!("{place}: the server is nearly overloaded"))
        }
        clear => {
            let by = if is_claimed { "it is not" } else { "it is" };
            claims.judge("overload", place, is_claimed == (clear == Overload::Yes), by);
        }
    }
    !is_claimed && found == Overload::No
}

struct Limits {
    tail_us: f64,
    low_us: f64,
    high_us: Option<f64>,
}

impl Limits {
    fn of(row: &Json) -> Result<Limits, String> {
        Ok(Limits {
            tail_us: row.number("tail_us")? as f64,
            low_us: row.number("low_us")? as f64,
            high_us: row.number_or_none("high_us")?.map(|high_us| high_us as f64),
        })
    }

    /// What follows from the numbers themselves.
    fn check(
        &self,
        standing: &str,
        slo: &Json,
        requests: i128,
        place: &str,
        claims: &mut Claims,
    ) -> Result<(), String> {
        let high_us = self.high_us.unwrap_or(f64::INFINITY);
        let is_ordered = self.low_us <= self.tail_us && self.tail_us <= high_us;
        claims.judge("tail_us", place, is_ordered, "it is outside of its own interval");
        // So few requests have no upper limit; a request has many times between tokens.
        if slo.member("metric") != Some(&Json::Text("itl".into())) {
            let share = percentile_ppm(slo)? as f64 / PPM;
            let holds = self.high_us.is_none() || share.powf(requests as f64) <= BEYOND;
            let by = format!("{requests} requests may all be below the percentile");
            claims.judge("sample", place, holds, &by);
        }
        let right = self.standing(slo.number("latency_us")?);
        let by = format!("`{standing}` is claimed, `{right}` is right");
        claims.judge("standing", place, standing == right, &by);
        Ok(())
    }

    /// The change from a setting by hand follows from both percentiles.
    fn check_change(&self, by_hand: &Json, place: &str, claims: &mut Claims) -> Result<(), String> {
        let tail_us = by_hand.number("tail_us")? as f64;
        let change = (self.tail_us / tail_us - 1.0) * PPM;
        // Both percentiles are rounded to whole microseconds.
        let spare = PPM * (self.tail_us + tail_us) / (tail_us * tail_us) + 1.0;
        let stated = by_hand.number("change_ppm")? as f64;
        let by = format!("{stated} is claimed, {} is right", change.round());
        claims.judge("change_ppm", place, (stated - change).abs() <= spare, &by);
        Ok(())
    }

    fn standing(&self, latency_us: i128) -> &'static str {
        let latency_us = latency_us as f64;
        match self.high_us {
            Some(high_us) if high_us <= latency_us => "pass",
            _ if self.low_us > latency_us => "fail",
            _ => "undecided",
        }
    }
}

/// Of an SLO; other numbers have no requests above or none below.
fn percentile_ppm(slo: &Json) -> Result<i128, String> {
    match slo.number("percentile_ppm")? {
        ppm @ 1..=999_999 => Ok(ppm),
        other => Err(format!("`percentile_ppm` of an SLO is {other}, not from 1 to 999,999")),
    }
}

fn row(first_load: i128, climbs: Vec<(i128, usize)>) -> Row {
    Row { first_load, last_load: None, admission: Admission::AtOnce, climbs }
}

/// The server of the policy; fails if it has a rule that is not simulated.
fn server(form: &Json, ladder: Ladder) -> Result<Server, String> {
    let guard = form.member("guard").ok_or("the ladder has no guard")?;
    if guard.text("outside")? != "clamp" {
        return Err("a table whose guard is not `clamp` is not replayed".into());
    }
    let mut rules = Vec::new();
    for rule in form.list("rules")? {
        match rule {
            Json::Text(name) if KNOWN_RULES.contains(&name.as_str()) => rules.push(name.as_str()),
            _ => return Err("a table with a rule for other servers is not replayed".into()),
        }
    }
    let unit = ladder.limited_unit().ok_or("the cores have no limit")?;
    let number = |member: &str, name: &str| {
        let member = form.member(member).ok_or_else(|| format!("the ladder has no `{member}`"))?;
        member.number(name)
    };
    let threads = |ppm: i128| ppm as f64 / PPM;
    let when = |name: &str, value: &dyn Fn() -> Result<f64, String>| {
        rules.contains(&name).then(value).transpose()
    };
    let rules = Rules {
        rereads_row: rules.contains(&"reread-row"),
        may_descend: !rules.contains(&"never-descend"),
        ages_from_arrival: ladder.ages_from_arrival,
        boosts_below: when("boost-last-rung", &|| Ok(threads(number("boost", "below_ppm")?)))?,
        starts_below: when("start-below", &|| Ok(threads(number("sharing", "start_below_ppm")?)))?,
        gives_up_ns: when("give-up", &|| Ok(number("sharing", "give_up_us")? as f64 * NS_PER_US))?
            .map(|ns| ns as i64),
    };
    Ok(Server {
        threads: ladder.costs_ppm(unit).into_iter().map(threads).collect(),
        cores: threads(ladder.capacity_ppm[unit].unwrap_or(0)),
        quantum_ns: i64::try_from(form.number("quantum_us")? * 1_000).map_err(|_| "a quantum")?,
        rules,
        rows: ladder.rows,
    })
}

/// Latencies of requests of a profile that arrive at these times, under the form of a ladder [ns].
pub fn latencies(form: &str, design: &str, arrivals: &[(i64, usize)]) -> Result<Vec<i64>, String> {
    let form = Json::parse(form)?;
    let profile = Profile::parse(design)?;
    let server = server(&form, Ladder::of(&form)?)?;
    let degrees: Vec<usize> = server.threads.iter().map(|threads| *threads as usize).collect();
    let sample = Sample::of(&profile);
    let arrivals: Vec<Arrival> =
        arrivals.iter().map(|(at_ns, place)| sample.arrival(*place, *at_ns, &degrees)).collect();
    Ok(simulate(&server, &arrivals).latency_ns)
}

/// A rate in thousandths, as reports have it.
fn decimal(milli: i128) -> String {
    let text = format!("{}.{:03}", milli / 1_000, milli % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// A time in words, such as `100 ms`.
fn microseconds(text: &str) -> Option<i128> {
    let (number, unit) = text.split_once(' ')?;
    let digits = match unit {
        "us" => 0,
        "ms" => 3,
        "s" => 6,
        _ => return None,
    };
    crate::decimal::scaled(&number.replace(',', ""), digits)
}
