//! The places of a job that the plan does not know, and what they are worth.
//!
//! An exchange of a brown for a green place costs more with each in an epoch, so the cheapest of all
//! epochs, taken in order, are the best.

use std::cmp::Reverse;
use std::ops::Range;

use super::data::{PlanData, Span, Terms};
use super::Servers;
use crate::numbers::PPM;

/// What a job brings, less the penalty for promised slots that its places do not meet, and what its
/// places are worth [millionths of a dollar].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Quote {
    pub pays_udollars: i64,
    pub worth_udollars: i64,
    pub green_slots: i64,
    /// None: there is no room.
    pub places: Option<Vec<Span>>,
}

impl Quote {
    /// Whether it pays more than it takes from others.
    pub fn is_admitted(&self) -> bool {
        self.places.is_some() && self.pays_udollars > self.worth_udollars
    }
}

/// The prices of a plan, put in order once.
#[derive(Clone, Debug)]
pub(super) struct Pricing {
    terms: Option<Terms>,
    epochs: Vec<Prices>,
}

/// Those of an epoch.
#[derive(Clone, Debug)]
struct Prices {
    /// By pool.
    udollars: Vec<i64>,
    /// Pools, the cheapest first.
    cheapest: Vec<usize>,
    /// The number of pools where none is green.
    first_green: usize,
}

/// In the order in which exchanges are made; `servers` may be exchanged so.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Exchange {
    udollars: i64,
    epoch: usize,
    brown: usize,
    green: usize,
    servers: i64,
}

impl Pricing {
    pub fn new(data: &PlanData) -> Self {
        let prices_of = |epoch: usize| {
            let udollars: Vec<i64> = data.prices.iter().map(|of_pool| of_pool[epoch]).collect();
            let mut cheapest: Vec<usize> = (0..udollars.len()).collect();
            cheapest.sort_by_key(|pool| udollars[*pool]);
            let first_green = data.epochs[epoch].first_green_pool;
            let first_green = first_green.map_or(data.pools.len(), |pool| pool as usize);
            Prices { udollars, cheapest, first_green }
        };
        let epochs = (0..data.epochs.len()).map(prices_of).collect();
        Self { terms: data.terms, epochs }
    }

    /// The epochs of a job that are the plan's; none where one has too few free servers.
    pub fn within(
        &self,
        free: &Servers,
        first_epoch: usize,
        epochs: usize,
        width: i64,
    ) -> Option<Range<usize>> {
        if first_epoch >= self.epochs.len() {
            return None;
        }
        let within = first_epoch..(first_epoch + epochs).min(self.epochs.len());
        let has_room = free[within.clone()].iter().all(|room| room.iter().sum::<i64>() >= width);
        has_room.then_some(within)
    }

    /// The cheapest servers of each epoch; of equal prices those of the lower pool.
    pub fn filled(&self, free: &Servers, within: &Range<usize>, width: i64) -> Servers {
        let filled_of = |epoch: usize| {
            let mut row = vec![0; free[epoch].len()];
            let mut left = width;
            for pool in &self.epochs[epoch].cheapest {
                row[*pool] = left.min(free[epoch][*pool]);
                left -= row[*pool];
            }
            row
        };
        within.clone().map(filled_of).collect()
    }

    /// What places cost at the plan's prices.
    pub fn worth(&self, within: &Range<usize>, places: &Servers) -> i64 {
        let of_epoch = |(prices, row): (&Prices, &Vec<i64>)| -> i64 {
            prices.udollars.iter().zip(row).map(|(udollars, servers)| udollars * servers).sum()
        };
        self.epochs[within.clone()].iter().zip(places).map(of_epoch).sum()
    }

    /// The best places of a rigid job, and what comes of them.
    pub fn quote(
        &self,
        free: &Servers,
        first_epoch: usize,
        epochs: usize,
        width: i64,
        green_ppm: i64,
    ) -> Quote {
        let within = self.within(free, first_epoch, epochs, width);
        let (Some(within), Some(terms)) = (within, self.terms) else { return Quote::default() };
        let slots = within.len() as i64 * width;
        let promised = (green_ppm * epochs as i64 * width + PPM - 1) / PPM;
        let promised = promised.min(slots);
        let mut places = self.filled(free, &within, width);
        let green = self.make_green(free, &within, &mut places, promised, terms.penalty_udollars);
        let missed = (promised - green).max(0);
        Quote {
            pays_udollars: promised * terms.green_udollars
                + (slots - promised) * terms.brown_udollars
                - missed * terms.penalty_udollars,
            worth_udollars: self.worth(&within, &places),
            green_slots: green,
            places: Some(spans_of(&within, &places)),
        }
    }

    /// Exchanges until the promise is met or missing it costs no more; the green places then.
    fn make_green(
        &self,
        free: &Servers,
        within: &Range<usize>,
        places: &mut Servers,
        promised: i64,
        penalty_udollars: i64,
    ) -> i64 {
        let mut green = 0;
        let mut exchanges = Vec::new();
        for (epoch, row) in within.clone().zip(places.iter()) {
            green += row[self.epochs[epoch].first_green..].iter().sum::<i64>();
            self.epochs[epoch].add_exchanges(&mut exchanges, &free[epoch], row, epoch);
        }
        exchanges.sort_unstable();
        for exchange in exchanges {
            let moved = exchange.servers.min(promised - green);
            if moved <= 0 || exchange.udollars >= penalty_udollars {
                break;
            }
            let row = &mut places[exchange.epoch - within.start];
            row[exchange.brown] -= moved;
            row[exchange.green] += moved;
            green += moved;
        }
        green
    }
}

impl Prices {
    /// The dearest brown place for the cheapest green one first.
    fn add_exchanges(&self, found: &mut Vec<Exchange>, room: &[i64], row: &[i64], epoch: usize) {
        let mut dearest: Vec<usize> = (0..self.first_green).collect();
        dearest.sort_by_key(|pool| Reverse(self.udollars[*pool]));
        let mut left: Vec<i64> = room.iter().zip(row).map(|(free, held)| free - held).collect();
        for brown in dearest {
            let mut held = row[brown];
            for green in self.cheapest.iter().copied().filter(|pool| *pool >= self.first_green) {
                let servers = held.min(left[green]);
                if servers == 0 {
                    continue;
                }
                let udollars = self.udollars[green] - self.udollars[brown];
                found.push(Exchange { udollars, epoch, brown, green, servers });
                left[green] -= servers;
                held -= servers;
            }
        }
    }
}

/// The fewest spans that say the same, in order of epoch, then of pool.
pub(super) fn spans_of(within: &Range<usize>, places: &Servers) -> Vec<Span> {
    let mut found = Vec::new();
    for pool in 0..places[0].len() {
        let mut first_epoch = within.start;
        for alike in places.chunk_by(|one, next| one[pool] == next[pool]) {
            let (epochs, servers) = (alike.len(), alike[0][pool]);
            if servers > 0 {
                found.push(Span { pool, first_epoch, epochs, servers });
            }
            first_epoch += epochs;
        }
    }
    found.sort_by_key(|span| (span.first_epoch, span.pool));
    found
}
