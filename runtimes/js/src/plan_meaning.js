/** Check that the content of a plan is consistent. */

import { require } from "./errors.js";
import { PPM } from "./numbers.js";

const MOST_SERVERS = 2 ** 20;
const MOST_EPOCHS = 2 ** 14;
const LARGEST_UDOLLARS = 2 ** 28;
const LATEST_UNIX_S = 253_402_300_799;

export function checkPlan(raw) {
  const { epoch_s, pools, epochs, start_unix_s, violations_ppm, jobs } = raw;
  require(epoch_s > 0, "`epoch_s` must be at least 1");
  require(pools.length > 0 && epochs.length > 0, "`pools` and `epochs` must not be empty");
  require(epochs.length <= MOST_EPOCHS, "`epochs` must have at most 2^14 entries");
  require(
    start_unix_s >= 0 && start_unix_s + epochs.length * epoch_s <= LATEST_UNIX_S,
    "`start_unix_s` and the end of the last epoch must be in the years 1970 to 9999",
  );
  require(0 <= violations_ppm && violations_ppm <= PPM, "`violations_ppm` must be 0 to 1,000,000");
  for (const pool of pools) checkPool(pool);
  require(
    total(pools) <= MOST_SERVERS,
    "`pools` must have at most 2^20 servers in total",
  );
  requireAllOrNone(pools, "racks");
  require(areApart(pools), "two pools have the same `name`");
  checkEpochs(raw);
  checkGrid(raw);
  require(raw.later_jobs !== "", "`later_jobs` must not be empty");
  checkMoney(raw);
  require(areApart(jobs), "two jobs have the same `name`");
  for (const job of jobs) checkJob(raw, job);
}

function checkPool({ name, servers, busy_mw, asleep_mw, migration_mj, racks }) {
  require(name !== "", "`name` of a pool must not be empty");
  require(servers > 0, "`servers` of a pool must be at least 1");
  require(
    0 <= asleep_mw && asleep_mw <= busy_mw && busy_mw > 0,
    "`busy_mw` of a pool must be at least 1, and `asleep_mw` 0 to `busy_mw`",
  );
  require(migration_mj >= 0, "`migration_mj` of a pool must not be negative");
  require(
    racks === null || (racks > 0 && servers % racks === 0),
    "`servers` of a pool must be a multiple of `racks`, which must be at least 1",
  );
}

function checkGrid({ pools, grid_mw }) {
  if (grid_mw === null) return;
  const busy = pools.reduce((sum, { servers, busy_mw }) => sum + servers * busy_mw, 0);
  require(grid_mw >= busy, "`grid_mw` must be at least the power of all servers");
}

function checkEpochs({ epochs, pools, grid_mw }) {
  for (const { green_mw, brown_udollars_per_kwh: price, brown_mg_per_kwh } of epochs) {
    require(
      Math.min(green_mw, brown_mg_per_kwh) >= 0,
      "`green_mw` and `brown_mg_per_kwh` must not be negative",
    );
    require(
      price >= 0 || grid_mw !== null,
      "`brown_udollars_per_kwh` is negative only with `grid_mw`",
    );
  }
  requireAllOrNone(epochs, "first_green_pool");
  require(
    epochs.every(
      ({ first_green_pool: first }) => first === null || (0 <= first && first <= pools.length),
    ),
    "`first_green_pool` must be 0 to the number of pools",
  );
}

function checkMoney({ prices, pools, epochs, terms, malleable }) {
  require(
    prices.length === pools.length && prices.every((one) => one.udollars.length === epochs.length),
    "`prices` must have an entry for each pool, with a price for each epoch",
  );
  require(
    (terms === null) !== (malleable === null),
    "exactly one of `terms` and `malleable` must be present",
  );
  const amounts = prices.flatMap((one) => one.udollars).concat(termsOf(terms));
  const isWithin = amounts.every((amount) => 0 <= amount && amount <= LARGEST_UDOLLARS);
  require(isWithin, "amounts of `prices` and `terms` must be 0 to 2^28");
  const most = amounts.reduce((largest, amount) => Math.max(largest, amount), 0);
  require(
    total(pools) * epochs.length * most <= Number.MAX_SAFE_INTEGER,
    "servers times epochs times the largest price must be below 2^53",
  );
  if (malleable === null) return;
  const { delay_udollars: delay, slowdown_ppm: slowdownPpm } = malleable;
  require(0 <= delay && delay <= LARGEST_UDOLLARS, "`delay_udollars` must be 0 to 2^28");
  require(slowdownPpm >= PPM, "`slowdown_ppm` must be at least 1,000,000");
}

function termsOf(terms) {
  return terms === null
    ? []
    : [terms.green_udollars, terms.brown_udollars, terms.penalty_udollars];
}

function checkJob({ pools, epochs: { length: end }, terms }, { name, spans, green_slots }) {
  require(
    name !== "" && spans.length > 0,
    "`name` and `spans` of a job must not be empty",
  );
  require(
    spans.every((span, at) => at === 0 || isInOrder(spans[at - 1], span)),
    "`spans` must be in order of `first_epoch`, then of `pool`",
  );
  const past = new Map();
  let slots = 0;
  for (const { pool, first_epoch: first, epochs, servers } of spans) {
    require(
      0 <= pool && pool < pools.length && first >= 0 && epochs > 0 && servers > 0,
      "a span needs an existing `pool`, `first_epoch` >= 0, `epochs` > 0 and `servers` > 0",
    );
    require(first + epochs <= end, "a span must end within the plan");
    require(
      servers <= pools[pool].servers,
      "`servers` of a span must be at most those of its pool",
    );
    require(first >= (past.get(pool) ?? 0), "spans of a job in one pool must not overlap");
    past.set(pool, first + epochs);
    slots += servers * epochs;
  }
  require(
    0 <= green_slots && green_slots <= slots,
    "`green_slots` must be 0 to the number of server-epochs of the job",
  );
  require(terms !== null || green_slots === 0, "`green_slots` of malleable jobs must be 0");
}

function isInOrder(one, other) {
  const difference = other.first_epoch - one.first_epoch || other.pool - one.pool;
  return difference >= 0;
}

function requireAllOrNone(parts, name) {
  require(
    parts.every((part) => (part[name] === null) === (parts[0][name] === null)),
    `\`${name}\` must be present in all of them or in none`,
  );
}

function areApart(named) {
  return new Set(named.map(({ name }) => name)).size === named.length;
}

function total(pools) {
  return pools.reduce((sum, pool) => sum + pool.servers, 0);
}
