//! Who gets which type of core, if a running request has a core to itself: the rules of a ladder whose
//! rungs are cores (`docs/artifact-format.md`, "Rungs that are cores"), without clock and machine.

/// Types of cores by rung.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Types {
    /// The type of each rung.
    pub of_rung: Vec<usize>,
    /// The number of cores of each type; 0 where a number is no type.
    pub counts: Vec<usize>,
    /// Whether requests also climb early, to make room for others.
    pub make_room: bool,
}

/// A running request: the rung that it wants, and the one that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Job {
    pub wanted: usize,
    pub rung: usize,
}

/// All requests at one time.
#[derive(Clone, Copy, Debug)]
pub struct CoreMap<'a> {
    /// What cores there are.
    pub types: &'a Types,
    /// Those that run, the oldest first.
    pub jobs: &'a [Job],
    /// The rung that the first waiting request wants.
    pub first_waiting: Option<usize>,
    /// Requests in the system.
    pub load: usize,
}

impl CoreMap<'_> {
    /// The rung on which a request starts; `older`: how many of the running ones are older. None: it has
    /// to wait.
    pub fn start(&self, older: usize, wanted: usize) -> Option<usize> {
        let driven = self.driven_to(older, wanted);
        if let Some(rung) = driven.into_iter().rev().find(|rung| self.is_free(*rung)) {
            return Some(rung);
        }
        let is_lowest = |rung: usize| self.unit(rung) == self.unit(0) && self.is_free(rung);
        (0..=wanted).rev().find(|rung| is_lowest(*rung) || self.is_open(older, *rung))
    }

    /// The rung to which a running request climbs now.
    pub fn climb(&self, at: usize) -> Option<usize> {
        let Job { wanted, rung } = self.jobs[at];
        let is_there = |to: &usize| self.unit(*to) == self.unit(rung) || self.is_open(at, *to);
        let up = (rung + 1..=wanted).rev().find(is_there);
        up.or_else(|| self.types.make_room.then(|| self.way_out(at)).flatten())
    }

    /// The lowest rung of any type that has a free core.
    pub fn any_free(&self) -> Option<usize> {
        (0..self.rungs()).find(|rung| self.is_free(*rung))
    }

    fn rungs(&self) -> usize {
        self.types.of_rung.len()
    }

    fn unit(&self, rung: usize) -> usize {
        self.types.of_rung[rung]
    }

    /// Cores of the types of some rungs, each type once.
    fn cores(&self, rungs: impl Iterator<Item = usize>) -> usize {
        let mut units: Vec<usize> = rungs.map(|rung| self.unit(rung)).collect();
        units.sort_unstable();
        units.dedup();
        units.into_iter().map(|unit| self.types.counts[unit]).sum()
    }

    fn is_free(&self, rung: usize) -> bool {
        let unit = self.unit(rung);
        let held = self.jobs.iter().filter(|job| self.unit(job.rung) == unit).count();
        held < self.types.counts[unit]
    }

    /// Whether the request at that place has a turn on the rung, and there is a free core.
    fn is_open(&self, at: usize, rung: usize) -> bool {
        let older = self.jobs[..at].iter().filter(|job| job.wanted >= rung).count();
        self.is_free(rung) && older < self.cores(rung..self.rungs())
    }

    /// Rungs above, except those of types that rungs up to this one have.
    fn others_above(&self, rung: usize) -> Vec<usize> {
        let is_known = |above: &usize| (0..=rung).any(|low| self.unit(low) == self.unit(*above));
        (rung + 1..self.rungs()).filter(|above| !is_known(above)).collect()
    }

    fn is_too_many(&self, at: usize, rung: usize) -> bool {
        let excess = self.load.saturating_sub(self.cores(0..rung + 1));
        let rank = at + 1;
        rank <= excess && rank <= self.cores(self.others_above(rung).into_iter())
    }

    /// Rungs above the wanted one on which a request may start to make room, ascending.
    fn driven_to(&self, at: usize, wanted: usize) -> Vec<usize> {
        let mut rungs = Vec::new();
        let mut rung = wanted;
        while self.types.make_room && self.is_too_many(at, rung) {
            // Too many on a rung implies that there are other types above.
            let Some(next) = self.others_above(rung).first().copied() else { break };
            rungs.push(next);
            rung = next;
        }
        rungs
    }

    fn way_out(&self, at: usize) -> Option<usize> {
        let rung = self.jobs[at].rung;
        let next = *self.others_above(rung).first()?;
        let is_driven = self.is_too_many(at, rung) && self.is_free(next);
        (is_driven || self.is_asked(at) && self.is_open(at, next)).then_some(next)
    }

    /// Whether it is the oldest on a type that is short.
    fn is_asked(&self, at: usize) -> bool {
        let unit = self.unit(self.jobs[at].rung);
        let oldest = self.jobs.iter().position(|job| self.unit(job.rung) == unit);
        oldest == Some(at) && self.is_short(unit)
    }

    /// Whether all its cores are in use, and a request wants one from below, or waits for one.
    fn is_short(&self, unit: usize) -> bool {
        let first = self.lowest(unit);
        if self.is_free(first) {
            return false;
        }
        let is_below = |job: &&Job| self.lowest(self.unit(job.rung)) < first;
        let rising = self.jobs.iter().filter(|job| job.rung < job.wanted).filter(is_below);
        let mut wanted = rising.map(|job| job.wanted).chain(self.first_waiting);
        if wanted.any(|rung| self.unit(rung) == unit) {
            return true;
        }
        (0..self.jobs.len()).any(|at| {
            self.others_above(self.jobs[at].rung).first() == Some(&first) && self.is_asked(at)
        })
    }

    fn lowest(&self, unit: usize) -> usize {
        self.types.of_rung.iter().position(|of| *of == unit).unwrap_or(0)
    }
}
