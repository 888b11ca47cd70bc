//! A trace of throughput: rows of machines with a time, completed work a second and a share.

use std::collections::BTreeMap;

use crate::decimal::scaled;
use crate::digest::Hasher;
use crate::json::Json;

pub struct Series {
    pub time_us: Vec<i64>,
    pub throughput: Vec<f64>,
    pub share: Vec<f64>,
}

pub struct ThroughputTrace {
    /// By name, in order of time.
    pub series: BTreeMap<String, Series>,
}

impl ThroughputTrace {
    /// Reads the columns that the reading of a policy names.
    pub fn parse(text: &str, reading: &Json) -> Result<ThroughputTrace, String> {
        if reading.member("waiting").is_some() || !reading.list("where")?.is_empty() {
            return Err("traces with a column of waiting requests, or with rows left out".into());
        }
        let digits = match reading.text("unit")? {
            "us" => 0,
            "ms" => 3,
            "s" => 6,
            _ => return Err("times in nanoseconds".into()),
        };
        let mut lines = text.lines().enumerate();
        let header: Vec<&str> = lines.next().map_or("", |(_, line)| line).split(',').collect();
        let column = |name: &str| -> Result<usize, String> {
            let stated = reading.text(name)?;
            let place = header.iter().position(|each| *each == stated);
            place.ok_or_else(|| format!("line 1: there is no column `{stated}`"))
        };
        let [machine, time, throughput, share] =
            [column("machine")?, column("time")?, column("demand")?, column("share")?];
        let mut rows: BTreeMap<String, Vec<(i64, f64, f64)>> = BTreeMap::new();
        for (number, line) in lines {
            let cells: Vec<&str> = line.split(',').collect();
            let row = (|| {
                let time_us = i64::try_from(scaled(cells.get(time)?, digits)?).ok()?;
                let value = |place: usize| cells.get(place)?.parse::<f64>().ok();
                Some((time_us, value(throughput)?, value(share)?))
            })();
            let row = row.ok_or_else(|| format!("line {}: not a row of numbers", number + 1))?;
            let name = cells.get(machine).copied().unwrap_or_default();
            rows.entry(name.to_string()).or_default().push(row);
        }
        Ok(ThroughputTrace {
            series: rows.into_iter().map(|(name, r)| (name, series(r))).collect(),
        })
    }

    pub fn rows(&self) -> i128 {
        self.series.values().map(|each| each.time_us.len() as i128).sum()
    }

    pub fn digest(&self) -> String {
        let mut hasher = Hasher::default();
        for (name, each) in &self.series {
            hasher.add(format!("{name}\0{}\0", each.time_us.len()).as_bytes());
            each.time_us.iter().for_each(|time| hasher.add(&time.to_le_bytes()));
            each.throughput.iter().for_each(|value| hasher.add(&value.to_le_bytes()));
            each.share.iter().for_each(|value| hasher.add(&value.to_le_bytes()));
        }
        hasher.hex()
    }
}

fn series(mut rows: Vec<(i64, f64, f64)>) -> Series {
    rows.sort_by_key(|row| row.0);
    Series {
        time_us: rows.iter().map(|row| row.0).collect(),
        throughput: rows.iter().map(|row| row.1).collect(),
        share: rows.iter().map(|row| row.2).collect(),
    }
}
