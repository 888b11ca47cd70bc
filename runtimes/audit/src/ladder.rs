//! The table of a ladder: how a request runs at each load.

use crate::json::Json;

pub const FS_PER_US: i128 = 1_000_000_000;

pub struct Ladder {
    pub rungs: Vec<Rung>,
    /// Of each cost unit, in millionths.
    pub capacity_ppm: Vec<Option<i128>>,
    pub unit_names: Vec<String>,
    pub rows: Vec<Row>,
    pub guard: Guard,
    pub boost: Option<Boost>,
    pub ages_from_arrival: bool,
    pub load_axis: String,
}

pub struct Rung {
    pub speed_ppm: i128,
    pub cost_ppm: Vec<i128>,
    pub threads: Option<i128>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub first_load: i128,
    pub last_load: Option<i128>,
    pub admission: Admission,
    pub climbs: Vec<(i128, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    AtOnce,
    DelayUs(i128),
    OnExit,
}

pub struct Guard {
    pub min_load: i128,
    pub max_load: i128,
}

pub struct Boost {
    pub unit: usize,
    pub below_ppm: i128,
}

impl Ladder {
    pub fn of(form: &Json) -> Result<Ladder, String> {
        let guard = form.member("guard").ok_or("the ladder has no guard")?;
        let rules = form.list("rules")?;
        let ladder = Ladder {
            rungs: form.list("rungs")?.iter().map(rung).collect::<Result<_, _>>()?,
            capacity_ppm: form
                .list("cost_units")?
                .iter()
                .map(|unit| unit.number_or_none("capacity_ppm"))
                .collect::<Result<_, _>>()?,
            unit_names: form
                .list("cost_units")?
                .iter()
                .map(|unit| Ok(unit.text("name")?.to_string()))
                .collect::<Result<_, String>>()?,
            rows: form.list("rows")?.iter().map(row).collect::<Result<_, _>>()?,
            guard: Guard {
                min_load: guard.number("min_load")?,
                max_load: guard.number("max_load")?,
            },
            boost: form.member("boost").map(boost).transpose()?,
            ages_from_arrival: rules.contains(&Json::Text("age-from-arrival".into())),
            load_axis: form.text("load_axis")?.to_string(),
        };
        let are_there = !ladder.rungs.is_empty() && !ladder.rows.is_empty();
        are_there.then_some(ladder).ok_or_else(|| "the ladder has no rungs or no rows".into())
    }

    /// What is wrong with its structure: rows follow one another, climbs rise, rungs are there.
    pub fn disorder(&self) -> Option<String> {
        let mut ends = self.rows.iter().map(|row| row.last_load);
        let starts = self.rows.iter().skip(1).map(|row| Some(row.first_load - 1));
        let is_covering =
            ends.by_ref().take(self.rows.len() - 1).eq(starts) && ends.next() == Some(None);
        let rises = |row: &Row| {
            let pairs = row.climbs.windows(2);
            row.climbs.first().is_some_and(|(age, _)| *age == 0)
                && pairs.into_iter().all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1)
        };
        let units = self.capacity_ppm.len();
        let is_rung = |(_, rung): &(i128, usize)| *rung < self.rungs.len();
        if !self.rows.iter().all(|row| row.climbs.iter().all(is_rung)) {
            return Some("a climb leads to a rung that the ladder has not".into());
        }
        let is_unit = |boost: &Boost| boost.unit < units;
        let have_costs = self.rungs.iter().all(|rung| rung.cost_ppm.len() == units);
        if !have_costs || !self.boost.as_ref().is_none_or(is_unit) {
            return Some("rungs or boosting name cost units that the ladder has not".into());
        }
        let has_amounts =
            |rung: &Rung| rung.speed_ppm > 0 && rung.cost_ppm.iter().all(|cost| *cost >= 0);
        let is_amount = self.rungs.iter().all(has_amounts)
            && self.capacity_ppm.iter().flatten().all(|capacity| *capacity > 0);
        if !is_amount {
            return Some("a speed or a capacity is not above 0, or a cost is below 0".into());
        }
        if !is_covering {
            return Some("its rows have a gap or overlap".into());
        }
        let flat = self.rows.iter().find(|row| !rises(row))?;
        Some(format!("the climbs of the row from load {} do not rise from age 0", flat.first_load))
    }

    pub fn row_at(&self, load: i128) -> &Row {
        &self.rows[row_index(&self.rows, load)]
    }

    /// The cost unit with a capacity, if there is exactly one.
    pub fn limited_unit(&self) -> Option<usize> {
        let mut limited = self.capacity_ppm.iter().enumerate().filter(|(_, c)| c.is_some());
        match (limited.next(), limited.next()) {
            (Some((unit, _)), None) => Some(unit),
            _ => None,
        }
    }

    pub fn costs_ppm(&self, unit: usize) -> Vec<i128> {
        self.rungs.iter().map(|rung| rung.cost_ppm[unit]).collect()
    }

    /// Time on each rung but the last under these climbs, whose ages count from `start_us`.
    pub fn stays(&self, climbs: &[(i128, usize)], start_us: i128) -> Vec<Option<i128>> {
        let mut stays = vec![Some(0); self.rungs.len() - 1];
        // A request climbs at its start to the rung of an age that it has by then.
        let begin = |age: i128| (age - start_us).max(0) * FS_PER_US;
        for (place, (age, rung)) in climbs.iter().enumerate() {
            if let Some(stay) = stays.get_mut(*rung) {
                *stay = climbs.get(place + 1).map(|(next, _)| begin(*next) - begin(*age));
            }
        }
        stays
    }
}

/// The row whose range includes the load; the first one for smaller loads.
pub fn row_index(rows: &[Row], load: i128) -> usize {
    let after = rows.iter().position(|row| row.first_load > load);
    after.unwrap_or(rows.len()).saturating_sub(1)
}

fn rung(json: &Json) -> Result<Rung, String> {
    Ok(Rung {
        speed_ppm: json.number("speed_ppm")?,
        cost_ppm: json.numbers("cost_ppm")?,
        threads: json.number_or_none("threads")?,
    })
}

fn row(json: &Json) -> Result<Row, String> {
    let admission = json.member("admission").ok_or("a row has no admission")?;
    let climb = |climb: &Json| Ok((climb.number("age_us")?, climb.number("rung")? as usize));
    Ok(Row {
        first_load: json.number("first_load")?,
        last_load: json.number_or_none("last_load")?,
        admission: match (admission.text("kind")?, admission.number("delay_us")?) {
            ("at-once", 0) => Admission::AtOnce,
            ("delay", delay_us) if delay_us > 0 => Admission::DelayUs(delay_us),
            ("on-exit", 0) => Admission::OnExit,
            _ => return Err("a row has an admission that this program does not know".into()),
        },
        climbs: json.list("climbs")?.iter().map(climb).collect::<Result<_, String>>()?,
    })
}

fn boost(json: &Json) -> Result<Boost, String> {
    Ok(Boost { unit: json.number("unit")? as usize, below_ppm: json.number("below_ppm")? })
}

#[cfg(test)]
mod tests {
    use super::{Admission, Ladder};
    use crate::json::Json;

    fn ladder(rows: &str) -> Ladder {
        let text = format!(
            "{{\"rungs\":[{{\"speed_ppm\":1,\"cost_ppm\":[1]}},{{\"speed_ppm\":2,\"cost_ppm\":[2]}}],\
             \"cost_units\":[{{\"name\":\"threads\",\"capacity_ppm\":4}}],\"rules\":[],\"load_axis\":\"in_system\",\
             \"guard\":{{\"min_load\":1,\"max_load\":3}},\"rows\":[{rows}]}}"
        );
        Ladder::of(&Json::parse(&text).unwrap()).unwrap()
    }

    fn row(first: i32, last: &str, delay: i32, climbs: &str) -> String {
        let kind = if delay > 0 { "delay" } else { "at-once" };
        format!(
            "{{\"first_load\":{first}{last},\"admission\":{{\"kind\":\"{kind}\",\"delay_us\":{delay}}},\
             \"climbs\":[{climbs}]}}"
        )
    }

    const UP: &str = "{\"age_us\":0,\"rung\":0},{\"age_us\":7,\"rung\":1}";
    const LAST: &str = "{\"age_us\":0,\"rung\":1}";

    #[test]
    fn a_load_has_the_row_that_includes_it() {
        let ladder = ladder(&[row(1, ",\"last_load\":2", 0, UP), row(3, "", 5, LAST)].join(","));
        assert_eq!(ladder.disorder(), None);
        assert_eq!(ladder.row_at(0).first_load, 1);
        assert_eq!(ladder.row_at(9).admission, Admission::DelayUs(5));
        assert_eq!(ladder.stays(&ladder.row_at(2).climbs, 0), [Some(7_000_000_000)]);
        assert_eq!(ladder.stays(&ladder.row_at(2).climbs, 3), [Some(4_000_000_000)]);
        assert_eq!(ladder.stays(&ladder.row_at(2).climbs, 9), [Some(0)]);
        assert_eq!(ladder.stays(&ladder.row_at(3).climbs, 0), [Some(0)]);
    }

    #[test]
    fn a_capacity_is_above_nothing() {
        let mut ladder = ladder(&row(1, "", 0, UP));
        assert_eq!(ladder.disorder(), None);
        ladder.capacity_ppm[0] = Some(-4);
        assert!(ladder.disorder().unwrap().contains("not above 0"));
    }

    #[test]
    fn gaps_and_falling_climbs_are_found() {
        let gap = ladder(&[row(1, ",\"last_load\":1", 0, UP), row(3, "", 0, UP)].join(","));
        assert!(gap.disorder().unwrap().contains("gap"));
        let falls = "{\"age_us\":0,\"rung\":1},{\"age_us\":7,\"rung\":0}";
        assert!(ladder(&row(1, "", 0, falls)).disorder().unwrap().contains("rise"));
    }
}
