//! A schedule whose rungs are cores.

use super::core_places::CorePlaces;
use super::{DecisionKind, Request, Schedule};
use crate::error::{Error, Result};
use crate::ladder::Rule;
use crate::policy::Policy;

/// No age in a policy is as late.
const OLDEST_US: u64 = 1 << 53;

/// The cores of a policy, and running requests, the oldest first.
#[derive(Debug)]
pub(super) struct OnCores {
    places: CorePlaces,
    running: Vec<u64>,
    /// Which those have and want.
    rungs: Vec<usize>,
    wants: Vec<usize>,
}

impl OnCores {
    /// None if the rungs of the policy are no cores.
    pub(super) fn new(policy: &Policy) -> Result<Option<Self>> {
        let mut places = policy.ladders()?.iter().map(CorePlaces::new);
        let first = places.next().flatten();
        for other in places {
            let is_same = match (&first, &other) {
                (Some(first), Some(other)) => first.is_same(other),
                (first, other) => first.is_none() && other.is_none(),
            };
            if !is_same {
                return Err(Error::Schedule("the ladders of the policy have different cores"));
            }
        }
        let made =
            |places| Self { places, running: Vec::new(), rungs: Vec::new(), wants: Vec::new() };
        Ok(first.map(made))
    }
}

impl Schedule {
    /// The cores of another policy; while requests run, they must be those of the policy before.
    pub(super) fn cores_of(&mut self, policy: &Policy) -> Result<Option<OnCores>> {
        let found = OnCores::new(policy)?;
        if self.running == 0 {
            return Ok(found);
        }
        let is_same = match (&self.on_cores, &found) {
            (Some(held), Some(found)) => held.places.is_same(&found.places),
            (held, found) => held.is_none() && found.is_none(),
        };
        if !is_same {
            return Err(Error::Schedule("the policy has other cores than the running requests"));
        }
        Ok(self.on_cores.take())
    }

    /// Starts waiting requests in order of arrival, as cores are free; sets the timer of the age at
    /// which the first one wants a higher rung.
    pub(super) fn start_on_cores(&mut self, now_ns: u64) {
        self.start_ns = None;
        while let Some(number) = self.first_waiting() {
            let wanted = self.wanted(&self.requests[&number], now_ns);
            self.read_cores(now_ns);
            let in_system = self.in_system();
            let Some(request) = self.requests.get_mut(&number) else { return };
            let Some(cores) = &mut self.on_cores else { return };
            let makes_room = request.has(Rule::MakeRoom);
            let places = &mut cores.places;
            let Some(rung) = places.rung_to_start(wanted, &cores.wants, in_system, makes_room)
            else {
                self.start_ns = self.wants_more_ns(number, wanted, now_ns);
                return;
            };
            request.spent_ns = places.start(rung, now_ns > request.arrived_ns);
            self.count_wanted(number, wanted);
            self.start(number, Some(rung), now_ns);
        }
    }

    fn read_cores(&mut self, now_ns: u64) {
        let Some(mut cores) = self.on_cores.take() else { return };
        cores.rungs.clear();
        cores.wants.clear();
        for number in &cores.running {
            let request = &self.requests[number];
            cores.rungs.push(request.rung.unwrap_or(0));
            cores.wants.push(self.wanted_with(request, Some(&cores.places), now_ns));
        }
        self.on_cores = Some(cores);
    }

    /// The rung of the look-up of a request whose rungs are cores.
    fn wanted(&self, request: &Request, now_ns: u64) -> usize {
        self.wanted_with(request, self.on_cores.as_ref().map(|cores| &cores.places), now_ns)
    }

    fn wanted_with(&self, request: &Request, places: Option<&CorePlaces>, now_ns: u64) -> usize {
        let has_started = request.rung.is_some();
        let begun_ns = if has_started { request.started_ns } else { now_ns };
        let has_waited = begun_ns > request.arrived_ns;
        let waited_us = (begun_ns - request.arrived_ns) / 1_000;
        let spent_ns = match places.filter(|_| request.has(Rule::BusyPeriodAge)) {
            Some(_) if has_started => request.spent_ns,
            Some(places) if has_waited => places.next_spent_ns(),
            _ => 0,
        };
        let executed_us = if request.has(Rule::WaitedStartLast) && has_waited {
            OLDEST_US
        } else if request.has(Rule::AgeFromArrival) {
            (now_ns - request.arrived_ns) / 1_000 - waited_us
        } else {
            (now_ns - begun_ns + spent_ns) / 1_000
        };
        request.ladder().peek(self.load_of(request), waited_us, executed_us).rung
    }

    /// The load at which a request is looked up.
    fn load_of(&self, request: &Request) -> u64 {
        if request.rung.is_none() || request.has(Rule::RereadRow) {
            self.in_system()
        } else {
            request.load_at_start
        }
    }

    /// Counts the look-up of a request for the rung that it wants.
    fn count_wanted(&mut self, number: u64, wanted: usize) {
        let request = &self.requests[&number];
        request.ladder().count_outside(self.load_of(request));
        self.count_lookup(number, wanted);
    }

    /// When a waiting request wants a rung above `wanted` by its age; none: never.
    fn wants_more_ns(&self, number: u64, wanted: usize, now_ns: u64) -> Option<u64> {
        let (request, load) = (&self.requests[&number], self.in_system());
        let wants_more = |waited_us| request.ladder().peek(load, waited_us, 0).rung > wanted;
        let (mut low, mut high) = ((now_ns - request.arrived_ns) / 1_000, OLDEST_US);
        if !request.has(Rule::AgeFromArrival) || !wants_more(high) {
            return None;
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if wants_more(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(request.arrived_ns + high * 1_000)
    }

    /// Gives a request that starts a core of its rung.
    pub(super) fn start_on_core(&mut self, number: u64, now_ns: u64) {
        self.take_core(number, now_ns);
        if let Some(cores) = &mut self.on_cores {
            cores.running.push(number);
        }
    }

    fn take_core(&mut self, number: u64, now_ns: u64) {
        let Some(request) = self.requests.get_mut(&number) else { return };
        if let (Some(cores), Some(rung)) = (&mut self.on_cores, request.rung) {
            request.core = cores.places.take(rung);
            request.since_ns = now_ns;
        }
    }

    fn leave_core(&mut self, number: u64, now_ns: u64) {
        let request = &self.requests[&number];
        let held = request.rung.zip(request.core);
        if let (Some(cores), Some((rung, core))) = (&mut self.on_cores, held) {
            cores.places.give_back(rung, core, now_ns - request.since_ns);
        }
    }

    /// Takes the core of a request that is about to leave.
    pub(super) fn exit_core(&mut self, number: u64, now_ns: u64) {
        self.leave_core(number, now_ns);
        if let Some(cores) = &mut self.on_cores {
            cores.running.retain(|held| *held != number);
        }
    }

    /// Moves a request to another core if it must; then others may start.
    pub(super) fn tick_on_core(&mut self, number: u64, now_ns: u64) {
        self.read_cores(now_ns);
        let first_wants =
            self.first_waiting().map(|first| self.wanted(&self.requests[&first], now_ns));
        let makes_room = self.requests[&number].has(Rule::MakeRoom);
        let in_system = self.in_system();
        let Some(cores) = &mut self.on_cores else { return };
        let Some(place) = cores.running.iter().position(|held| *held == number) else { return };
        let (rungs, wanted) = ((&cores.rungs[..], &cores.wants[..]), cores.wants[place]);
        let places = &mut cores.places;
        let rung = places.rung_to_move(place, rungs, first_wants, in_system, makes_room);
        self.count_wanted(number, wanted);
        self.set_tick(number, now_ns);
        if let Some(rung) = rung {
            self.leave_core(number, now_ns);
            if let Some(request) = self.requests.get_mut(&number) {
                request.rung = Some(rung);
            }
            self.take_core(number, now_ns);
            self.counts.climbs += 1;
            self.decide(DecisionKind::Climb, number);
            self.start_waiting(now_ns);
        }
    }
}
