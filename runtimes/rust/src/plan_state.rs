//! The state of a plan in force, from which `tailc replan` continues, as a sealed FlatBuffer.

use std::collections::hash_map::RandomState;
use std::collections::HashSet;
use std::fs::{self, File};
use std::hash::BuildHasher;
use std::io::{self, Write};
use std::path::Path;

use flatbuffers::{FlatBufferBuilder, WIPOffset};

use crate::error::{refused, require, Error, Refusal, Result};
use crate::generated::tailc::policy;
use crate::numbers::LARGEST_WHOLE;
use crate::options::{bytes_of, MOST_BYTES};
use crate::seal::{sealed, unseal};
use crate::structure::Structure;

const IDENTIFIER: &str = "TLS1";
const VERSION: i64 = 1;
const LATEST_UNIX_S: i64 = 253_402_300_799;
const MOST_SERVERS: i64 = 1 << 20;

/// What is true at a boundary of two epochs of a plan in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanState {
    /// The time of the boundary.
    pub at_unix_s: i64,
    /// Jobs submitted up to then have run, wait or were refused.
    pub decided_unix_s: i64,
    /// Number of all servers.
    pub servers: i64,
    /// Jobs that run.
    pub running: Vec<BegunJob>,
    /// Names of jobs that start later.
    pub waiting: Vec<String>,
    /// Names of jobs that were refused.
    pub refused: Vec<String>,
    /// Energy in the battery; none without one.
    pub battery_mj: Option<i64>,
}

/// A job that runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BegunJob {
    /// As in the plan.
    pub name: String,
    /// Its start; none if its log has it.
    pub begun_unix_s: Option<i64>,
    /// Numbers from 0, in ascending order.
    pub servers: Vec<i64>,
    /// In ascending order of the number of servers.
    pub ran_s: Vec<RanSeconds>,
    /// Server-epochs that it has received on the green bus.
    pub green_slots: i64,
    /// Of a malleable job; none for as many as it requests.
    pub machines: Option<i64>,
}

/// How long a job has run on a number of servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RanSeconds {
    /// A number of servers.
    pub servers: i64,
    /// The time on them.
    pub seconds: i64,
}

impl PlanState {
    /// The state in a FlatBuffer, as `tailc advance -o NAME.tailc` writes it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        match Self::from_bytes(&bytes_of(path)?) {
            Err(Error::Refused(refusal, why)) => {
                Err(refused(refusal, format!("{}: {why}", path.display())))
            }
            read => read,
        }
    }

    /// The state in the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let is_small = bytes.len() <= MOST_BYTES;
        require_structure(is_small, "the file is larger than the limit for a state")?;
        let payload = unseal(bytes)?.payload;
        let is_state = payload.get(4..8) == Some(IDENTIFIER.as_bytes());
        require_structure(is_state, "the FlatBuffer's identifier is not TLS1")?;
        Structure::new(payload).check_root("PlanState")?;
        let root = root_of(payload);
        require_structure(root.version() == VERSION, "`version` of a state must be 1")?;
        let state = Self::read(&root);
        state.check()?;
        Ok(state)
    }

    /// The file of the state; equal states have equal bytes. Refused if it contradicts itself.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.check()?;
        let mut builder = FlatBufferBuilder::new();
        let running: Vec<_> = self.running.iter().map(|job| job.write(&mut builder)).collect();
        let running = builder.create_vector(&running);
        let waiting = names_in(&mut builder, &self.waiting);
        let refused = names_in(&mut builder, &self.refused);
        let mut table = policy::PlanStateBuilder::new(&mut builder);
        table.add_version(VERSION);
        table.add_at_unix_s(self.at_unix_s);
        table.add_decided_unix_s(self.decided_unix_s);
        table.add_servers(self.servers);
        table.add_running(running);
        table.add_waiting(waiting);
        table.add_refused(refused);
        if let Some(battery_mj) = self.battery_mj {
            table.add_battery_mj(battery_mj);
        }
        let root = table.finish();
        builder.finish(root, Some(IDENTIFIER));
        Ok(sealed(builder.finished_data()))
    }

    /// Replaces a file by that of the state, at once and whole.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let (path, bytes) = (path.as_ref(), self.to_bytes()?);
        replace(path, &bytes).map_err(|why| Error::Io(path.to_owned(), why))
    }

    fn read(root: &policy::PlanState<'_>) -> Self {
        Self {
            at_unix_s: root.at_unix_s(),
            decided_unix_s: root.decided_unix_s(),
            servers: root.servers(),
            running: root.running().iter().map(|job| BegunJob::read(&job)).collect(),
            waiting: root.waiting().iter().map(str::to_owned).collect(),
            refused: root.refused().iter().map(str::to_owned).collect(),
            battery_mj: root.battery_mj(),
        }
    }

    fn check(&self) -> Result<()> {
        require(
            (0..=self.at_unix_s).contains(&self.decided_unix_s) && self.at_unix_s <= LATEST_UNIX_S,
            "`decided_unix_s` must be 0 to `at_unix_s`, before the year 10000",
        )?;
        require((1..=MOST_SERVERS).contains(&self.servers), "`servers` must be 1 to 2^20")?;
        require(is_whole(self.battery_mj.unwrap_or(0)), "`battery_mj` must be 0 to 2^53 - 1")?;
        let (mut busy, mut names) = (HashSet::new(), HashSet::new());
        for job in &self.running {
            job.check(self.at_unix_s)?;
            for server in &job.servers {
                require(busy.insert(server), "two jobs must not have the same server")?;
                require(*server < self.servers, "a server of a job is not among `servers`")?;
            }
        }
        let running = self.running.iter().map(|job| &job.name);
        for name in running.chain(&self.waiting).chain(&self.refused) {
            require(!name.is_empty(), "a name in a state must not be empty")?;
            require(names.insert(name), "a job must be named once in a state")?;
        }
        Ok(())
    }
}

impl BegunJob {
    fn read(job: &policy::BegunJob<'_>) -> Self {
        let ran_of = |ran: policy::RanSeconds<'_>| RanSeconds {
            servers: ran.servers(),
            seconds: ran.seconds(),
        };
        Self {
            name: job.name().to_owned(),
            begun_unix_s: job.begun_unix_s(),
            servers: job.servers().iter().collect(),
            ran_s: job.ran_s().iter().map(ran_of).collect(),
            green_slots: job.green_slots(),
            machines: job.machines(),
        }
    }

    fn write<'a>(&self, builder: &mut FlatBufferBuilder<'a>) -> WIPOffset<policy::BegunJob<'a>> {
        let name = builder.create_string(&self.name);
        let servers = builder.create_vector(&self.servers);
        let ran_s: Vec<_> = self.ran_s.iter().map(|ran| ran.write(builder)).collect();
        let ran_s = builder.create_vector(&ran_s);
        let mut table = policy::BegunJobBuilder::new(builder);
        table.add_name(name);
        if let Some(begun_unix_s) = self.begun_unix_s {
            table.add_begun_unix_s(begun_unix_s);
        }
        table.add_servers(servers);
        table.add_ran_s(ran_s);
        table.add_green_slots(self.green_slots);
        if let Some(machines) = self.machines {
            table.add_machines(machines);
        }
        table.finish()
    }

    fn check(&self, at_unix_s: i64) -> Result<()> {
        let ascends = self.servers.windows(2).all(|pair| pair[0] < pair[1]);
        require(
            ascends && self.servers.first().is_some_and(|first| *first >= 0),
            "`servers` of a job must be numbers from 0 in ascending order, at least one",
        )?;
        let ascends = self.ran_s.windows(2).all(|pair| pair[0].servers < pair[1].servers);
        require(ascends, "`ran_s` must be in order of the number of servers")?;
        let in_range = |ran: &RanSeconds| {
            (1..=LARGEST_WHOLE).contains(&ran.servers) && (1..=LATEST_UNIX_S).contains(&ran.seconds)
        };
        require(
            self.ran_s.iter().all(in_range),
            "`ran_s` must have 1 to 2^53 - 1 servers and 1 to 253402300799 seconds in each entry",
        )?;
        let ran_s: i64 = self.ran_s.iter().map(|ran| ran.seconds).sum();
        require(
            (0..=at_unix_s).contains(&self.begun_unix_s.unwrap_or(at_unix_s - ran_s)),
            "`begun_unix_s` and `ran_s` of a job must be before `at_unix_s`",
        )?;
        require(is_whole(self.green_slots), "`green_slots` of a job must be 0 to 2^53 - 1")?;
        let machines = self.machines.unwrap_or(1);
        require(machines > 0 && is_whole(machines), "`machines` must be 1 to 2^53 - 1")
    }
}

impl RanSeconds {
    fn write<'a>(self, builder: &mut FlatBufferBuilder<'a>) -> WIPOffset<policy::RanSeconds<'a>> {
        let mut table = policy::RanSecondsBuilder::new(builder);
        table.add_servers(self.servers);
        table.add_seconds(self.seconds);
        table.finish()
    }
}

fn is_whole(number: i64) -> bool {
    (0..=LARGEST_WHOLE).contains(&number)
}

fn require_structure(holds: bool, otherwise: &'static str) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(refused(Refusal::BadStructure, otherwise))
}

type Names<'a> = flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<&'a str>>;

fn names_in<'a>(builder: &mut FlatBufferBuilder<'a>, names: &[String]) -> WIPOffset<Names<'a>> {
    let names: Vec<_> = names.iter().map(|name| builder.create_string(name)).collect();
    builder.create_vector(&names)
}

#[allow(unsafe_code)]
fn root_of(payload: &[u8]) -> policy::PlanState<'_> {
    // SAFETY: what an accessor follows is verified by `Structure` before the accessor is called.
    unsafe { flatbuffers::root_unchecked::<policy::PlanState<'_>>(payload) }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Of random keys: another process, such as one in a container, may have the same number.
    let number = RandomState::new().hash_one(());
    let written = path.with_extension(format!("{number:x}.tmp"));
    let result = File::create_new(&written)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&written, path));
    if result.is_err() {
        let _ = fs::remove_file(&written);
    }
    result
}
