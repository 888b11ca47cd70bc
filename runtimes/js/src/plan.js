/** A plan in memory: places of its jobs, and sources of power. */

import { require } from "./errors.js";
import { floorDivide } from "./numbers.js";
import { storedByEpoch } from "./plan_battery.js";
import { checkPlan } from "./plan_meaning.js";

export class Plan {
  #raw;
  #jobs;
  #stored;
  #policy;

  constructor(raw, _controller, policy) {
    checkPlan(raw);
    this.startUnixS = raw.start_unix_s;
    this.epochS = raw.epoch_s;
    this.pools = raw.pools.map((pool) => ({ name: pool.name, servers: pool.servers }));
    this.epochs = raw.epochs.length;
    this.gridMw = raw.grid_mw;
    this.laterJobs = raw.later_jobs;
    this.jobs = raw.jobs.map((job) => job.name);
    this.#raw = raw;
    this.#jobs = new Map(raw.jobs.map((job) => [job.name, job.spans]));
    this.#policy = policy;
    checkRoom(raw);
    this.#stored = storedByEpoch(raw);
  }

  epochAt(unixS) {
    const sinceS = unixS - this.startUnixS;
    const epoch = sinceS < 0 ? -1 : floorDivide(sinceS, this.epochS);
    if (0 <= epoch && epoch < this.epochs) return epoch;
    this.#policy.outside += 1;
    return null;
  }

  source(pool, unixS) {
    const epoch = this.epochAt(unixS);
    if (epoch === null || !(0 <= pool && pool < this.pools.length)) return null;
    const first = this.#raw.epochs[epoch].first_green_pool;
    if (first === null) return "mixed";
    return pool >= first ? "green" : "brown";
  }

  stored(unixS) {
    const epoch = this.epochAt(unixS);
    return this.#stored === null || epoch === null ? null : this.#stored[epoch];
  }

  allocation(job, unixS) {
    const epoch = this.epochAt(unixS);
    const spans = this.#jobs.get(job);
    if (epoch === null || spans === undefined) return null;
    return spans
      .filter((span) => span.first_epoch <= epoch && epoch < span.first_epoch + span.epochs)
      .map(({ pool, servers }) => ({ pool, servers }))
      .sort((one, other) => one.pool - other.pool);
  }
}

function checkRoom(raw) {
  const free = raw.epochs.map(() => raw.pools.map((pool) => pool.servers));
  for (const { spans } of raw.jobs) {
    for (const { pool, first_epoch: first, epochs, servers } of spans) {
      for (let epoch = first; epoch < first + epochs; epoch++) free[epoch][pool] -= servers;
    }
  }
  require(
    free.every((pools) => pools.every((servers) => servers >= 0)),
    "the jobs of an epoch use more servers of a pool than it has",
  );
}
