//! Runs every look-up vector in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use tailc_runtime::{Ladder, Lane, Options, Policy, PublicKey, Served, Start};

use crate::lines::{pair, rows_of, AnyResult, Row};
use crate::{plans, schedules, Outcome};

/// What of a row is answered otherwise; empty: nothing.
pub type Check = Box<dyn FnMut(&Row) -> AnyResult<String>>;
/// Those of the policy in a file.
type Checks = fn(PathBuf) -> AnyResult<Check>;

pub fn run_all(folder: &Path) -> Outcome {
    let kinds: [(&str, Checks); 10] = [
        ("", lookups),
        ("levels", levels),
        ("steps", steps),
        ("shares", ticks),
        ("plans", plans::calls),
        ("overload", overloads),
        ("sharing", sharings),
        ("settings", settings),
        ("schedules", schedules::events),
        ("budgets", budgets),
    ];
    let mut total = refusals(&folder.join("refused"))?;
    total.add(signed(&folder.join("signed"))?);
    for (name, check) in kinds {
        for file in vectors_in(&folder.join(name))? {
            let stem = file.file_stem().unwrap_or_default();
            let policy = folder.join(stem).with_extension("tailc");
            total.add(run(&file, &rows_of(&file)?, check(policy)?)?);
        }
    }
    println!("{} answers, {} wrong", total.answers, total.wrong);
    Ok(total.wrong == 0 && total.answers > 0)
}

#[derive(Default)]
struct Count {
    answers: usize,
    wrong: usize,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.answers += other.answers;
        self.wrong += other.wrong;
    }
}

/// The first row of a file that is wrong is printed.
fn run(file: &Path, rows: &[Row], mut check: Check) -> AnyResult<Count> {
    let mut count = Count::default();
    for row in rows {
        count.answers += 1;
        let wrong = check(row)?;
        if wrong.is_empty() {
            continue;
        }
        if count.wrong == 0 {
            println!("{}:{}: {wrong}", file.display(), row.text());
        }
        count.wrong += 1;
    }
    Ok(count)
}

fn vectors_in(folder: &Path) -> AnyResult<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "csv") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

pub fn difference(got: &str, wanted: &str) -> String {
    if got == wanted {
        return String::new();
    }
    format!("is `{got}`, wanted `{wanted}`")
}

/// Of those in the encoding that is read here; canonical JSON is not.
fn refusals(folder: &Path) -> AnyResult<Count> {
    let list = folder.join("expected.csv");
    let rows: Vec<Row> =
        rows_of(&list)?.into_iter().filter(|row| row.at("file").ends_with(".tailc")).collect();
    let folder = folder.to_owned();
    run(
        &list,
        &rows,
        Box::new(move |row| {
            let opened = Policy::open(folder.join(row.at("file")));
            Ok(difference(opened.map_or_else(|error| error.name(), |_| "opened"), row.at("error")))
        }),
    )
}

/// Files to open with keys, at a moment, for a service, in place of a generation.
fn signed(folder: &Path) -> AnyResult<Count> {
    let list = folder.join("expected.csv");
    if !list.exists() {
        return Ok(Count::default());
    }
    let rows = rows_of(&list)?;
    let folder = folder.to_owned();
    run(
        &list,
        &rows,
        Box::new(move |row| {
            let mut options = Options::new();
            for key in row.at("keys").split_whitespace() {
                let text = fs::read_to_string(folder.join(key))?;
                options = options.trust(PublicKey::from_pem(&text)?);
            }
            if let Some(now_s) = row.optional("now_s")? {
                options = options.now_s(now_s);
            }
            if let Some(generation) = row.optional("held_generation")? {
                options = options.held_generation(generation);
            }
            if !row.at("service").is_empty() {
                options = options.service(row.at("service"));
            }
            let opened = options.open(folder.join(row.at("file")));
            Ok(difference(opened.map_or_else(|error| error.name(), |_| ""), row.at("error")))
        }),
    )
}

fn lookups(path: PathBuf) -> AnyResult<Check> {
    let policy = Policy::open(path)?;
    Ok(Box::new(move |row| {
        let class = row.at("request_class");
        let ladder = if class.is_empty() { policy.ladder()? } else { policy.ladder_of(class)? };
        let load = row.number("load")?;
        let (waited_us, executed_us) = (row.number("waited_us")?, row.number("executed_us")?);
        let answer = if row.has("output_ppm") {
            ladder.lookup_scaled(load, waited_us, executed_us, row.number("output_ppm")?)?
        } else {
            ladder.lookup(load, waited_us, executed_us)
        };
        let (start, wait_us) = match answer.start {
            Start::Now => ("now", 0),
            Start::WaitUs(left_us) => ("wait", left_us),
            Start::OnExit => ("on-exit", 0),
        };
        let wanted = [row.at("start"), row.at("wait_us"), row.at("rung")].join(" ");
        Ok(difference(&format!("{start} {wait_us} {}", answer.rung), &wanted))
    }))
}

fn overloads(path: PathBuf) -> AnyResult<Check> {
    let policy = Policy::open(path)?;
    Ok(Box::new(move |row| {
        let class = row.at("request_class");
        let ladder = if class.is_empty() { policy.ladder()? } else { policy.ladder_of(class)? };
        let (told, in_system) = (ladder.overload(), row.number("in_system")?);
        let is_cut = told.cuts_off(row.number("waited_us")?, row.number("executed_us")?);
        let (refused, work_ppm) = (told.refuses(in_system), told.work_ppm(in_system));
        let wanted = [row.at("refused"), row.at("work_ppm"), row.at("cut_off")].join(" ");
        Ok(difference(&format!("{} {work_ppm} {}", refused as u8, is_cut as u8), &wanted))
    }))
}

fn sharings(path: PathBuf) -> AnyResult<Check> {
    let policy = Policy::open(path)?;
    Ok(Box::new(move |row| {
        let class = row.at("request_class");
        let ladder = if class.is_empty() { policy.ladder()? } else { policy.ladder_of(class)? };
        let told = ladder.sharing();
        let unit = told.start_unit().map_or(String::new(), |unit| unit.to_string());
        let starts = told.starts(row.number("in_use_ppm")?);
        let gives_up = told.gives_up(row.number("waited_us")?, row.number("executed_us")?);
        let wanted = [row.at("start_unit"), row.at("starts"), row.at("gives_up")].join(" ");
        Ok(difference(&format!("{unit} {} {}", starts as u8, gives_up as u8), &wanted))
    }))
}

fn settings(path: PathBuf) -> AnyResult<Check> {
    let policy = Policy::open(path)?;
    Ok(Box::new(move |row| {
        let class = row.at("request_class");
        let ladder = if class.is_empty() { policy.ladder()? } else { policy.ladder_of(class)? };
        let rung = &ladder.settings()[row.number::<usize>("rung")?];
        let text = |number: Option<i64>| number.map_or(String::new(), |number| number.to_string());
        let costs: Vec<String> = rung.cost_ppm.iter().map(i64::to_string).collect();
        let lane = match rung.lane {
            None => "",
            Some(Lane::Shared) => "shared",
            Some(Lane::Alone) => "alone",
        };
        let got = [
            rung.speed_ppm.to_string(),
            costs.join(" "),
            text(rung.move_us),
            text(rung.threads),
            text(rung.frequency_khz),
            rung.core_type.clone().unwrap_or_default(),
            lane.to_owned(),
            text(rung.one_thread_ppm),
        ];
        let columns = [
            "speed_ppm",
            "cost_ppm",
            "move_us",
            "threads",
            "frequency_khz",
            "core_type",
            "lane",
            "one_thread_ppm",
        ];
        Ok(difference(&got.join(","), &columns.map(|column| row.at(column)).join(",")))
    }))
}

fn levels(path: PathBuf) -> AnyResult<Check> {
    let policy = Policy::open(path)?;
    Ok(Box::new(move |row| {
        let table = policy.tail_table()?;
        let level = table.level_scaled(
            &row.numbers("ages_ns")?,
            row.number("elapsed_cycles")?,
            row.number("elapsed_memory_ns")?,
            row.number("output_ppm")?,
        )?;
        let wanted = [row.at("level"), row.at("frequency_khz")].join(" ");
        Ok(difference(&format!("{level} {}", table.frequencies_khz()[level]), &wanted))
    }))
}

fn budgets(path: PathBuf) -> AnyResult<Check> {
    let policy = Policy::open(path)?;
    Ok(Box::new(move |row| {
        let (decoding, waiting) = (row.number("decoding")?, row.number("waiting_tokens")?);
        let budget = policy.budget_table()?.lookup(decoding, waiting);
        let wanted = [row.at("budget"), row.at("new_sequences")].join(" ");
        Ok(difference(&format!("{} {}", budget.tokens, budget.new_sequences), &wanted))
    }))
}

fn steps(path: PathBuf) -> AnyResult<Check> {
    let mut policy = Policy::open(&path)?;
    Ok(Box::new(move |row| {
        if row.at("step") == "0" {
            policy = Policy::open(&path)?;
        }
        let controller = policy.controller().ok_or("the policy has no controller")?;
        if row.at("step") != "0" {
            controller.step(row.number("measured_us")?, row.number("rate_mrps")?);
        }
        let (decided, column) = if row.has("climbs") {
            (climbs(policy.ladder()?, row)?, "climbs")
        } else {
            (policy.tail_table()?.level(&row.numbers("ages_ns")?, 0, 0)?.to_string(), "level")
        };
        let got = format!("{} {} {decided}", controller.output(), controller.output_ppm());
        let wanted = [row.at("output"), row.at("output_ppm"), row.at(column)].join(" ");
        Ok(difference(&got, &wanted))
    }))
}

/// Of the climbs in a row those that look-ups show.
fn climbs(ladder: &Ladder, row: &Row) -> AnyResult<String> {
    let load = row.number("load")?;
    let mut before = 0;
    let mut found = Vec::new();
    for climb in row.at("climbs").split_whitespace() {
        let (age_us, rung) = pair::<u64>(climb)?;
        let is_new = age_us == 0 || ladder.lookup(load, 0, age_us - 1).rung as u64 == before;
        if is_new && ladder.lookup(load, 0, age_us).rung as u64 == rung {
            found.push(climb);
        }
        before = rung;
    }
    Ok(found.join(" "))
}

fn ticks(path: PathBuf) -> AnyResult<Check> {
    let policy = Policy::open(path)?;
    let first = policy.shares()?.clone();
    let mut shares = first.clone();
    Ok(Box::new(move |row| {
        if row.at("tick") == "0" {
            shares = first.clone();
        } else {
            let (throughput, waiting) = (row.numbers("throughput")?, row.numbers("waiting")?);
            if waiting.is_empty() {
                shares.tick(&throughput)?;
            } else {
                shares.tick_waiting(&throughput, &waiting)?;
            }
        }
        let of_served = |value: fn(&Served) -> f64| -> Vec<u64> {
            shares.served().iter().map(|one| value(one).to_bits()).collect()
        };
        let mut wrong = Vec::new();
        if shares.granted_ppm() != row.numbers::<i64>("granted_ppm")? {
            wrong.push("granted_ppm");
        }
        type Column = (&'static str, fn(&Served) -> f64);
        let doubles: [Column; 4] = [
            ("a", |one| one.a),
            ("b", |one| one.b),
            ("believed_a", |one| one.believed.0),
            ("believed_b", |one| one.believed.1),
        ];
        for (name, value) in doubles {
            let wanted = row.numbers::<f64>(name)?.into_iter().map(f64::to_bits);
            if !wanted.eq(of_served(value)) {
                wrong.push(name);
            }
        }
        let short_steps = shares.served().iter().map(|one| one.short_steps);
        if !short_steps.eq(row.numbers::<i64>("short_steps")?) {
            wrong.push("short_steps");
        }
        let caps_ppm = shares.served().iter().map(Served::cap_ppm);
        if !caps_ppm.eq(row.numbers::<i64>("cap_ppm")?) {
            wrong.push("cap_ppm");
        }
        let cannot_meet = shares.cannot_meet().into_iter().map(u8::from);
        if !cannot_meet.eq(row.numbers::<u8>("cannot_meet")?) {
            wrong.push("cannot_meet");
        }
        Ok(wrong.join(" "))
    }))
}
