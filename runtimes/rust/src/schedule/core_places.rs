//! Rungs that are cores: who holds which, and the rung on which a request may run (Haque et al.,
//! MICRO 2017, algorithm 1, for any number of types of core; `docs/artifact-format.md` defines the
//! rules). `rungs` are those of running requests and `wants` those that they want, the oldest first.

use crate::ladder::Ladder;

/// The cores of a policy, by type.
#[derive(Clone, Debug)]
pub(super) struct CorePlaces {
    unit_of: Vec<usize>,
    counts: Vec<usize>,
    /// In the order of their lowest rungs.
    types: Vec<usize>,
    lowest: Vec<Option<usize>>,
    next: Vec<Option<usize>>,
    /// Cores of the types of a rung and those above, and below, and of types only above.
    above: Vec<usize>,
    below: Vec<usize>,
    beyond: Vec<usize>,
    /// By type, its free cores; the last one is taken first.
    free: Vec<Vec<usize>>,
    spent_ns: Vec<Vec<u64>>,
    short: Vec<bool>,
}

impl CorePlaces {
    /// None if rungs are no cores.
    pub(super) fn new(ladder: &Ladder) -> Option<Self> {
        let unit_of = ladder.core_unit().to_vec();
        if unit_of.is_empty() {
            return None;
        }
        let counts: Vec<usize> = ladder.core_count().iter().map(|count| *count as usize).collect();
        let rungs = 0..unit_of.len();
        let lowest: Vec<_> =
            (0..counts.len()).map(|unit| unit_of.iter().position(|other| *other == unit)).collect();
        let types: Vec<usize> = rungs
            .clone()
            .filter(|rung| lowest[unit_of[*rung]] == Some(*rung))
            .map(|rung| unit_of[rung])
            .collect();
        let next = rungs
            .clone()
            .map(|rung| (rung..unit_of.len()).find(|other| lowest[unit_of[*other]] > Some(rung)))
            .collect();
        let cores = |holds: &dyn Fn(usize) -> bool| -> usize {
            types.iter().filter(|unit| holds(**unit)).map(|unit| counts[*unit]).sum()
        };
        let above =
            rungs.clone().map(|rung| cores(&|unit| unit_of[rung..].contains(&unit))).collect();
        let below = rungs.clone().map(|rung| cores(&|unit| lowest[unit] <= Some(rung))).collect();
        let beyond = rungs.map(|rung| cores(&|unit| lowest[unit] > Some(rung))).collect();
        let free = counts.iter().map(|count| (0..*count).rev().collect()).collect();
        let spent_ns = counts.iter().map(|count| vec![0; *count]).collect();
        let short = vec![false; counts.len()];
        Some(Self {
            unit_of,
            counts,
            types,
            lowest,
            next,
            above,
            below,
            beyond,
            free,
            spent_ns,
            short,
        })
    }

    /// Whether another policy has the same cores on the same rungs.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.unit_of == other.unit_of && self.counts == other.counts
    }

    /// The time spent below the last rung on the core that a request takes next; it is 0 from now on
    /// if the request has not waited. 0 if no core is free.
    pub(super) fn start(&mut self, rung: usize, has_waited: bool) -> u64 {
        let unit = self.unit_of[rung];
        let Some(core) = self.free[unit].last() else { return 0 };
        let spent_ns = &mut self.spent_ns[unit][*core];
        if !has_waited {
            *spent_ns = 0;
        }
        *spent_ns
    }

    /// The same for a request that has waited, on the lowest type.
    pub(super) fn next_spent_ns(&self) -> u64 {
        let unit = self.unit_of[0];
        self.free[unit].last().map_or(0, |core| self.spent_ns[unit][*core])
    }

    /// Takes the core of the rung's type that became free last.
    pub(super) fn take(&mut self, rung: usize) -> Option<usize> {
        self.free[self.unit_of[rung]].pop()
    }

    /// Returns a core that a request held on the rung for `held_ns`.
    pub(super) fn give_back(&mut self, rung: usize, core: usize, held_ns: u64) {
        let unit = self.unit_of[rung];
        self.free[unit].push(core);
        if rung < self.unit_of.len() - 1 {
            self.spent_ns[unit][core] += held_ns;
        }
    }

    /// The rung on which the first waiting request starts; none: it waits.
    pub(super) fn rung_to_start(
        &self,
        wanted: usize,
        wants: &[usize],
        in_system: u64,
        makes_room: bool,
    ) -> Option<usize> {
        let (mut driven, mut rung) = (None, wanted);
        while makes_room && self.is_too_many(wants.len(), rung, in_system) {
            let Some(next) = self.next[rung] else { break };
            rung = next;
            driven = if self.is_free(rung) { Some(rung) } else { driven };
        }
        let is_open = |rung: &usize| {
            let is_lowest_type = self.unit_of[*rung] == self.unit_of[0];
            (is_lowest_type && self.is_free(*rung)) || self.is_open(*rung, wants)
        };
        driven.or_else(|| (0..=wanted).rev().find(is_open))
    }

    /// The rung to which the request at a place moves at its tick; none: it stays. `first_wants`: the
    /// rung that the first waiting request wants.
    pub(super) fn rung_to_move(
        &mut self,
        place: usize,
        (rungs, wants): (&[usize], &[usize]),
        first_wants: Option<usize>,
        in_system: u64,
        makes_room: bool,
    ) -> Option<usize> {
        let (own, older) = (rungs[place], &wants[..place]);
        let may_have =
            |rung: &usize| self.unit_of[*rung] == self.unit_of[own] || self.is_open(*rung, older);
        if let Some(rung) = (own + 1..=wants[place]).rev().find(may_have) {
            return Some(rung);
        }
        let up = self.next[own].filter(|_| makes_room)?;
        if self.is_too_many(place, own, in_system) && self.is_free(up) {
            return Some(up);
        }
        let moves = self.is_open(up, older) && self.is_asked(place, rungs, wants, first_wants);
        moves.then_some(up)
    }

    fn is_free(&self, rung: usize) -> bool {
        !self.free[self.unit_of[rung]].is_empty()
    }

    /// Whether the rung has a free core, and a turn for a request after these older ones.
    fn is_open(&self, rung: usize, older: &[usize]) -> bool {
        let wanting = older.iter().filter(|want| **want >= rung).count();
        self.is_free(rung) && wanting < self.above[rung]
    }

    fn is_too_many(&self, older: usize, rung: usize, in_system: u64) -> bool {
        let excess = (in_system as usize).saturating_sub(self.below[rung]);
        older < excess.min(self.beyond[rung])
    }

    /// Whether the request is the oldest on a type that is short.
    fn is_asked(
        &mut self,
        place: usize,
        rungs: &[usize],
        wants: &[usize],
        first_wants: Option<usize>,
    ) -> bool {
        for number in 0..self.types.len() {
            let unit = self.types[number];
            let is_wanted = first_wants.is_some_and(|rung| self.unit_of[rung] == unit)
                || rungs.iter().zip(wants).any(|(rung, want)| self.claims(unit, *rung, *want))
                || self.types[..number].iter().any(|other| self.passes_on(unit, *other, rungs));
            let is_held = self.free[unit].is_empty();
            self.short[unit] = is_wanted && is_held;
        }
        let own = self.unit_of[rungs[place]];
        self.short[own] && self.oldest_on(own, rungs) == Some(place)
    }

    /// Whether a running request wants a type that begins above its own.
    fn claims(&self, unit: usize, rung: usize, want: usize) -> bool {
        let begins_above = self.lowest[self.unit_of[rung]] < self.lowest[unit];
        rung < want && begins_above && self.unit_of[want] == unit
    }

    /// Whether the oldest request on a lower type that is short has this as its next type.
    fn passes_on(&self, unit: usize, other: usize, rungs: &[usize]) -> bool {
        let oldest = self.oldest_on(other, rungs).filter(|_| self.short[other]);
        oldest.is_some_and(|place| self.next[rungs[place]] == self.lowest[unit])
    }

    fn oldest_on(&self, unit: usize, rungs: &[usize]) -> Option<usize> {
        rungs.iter().position(|rung| self.unit_of[*rung] == unit)
    }
}
