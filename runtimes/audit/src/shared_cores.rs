//! Simulates requests on cores that their threads share, as docs/replay.md describes it.
//!
//! It goes from event to event. Between two events each request works at a constant speed, so an event
//! updates the remaining work of all requests that run.

use std::collections::VecDeque;

use crate::ladder::{row_index, Admission, Row};

const NS_PER_US: i64 = 1_000;
const NEVER: i64 = i64::MAX;
/// Work that is less than this at an exit is a rounding [ns at speed 1].
const ROUNDING_NS: f64 = 1e-6;
/// A server with more requests than this, and 16 for each core, is overloaded.
const MOST_IN_SYSTEM: usize = 2_048;
const MOST_BY_CORE: f64 = 16.0;

/// The rows and rules of a ladder, and what its rungs use of the cores.
pub struct Server {
    pub rows: Vec<Row>,
    /// Threads of each rung.
    pub threads: Vec<f64>,
    pub cores: f64,
    pub quantum_ns: i64,
    pub rules: Rules,
}

#[derive(Clone, Copy, Default)]
pub struct Rules {
    pub rereads_row: bool,
    pub may_descend: bool,
    pub ages_from_arrival: bool,
    /// Boosted threads stay strictly below this.
    pub boosts_below: Option<f64>,
    /// The first request that waits starts while the threads in use are below this.
    pub starts_below: Option<f64>,
    pub gives_up_ns: Option<i64>,
}

pub struct Arrival {
    pub at_ns: i64,
    pub work_ns: f64,
    /// Speed on each rung.
    pub speeds: Vec<f64>,
}

pub struct Outcome {
    /// In the order of arrival; empty if the server was stopped.
    pub latency_ns: Vec<i64>,
    pub is_stopped: bool,
    /// Share of the cores in use, over time.
    pub usage: f64,
    /// Requests in the system that an arrival of the first and of the second half finds, on average.
    pub found: [f64; 2],
}

struct Running {
    place: usize,
    start_ns: i64,
    /// What ages have in addition to the time since the start.
    waited_ns: i64,
    left_ns: f64,
    rung: usize,
    row: usize,
    is_boosted: bool,
    has_given_up: bool,
    tick_ns: i64,
    exit_ns: i64,
}

struct Waiting {
    place: usize,
    is_released: bool,
}

struct Simulation<'a> {
    server: &'a Server,
    arrivals: &'a [Arrival],
    now_ns: i64,
    running: Vec<Running>,
    waiting: VecDeque<Waiting>,
    latency_ns: Vec<i64>,
    used_ns: f64,
}

/// All requests from an empty server on.
pub fn simulate(server: &Server, arrivals: &[Arrival]) -> Outcome {
    let mut simulation = Simulation {
        server,
        arrivals,
        now_ns: 0,
        running: Vec::new(),
        waiting: VecDeque::new(),
        latency_ns: vec![0; arrivals.len()],
        used_ns: 0.0,
    };
    let most = MOST_IN_SYSTEM + (MOST_BY_CORE * server.cores) as usize;
    let half = arrivals.len() / 2;
    let mut found = [0.0; 2];
    let mut next = 0;
    loop {
        let arrival_ns = arrivals.get(next).map_or(NEVER, |arrival| arrival.at_ns);
        let then_ns = simulation.next_event_ns().min(arrival_ns);
        if then_ns == NEVER {
            break;
        }
        simulation.advance(then_ns);
        let mut changed = simulation.exits();
        while arrivals.get(next).is_some_and(|arrival| arrival.at_ns == then_ns) {
            found[usize::from(next >= half)] += simulation.in_system() as f64;
            simulation.arrive(next);
            next += 1;
            changed = true;
        }
        if simulation.in_system() >= most {
            return Outcome { latency_ns: vec![], is_stopped: true, usage: 1.0, found };
        }
        simulation.starts();
        if changed && server.rules.rereads_row {
            simulation.plan_ticks();
        }
        simulation.ticks();
        if server.rules.starts_below.is_some() {
            simulation.starts();
        }
        simulation.share();
    }
    let usage = simulation.used_ns / (server.cores * simulation.now_ns.max(1) as f64);
    let counts = [half.max(1) as f64, (arrivals.len() - half).max(1) as f64];
    let found = [found[0] / counts[0], found[1] / counts[1]];
    Outcome { latency_ns: simulation.latency_ns, is_stopped: false, usage, found }
}

impl Simulation<'_> {
    fn in_system(&self) -> usize {
        self.running.len() + self.waiting.len()
    }

    fn row_index(&self) -> usize {
        row_index(&self.server.rows, self.in_system() as i128)
    }

    fn next_event_ns(&self) -> i64 {
        let of_running = self.running.iter().map(|r| r.exit_ns.min(r.tick_ns)).min();
        of_running.unwrap_or(NEVER).min(self.end_of_delay_ns())
    }

    /// When the first request that waits has waited as long as its row says.
    fn end_of_delay_ns(&self) -> i64 {
        let Some(first) = self.waiting.front() else { return NEVER };
        match (self.server.rules.starts_below, self.row().admission) {
            (None, Admission::DelayUs(delay_us)) => {
                self.arrivals[first.place].at_ns + delay_us as i64 * NS_PER_US
            }
            _ => NEVER,
        }
    }

    fn advance(&mut self, then_ns: i64) {
        let passed_ns = (then_ns - self.now_ns) as f64;
        let parts = self.parts();
        for request in &mut self.running {
            let part = parts[usize::from(request.is_boosted)];
            let speed = self.arrivals[request.place].speeds[request.rung];
            request.left_ns -= passed_ns * speed * part;
        }
        self.used_ns += passed_ns * self.threads_in_use().min(self.server.cores);
        self.now_ns = then_ns;
    }

    fn threads_in_use(&self) -> f64 {
        self.running.iter().map(|request| self.server.threads[request.rung]).sum()
    }

    fn boosted_threads(&self) -> f64 {
        let boosted = self.running.iter().filter(|request| request.is_boosted);
        boosted.map(|request| self.server.threads[request.rung]).sum()
    }

    /// The part of a core that each thread has, and each boosted one.
    fn parts(&self) -> [f64; 2] {
        let (all, cores) = (self.threads_in_use(), self.server.cores);
        if all <= cores {
            return [1.0, 1.0];
        }
        let boosted = self.boosted_threads();
        [(cores - boosted).max(0.0) / (all - boosted), (cores / boosted).min(1.0)]
    }

    /// Requests whose work is done leave, the oldest first; each releases the first that waits.
    fn exits(&mut self) -> bool {
        let now_ns = self.now_ns;
        let mut gone: Vec<usize> =
            self.running.iter().filter(|r| r.exit_ns <= now_ns).map(|r| r.place).collect();
        gone.sort_unstable();
        self.running.retain(|request| request.exit_ns > now_ns);
        for place in &gone {
            self.latency_ns[*place] = now_ns - self.arrivals[*place].at_ns;
            if let Some(first) = self.waiting.iter_mut().find(|waiting| !waiting.is_released) {
                first.is_released = true;
            }
        }
        !gone.is_empty()
    }

    fn arrive(&mut self, place: usize) {
        self.waiting.push_back(Waiting { place, is_released: false });
    }

    fn row(&self) -> &Row {
        &self.server.rows[self.row_index()]
    }

    fn starts(&mut self) {
        while let Some(first) = self.waiting.front() {
            let place = first.place;
            let waited_ns = self.now_ns - self.arrivals[place].at_ns;
            let may_start = match self.server.rules.starts_below {
                Some(limit) => self.threads_in_use() < limit,
                None => first.is_released || self.row_admits(waited_ns),
            };
            if !may_start {
                return;
            }
            self.waiting.pop_front();
            self.start(place, waited_ns);
        }
    }

    fn row_admits(&self, waited_ns: i64) -> bool {
        match self.row().admission {
            Admission::AtOnce => true,
            Admission::DelayUs(delay_us) => waited_ns >= delay_us as i64 * NS_PER_US,
            Admission::OnExit => self.running.is_empty(),
        }
    }

    fn start(&mut self, place: usize, waited_ns: i64) {
        // The request still counts, though it is in neither list.
        let row = row_index(&self.server.rows, self.in_system() as i128 + 1);
        let waited_ns = if self.server.rules.ages_from_arrival { waited_ns } else { 0 };
        let gives_up = self.server.rules.gives_up_ns.is_some_and(|age_ns| waited_ns >= age_ns);
        let rung = if gives_up { 0 } else { rung_at(&self.server.rows[row], waited_ns) };
        let mut request = Running {
            place,
            start_ns: self.now_ns,
            waited_ns,
            left_ns: self.arrivals[place].work_ns,
            rung,
            row,
            is_boosted: false,
            has_given_up: gives_up,
            tick_ns: NEVER,
            exit_ns: NEVER,
        };
        request.tick_ns = self.next_tick_ns(&request, row, self.now_ns + 1);
        self.running.push(request);
    }

    fn plan_ticks(&mut self) {
        let row = self.row_index();
        let ticks: Vec<i64> = (self.running.iter())
            .map(|request| self.next_tick_ns(request, row, self.now_ns.max(request.start_ns + 1)))
            .collect();
        for (request, tick_ns) in self.running.iter_mut().zip(ticks) {
            (request.row, request.tick_ns) = (row, tick_ns);
        }
    }

    /// The first tick from `least_ns` on at which the request changes its rung under this row.
    fn next_tick_ns(&self, request: &Running, row: usize, least_ns: i64) -> i64 {
        if request.has_given_up {
            return NEVER;
        }
        let quantum_ns = self.server.quantum_ns;
        let tick_from = |time_ns: i64| {
            let since_ns = (time_ns.max(least_ns) - request.start_ns).max(1);
            request.start_ns + (since_ns + quantum_ns - 1) / quantum_ns * quantum_ns
        };
        let at_age = |age_ns: i64| tick_from(request.start_ns + age_ns - request.waited_ns);
        let row = &self.server.rows[row];
        let first_ns = tick_from(least_ns);
        let rung = rung_at(row, first_ns - request.start_ns + request.waited_ns);
        let falls = self.server.rules.may_descend && rung < request.rung;
        let change_ns = if falls {
            first_ns
        } else {
            let above = row.climbs.iter().find(|(_, rung)| *rung > request.rung);
            above.map_or(NEVER, |(age_us, _)| at_age(*age_us as i64 * NS_PER_US))
        };
        self.server.rules.gives_up_ns.map_or(NEVER, at_age).min(change_ns)
    }

    /// Requests climb, the oldest first.
    fn ticks(&mut self) {
        let now_ns = self.now_ns;
        let due = |(_, r): &(usize, &Running)| r.tick_ns <= now_ns;
        let mut due: Vec<usize> =
            self.running.iter().enumerate().filter(due).map(|p| p.0).collect();
        due.sort_unstable_by_key(|index| self.running[*index].place);
        for index in due {
            self.tick(index);
            let request = &self.running[index];
            self.running[index].tick_ns = self.next_tick_ns(request, request.row, now_ns + 1);
        }
    }

    fn tick(&mut self, index: usize) {
        let request = &self.running[index];
        let age_ns = self.now_ns - request.start_ns + request.waited_ns;
        let rung = rung_at(&self.server.rows[request.row], age_ns);
        let has_given_up = self.server.rules.gives_up_ns.is_some_and(|from_ns| age_ns >= from_ns);
        let rises = rung > request.rung && !has_given_up;
        let last = self.server.threads.len() - 1;
        let is_boosted = rises && rung == last && self.has_room_for(self.server.threads[last]);
        let request = &mut self.running[index];
        if has_given_up {
            (request.rung, request.is_boosted, request.has_given_up) = (0, false, true);
        } else if rises || rung < request.rung && self.server.rules.may_descend {
            (request.rung, request.is_boosted) = (rung, is_boosted);
        }
    }

    fn has_room_for(&self, threads: f64) -> bool {
        self.server.rules.boosts_below.is_some_and(|limit| self.boosted_threads() + threads < limit)
    }

    /// Exits at the first whole nanosecond at which the work of each request is done.
    fn share(&mut self) {
        let parts = self.parts();
        for request in &mut self.running {
            let part = parts[usize::from(request.is_boosted)];
            let speed = self.arrivals[request.place].speeds[request.rung] * part;
            let rest_ns = ((request.left_ns - ROUNDING_NS).max(0.0) / speed).ceil();
            let is_finite = rest_ns < (NEVER - self.now_ns) as f64;
            request.exit_ns = if is_finite { self.now_ns + rest_ns as i64 } else { NEVER };
        }
    }
}

/// The rung of the last climb that this age has reached.
fn rung_at(row: &Row, age_ns: i64) -> usize {
    let reached = row.climbs.iter().rev().find(|(us, _)| *us as i64 * NS_PER_US <= age_ns);
    reached.map_or(row.climbs[0].1, |(_, rung)| *rung)
}
