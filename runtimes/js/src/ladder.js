/** A ladder in memory: one search by load and one by age in each look-up. */

import { requireArguments } from "./errors.js";
import { checkLadder, checkScaled } from "./ladder_meaning.js";
import { PPM, countUpTo, floorDivide, isAmount } from "./numbers.js";

// No age in a policy is as late.
const EVER_US = 2 ** 53;
const FIRST_RUNG = { start: "now", delayUs: 0, ages: [], rungs: [0] };

export class Ladder {
  #firstLoads;
  #entries;
  #firstInside;
  #lastInside;
  #policy;
  #waitsCount;

  constructor(raw, controller, policy) {
    checkLadder(raw);
    if (controller !== null) checkScaled(raw);
    this.loadAxis = raw.load_axis;
    this.requestClass = raw.request_class;
    this.costUnits = raw.cost_units.map((unit) => unit.name);
    this.rungs = raw.rungs.map((rung) => rung.name);
    this.settings = raw.rungs.map(settingOf);
    this.rules = raw.rules;
    this.quantumUs = raw.quantum_us;
    this.boost = raw.boost && { unit: raw.boost.unit, belowPpm: raw.boost.below_ppm };
    this.controller = controller;
    this.#waitsCount = raw.rules.includes("age-from-arrival");
    this.overload = new Overload(raw.overload ?? {}, this.#waitsCount);
    this.sharing = new Sharing(raw.sharing ?? {}, this.#waitsCount);
    Object.assign(this, coresOf(raw));
    const spans = spansOf(raw);
    this.#firstLoads = spans.map(([firstLoad]) => firstLoad);
    this.#entries = spans.map(([, entry]) => entry);
    this.#firstInside = raw.guard.min_load;
    this.#lastInside = lastInsideOf(raw);
    this.#policy = policy;
  }

  lookup(load, waitedUs, executedUs) {
    const outputPpm = this.controller === null ? PPM : this.controller.outputPpm;
    return this.lookupScaled(load, waitedUs, executedUs, outputPpm);
  }

  lookupScaled(load, waitedUs, executedUs, outputPpm) {
    requireArguments(
      isAmount(load) && isAmount(waitedUs) && isAmount(executedUs),
      "the load and the times waited and executed must be whole numbers, 0 or more",
    );
    requireArguments(
      isAmount(outputPpm) && outputPpm <= PPM,
      "the output must be a whole number from 0 to 1,000,000",
    );
    if (load < this.#firstInside || load > this.#lastInside) this.#policy.outside += 1;
    const { start, delayUs, ages, rungs } = this.#entries[countUpTo(this.#firstLoads, load) - 1];
    const ageUs = executedUs + (this.#waitsCount ? waitedUs : 0);
    const rung = rungs[countUpTo(ages, unscaledUs(ageUs, outputPpm))];
    if (delayUs > waitedUs) return { start: "wait", waitUs: delayUs - waitedUs, rung };
    return { start, waitUs: 0, rung };
  }
}

/** Rules by which requests are refused, cut off or degraded; without a rule its answer is no. */
class Overload {
  #waitsCount;

  constructor(raw, waitsCount) {
    this.shedFrom = raw.shed_from ?? null;
    this.cutOffUs = raw.cut_off_us ?? null;
    this.degradeFrom = raw.degrade_from ?? null;
    this.degradedPpm = raw.work_ppm ?? null;
    this.#waitsCount = waitsCount;
  }

  refuses(inSystem) {
    return this.shedFrom !== null && inSystem >= this.shedFrom;
  }

  workPpm(inSystem) {
    return this.degradeFrom !== null && inSystem >= this.degradeFrom ? this.degradedPpm : PPM;
  }

  cutsOff(waitedUs, executedUs) {
    const ageUs = executedUs + (this.#waitsCount ? waitedUs : 0);
    return this.cutOffUs !== null && ageUs >= this.cutOffUs;
  }
}

/** Rules for a shared resource; without a rule every request starts, and none gives up. */
class Sharing {
  #waitsCount;

  constructor(raw, waitsCount) {
    this.startUnit = raw.start_unit ?? null;
    this.startBelowPpm = raw.start_below_ppm ?? null;
    this.giveUpUs = raw.give_up_us ?? null;
    this.#waitsCount = waitsCount;
  }

  starts(inUsePpm) {
    return this.startBelowPpm === null || inUsePpm < this.startBelowPpm;
  }

  givesUp(waitedUs, executedUs) {
    const ageUs = executedUs + (this.#waitsCount ? waitedUs : 0);
    return this.giveUpUs !== null && ageUs >= this.giveUpUs;
  }
}

/** The latest unscaled age that is reached: floor(a z) <= t exactly if a z < t + 1. */
function unscaledUs(ageUs, outputPpm) {
  if (outputPpm === PPM) return ageUs;
  if (outputPpm === 0) return EVER_US;
  const scaled = (BigInt(ageUs) + 1n) * BigInt(PPM) - 1n;
  return Number(scaled / BigInt(outputPpm));
}

function settingOf(rung) {
  return {
    name: rung.name,
    speedPpm: rung.speed_ppm,
    costPpm: rung.cost_ppm,
    moveUs: rung.move_us,
    threads: rung.threads,
    frequencyKhz: rung.frequency_khz,
    coreType: rung.core_type,
    lane: rung.lane,
    oneThreadPpm: rung.one_thread_ppm,
  };
}

/** Cost unit of the core of each rung, number of cores by cost unit, and times of moves. */
function coresOf(raw) {
  if (!raw.rules.includes("core-per-request")) return { coreUnit: [], coreCount: [], moveUs: [] };
  const coreCount = raw.cost_units.map((unit) => floorDivide(unit.capacity_ppm ?? 0, PPM));
  return {
    coreUnit: raw.rungs.map((rung) => rung.cost_ppm.findIndex((cost, n) => cost && coreCount[n])),
    coreCount,
    moveUs: raw.rungs.map((rung) => rung.move_us ?? 0),
  };
}

/**
 * The largest load that is not counted as outside: the last row of a ladder by requests in the system
 * is compiled for all larger loads.
 */
function lastInsideOf({ load_axis: axis, guard, rows }) {
  const hasNoEnd = axis === "in_system" && guard.outside === "clamp";
  return hasNoEnd && rows[rows.length - 1].first_load <= guard.max_load ? Infinity : guard.max_load;
}

/** [first load, entry] from load 0 on; outside the guard the first rung may apply. */
function spansOf(raw) {
  const spans = raw.rows.map((row) => [row.first_load, entryOf(row)]);
  spans[0][0] = 0;
  const { min_load: low, max_load: last, outside } = raw.guard;
  if (outside === "clamp") return spans;
  const current = spans.filter(([firstLoad]) => firstLoad <= low).at(-1)[1];
  const inside = spans.filter(([firstLoad]) => low < firstLoad && firstLoad <= last);
  const below = low > 0 ? [[0, FIRST_RUNG]] : [];
  return [...below, [low, current], ...inside, [last + 1, FIRST_RUNG]];
}

function entryOf(row) {
  const start = row.admission === "on-exit" ? "on-exit" : "now";
  return { start, delayUs: row.delay_us, ages: row.ages_us.slice(1), rungs: row.rungs };
}
