//! The calls of a plan, answered as they are written in vector files.

use std::path::PathBuf;

use tailc_runtime::{Bus, Plan, Policy, Quote, Span};

use crate::lines::{pair, AnyResult, Row};
use crate::vectors::{difference, Check};

pub fn calls(path: PathBuf) -> AnyResult<Check> {
    let policy = Policy::open(path)?;
    let first = policy.plan()?.clone();
    let (mut plan, mut sequence) = (first.clone(), String::new());
    Ok(Box::new(move |row| {
        if row.at("sequence") != sequence {
            plan = first.clone();
            sequence = row.at("sequence").to_owned();
        }
        let told = answered(&mut plan, row)?;
        let columns = ["answer", "pays_udollars", "worth_udollars", "green_slots", "places"];
        let parts = columns.iter().zip(&told).map(|(name, got)| difference(got, row.at(name)));
        Ok(parts.collect::<Vec<_>>().concat())
    }))
}

/// The answer, three amounts and places.
type Told = [String; 5];

fn only(answer: impl ToString) -> Told {
    with_places(answer, String::new())
}

fn with_places(answer: impl ToString, places: String) -> Told {
    [answer.to_string(), String::new(), String::new(), String::new(), places]
}

fn or_empty(answer: Option<impl ToString>) -> Told {
    answer.map_or_else(|| only(""), only)
}

fn answered(plan: &mut Plan, row: &Row) -> AnyResult<Told> {
    match row.at("call") {
        "epoch" => return Ok(or_empty(plan.epoch_at(row.number("unix_s")?))),
        "source" => {
            let bus = plan.source(row.number("pool")?, row.number("unix_s")?);
            return Ok(or_empty(bus.map(word_of)));
        }
        "stored" => {
            let stored = plan.stored(row.number("unix_s")?);
            let text = stored.map(|stored| format!("{}:{}", stored.battery_mj, stored.stored_mj));
            return Ok(or_empty(text));
        }
        "about" => {
            let grid_mw = plan.grid_mw().map_or_else(String::new, |power| power.to_string());
            return Ok(only(format!("{grid_mw}:{}", plan.later_jobs().unwrap_or(""))));
        }
        "allocation" => return allocated(plan, row),
        _ => {}
    }
    let (job, first_epoch) = (row.at("job"), row.number("first_epoch")?);
    match row.at("call") {
        "width" => {
            let widths: AnyResult<Vec<(i64, i64)>> =
                row.at("widths").split_whitespace().map(pair).collect();
            let epochs_of = widths?.into_iter().map(|(width, epochs)| (width, epochs as usize));
            return Ok(or_empty(plan.cheapest_width(first_epoch, &epochs_of.collect())?));
        }
        "release" => {
            plan.release(job, first_epoch)?;
            return Ok(only("released"));
        }
        _ => {}
    }
    let (epochs, width) = (row.number("epochs")?, row.number("width")?);
    Ok(match row.at("call") {
        "take" => match plan.take(job, first_epoch, epochs, width)? {
            Some(spans) => with_places("taken", text_of(&spans)),
            None => only("no-room"),
        },
        "admit" => {
            quoted(&plan.admit(job, first_epoch, epochs, width, row.number("green_ppm")?)?)
        }
        _ => quoted(&plan.quote(first_epoch, epochs, width, row.number("green_ppm")?)?),
    })
}

fn word_of(bus: Bus) -> &'static str {
    match bus {
        Bus::Mixed => "mixed",
        Bus::Green => "green",
        Bus::Brown => "brown",
    }
}

fn allocated(plan: &Plan, row: &Row) -> AnyResult<Told> {
    let Some(held) = plan.allocation(row.at("job"), row.number("unix_s")?) else {
        return Ok(only(""));
    };
    let places: Vec<String> =
        held.iter().map(|place| format!("{}:{}", place.pool, place.servers)).collect();
    Ok(with_places("told", places.join(" ")))
}

fn quoted(told: &Quote) -> Told {
    let answer = match &told.places {
        Some(_) if told.is_admitted() => "admitted",
        Some(_) => "refused",
        None => "no-room",
    };
    [
        answer.to_owned(),
        told.pays_udollars.to_string(),
        told.worth_udollars.to_string(),
        told.green_slots.to_string(),
        told.places.as_deref().map(text_of).unwrap_or_default(),
    ]
}

fn text_of(spans: &[Span]) -> String {
    let words: Vec<String> = spans
        .iter()
        .map(|span| format!("{}:{}:{}:{}", span.first_epoch, span.pool, span.epochs, span.servers))
        .collect();
    words.join(" ")
}
