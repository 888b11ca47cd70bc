//! The rung of the request that runs on a core, by the rules of a ladder.

use tailc_runtime::{Ladder, Rule};

use crate::cores::{Core, Running};

const NS_PER_US: u64 = 1_000;
/// Later than any climb.
const EVER_US: u64 = 1 << 52;
/// No extra tick comes sooner.
const LEAST_AHEAD_US: u64 = 20;

/// State of one core.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    running: Option<Held>,
    /// Time below the last rung since the last request that started without waiting.
    below_ns: u64,
    /// Time added to the age of the request, because batch work slows it more or less than the policy expects.
    charged_ns: i64,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    started_ns: u64,
    waited_us: u64,
    load: u64,
    rung: usize,
    /// When it came to the last rung.
    last_ns: Option<u64>,
}

/// How far to look ahead, at which load, and how much earlier than in the policy requests climb.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    /// Until the next tick.
    pub horizon_us: u64,
    /// The load now; the next tick sees the next one.
    pub load: u64,
    /// As for `rung`.
    pub lead_us: u64,
}

/// Rules of a ladder that decide on a rung.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    rereads_row: bool,
    never_descends: bool,
    waited_start_last: bool,
    counts_busy_period: bool,
}

impl Rules {
    /// Those of a ladder.
    pub fn of(ladder: &Ladder) -> Self {
        let has = |rule| ladder.rules().contains(&rule);
        Self {
            rereads_row: has(Rule::RereadRow),
            // A request on a core never moves down.
            never_descends: has(Rule::NeverDescend) || has(Rule::CorePerRequest),
            waited_start_last: has(Rule::WaitedStartLast),
            counts_busy_period: has(Rule::BusyPeriodAge),
        }
    }

    /// The load whose row applies.
    fn row_load(self, load: u64, held: &Held) -> u64 {
        if self.rereads_row {
            load
        } else {
            held.load
        }
    }
}

impl Requests {
    /// The rung of the running request, at that load; none on an idle core. `lead_us`: how much
    /// earlier than in the policy a request climbs.
    pub fn rung(
        &mut self,
        ladder: &Ladder,
        rules: Rules,
        core: &Core,
        load: u64,
        now_ns: u64,
        lead_us: u64,
    ) -> Option<usize> {
        let Some(running) = core.running else {
            *self = Self::default();
            return None;
        };
        let mut held = match self.running {
            Some(held) if held.started_ns == running.started_ns => held,
            before => self.begin(before, running, load, rules),
        };
        let passed_ns = self.passed_ns(&held, now_ns);
        let age_us = if rules.waited_start_last && held.waited_us > 0 {
            EVER_US
        } else {
            passed_ns / NS_PER_US + lead_us
        };
        let row_load = rules.row_load(load, &held);
        let rung = ladder.lookup(row_load, held.waited_us, age_us).rung;
        held.rung = if rules.never_descends { rung.max(held.rung) } else { rung };
        if held.rung + 1 == ladder.rungs().len() {
            held.last_ns.get_or_insert(now_ns);
        }
        self.running = Some(held);
        Some(held.rung)
    }

    /// How long after `now_ns` the running request climbs, if that is before the next tick.
    pub fn climbs_in_us(
        &self,
        ladder: &Ladder,
        rules: Rules,
        now_ns: u64,
        ahead: Ahead,
    ) -> Option<u64> {
        let held = self.running?;
        let load = rules.row_load(ahead.load, &held);
        let age_us = self.passed_ns(&held, now_ns) / NS_PER_US + ahead.lead_us;
        let is_higher = |us: u64| ladder.lookup(load, held.waited_us, age_us + us).rung > held.rung;
        if !is_higher(ahead.horizon_us) {
            return None;
        }
        // Rungs do not descend with the age, so the first higher one is found by halving.
        let (mut low_us, mut high_us) = (0, ahead.horizon_us);
        while high_us - low_us > 1 {
            let middle_us = low_us + (high_us - low_us) / 2;
            if is_higher(middle_us) {
                high_us = middle_us;
            } else {
                low_us = middle_us;
            }
        }
        Some(high_us.max(LEAST_AHEAD_US))
    }

    /// Adds to the age of the running request, or to that of its busy period.
    pub fn charge(&mut self, charged_ns: i64) {
        self.charged_ns += charged_ns;
    }

    fn passed_ns(&self, held: &Held, now_ns: u64) -> u64 {
        let passed_ns = now_ns.saturating_sub(held.started_ns) + self.below_ns;
        passed_ns.saturating_add_signed(self.charged_ns)
    }

    fn begin(&mut self, before: Option<Held>, now: Running, load: u64, rules: Rules) -> Held {
        let waited_us = now.waited_us();
        (self.below_ns, self.charged_ns) = match before {
            Some(before) if rules.counts_busy_period && waited_us > 0 => {
                let end_ns = before.last_ns.unwrap_or(now.started_ns).min(now.started_ns);
                (self.below_ns + end_ns.saturating_sub(before.started_ns), self.charged_ns)
            }
            _ => (0, 0),
        };
        Held { started_ns: now.started_ns, waited_us, load, rung: 0, last_ns: None }
    }
}
