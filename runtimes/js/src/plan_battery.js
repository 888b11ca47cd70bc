/** Energy flows of the battery of a plan, in whole millijoules. */

import { require } from "./errors.js";
import { PPM, floorOfProduct } from "./numbers.js";

/** {batteryMj, storedMj} by epoch; null without a battery. */
export function storedByEpoch(raw) {
  const { battery, epochs } = raw;
  require(
    epochs.every((epoch) => (epoch.battery_mj !== null) === (battery !== null)),
    "`battery_mj` must be present in every epoch with a `battery`, and otherwise in none",
  );
  if (battery === null) return null;
  checkBattery(battery);
  require(
    largestMj(raw) <= Number.MAX_SAFE_INTEGER,
    "the energy of an epoch must be below 2^53 mJ",
  );
  const spareMj = spareMjByEpoch(raw);
  let storedMj = battery.first_mj;
  return epochs.map(({ battery_mj: batteryMj }, epoch) => {
    storedMj += batteryMj > 0 ? floorOfProduct(batteryMj, battery.kept_ppm, PPM) : batteryMj;
    checkEpoch(raw, batteryMj, storedMj, spareMj[epoch]);
    return { batteryMj, storedMj };
  });
}

function checkBattery({ capacity_mj, charge_mw, discharge_mw, kept_ppm, first_mj }) {
  require(capacity_mj > 0, "`capacity_mj` must be at least 1");
  require(
    Math.min(charge_mw, discharge_mw) > 0,
    "`charge_mw` and `discharge_mw` must be at least 1",
  );
  require(0 < kept_ppm && kept_ppm <= PPM, "`kept_ppm` must be 1 to 1,000,000");
  require(0 <= first_mj && first_mj <= capacity_mj, "`first_mj` must be 0 to `capacity_mj`");
}

function checkEpoch({ battery, epoch_s }, flowMj, storedMj, spareMj) {
  require(
    -battery.discharge_mw * epoch_s <= flowMj && flowMj <= battery.charge_mw * epoch_s,
    "`battery_mj` must be at most `charge_mw` or `discharge_mw` times `epoch_s`",
  );
  require(
    Math.min(spareMj, 0) <= flowMj && flowMj <= Math.max(spareMj, 0),
    "`battery_mj` may only charge unused green energy or replace brown energy",
  );
  require(
    0 <= storedMj && storedMj <= battery.capacity_mj,
    "`battery_mj` must leave the stored energy at 0 to `capacity_mj`",
  );
}

/** Largest energy that an epoch may use, produce, or move into or out of a battery. */
function largestMj({ pools, epochs, epoch_s, battery }) {
  const drawn = pools.reduce(
    (sum, pool) => sum + pool.servers * (pool.busy_mw * epoch_s + 2 * pool.migration_mj),
    0,
  );
  const powers = [battery.charge_mw, battery.discharge_mw, ...epochs.map((one) => one.green_mw)];
  return Math.max(drawn, powers.reduce((most, power) => Math.max(most, power), 0) * epoch_s);
}

/** Green energy minus the energy of servers, by epoch. */
function spareMjByEpoch(raw) {
  const busy = raw.epochs.map(() => raw.pools.map(() => 0));
  const moved = raw.epochs.map(() => raw.pools.map(() => 0));
  for (const job of raw.jobs) {
    const first = job.spans[0].first_epoch;
    const places = placesOf(raw, job);
    places.forEach((now, at) => {
      add(busy[first + at], now);
      // A job that starts or ends moves nothing; the first epoch has no epoch before it.
      const isMove = at > 0 && now.some((servers) => servers > 0);
      if (isMove) add(moved[first + at], movesOf(places[at - 1], now, raw.malleable !== null));
    });
  }
  return raw.epochs.map(
    (epoch, at) => epoch.green_mw * raw.epoch_s - drawnMj(raw, busy[at], moved[at]),
  );
}

/** Servers of a job by epoch, from its first to its last, then by pool. */
function placesOf(raw, { spans }) {
  const start = spans[0].first_epoch;
  const end = spans.reduce((last, span) => Math.max(last, span.first_epoch + span.epochs), 0);
  const places = Array.from({ length: end - start }, () => raw.pools.map(() => 0));
  for (const { pool, first_epoch: first, epochs, servers } of spans) {
    for (let epoch = first; epoch < first + epochs; epoch++) places[epoch - start][pool] = servers;
  }
  return places;
}

/** Servers by pool with a move of work; for malleable jobs also released servers. */
function movesOf(before, now, isMalleable) {
  const taken = now.map((servers, pool) => Math.max(0, servers - before[pool]));
  const given = now.map((servers, pool) => Math.max(0, before[pool] - servers));
  return isMalleable && sum(given) > sum(taken) ? given : taken;
}

function drawnMj({ pools, epoch_s }, busy, moved) {
  return pools.reduce((drawn, pool, at) => {
    const drawnMw = busy[at] * pool.busy_mw + (pool.servers - busy[at]) * pool.asleep_mw;
    return drawn + drawnMw * epoch_s + moved[at] * pool.migration_mj;
  }, 0);
}

function add(row, more) {
  more.forEach((count, at) => {
    row[at] += count;
  });
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
