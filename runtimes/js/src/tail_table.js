/** A tail table in memory: the lowest sufficient frequency for the queue of a core. */

import { LARGEST_OUTPUT_PPM } from "./controller.js";
import { require, requireArguments } from "./errors.js";
import {
  PPM,
  ascends,
  countUpTo,
  floorDivide,
  isAmount,
  isProductAtLeast,
  neverFalls,
} from "./numbers.js";

const LARGEST_CYCLES = 2 ** 43;
const LARGEST_BOUND_US = 2 ** 28;
const LARGEST_FREQUENCY_KHZ = 2 ** 23;
const MOST_PPM = LARGEST_OUTPUT_PPM["latency-bound"];
const NS_PER_US = 1_000;
// One kHz for one ns is a millionth of a cycle.
const PARTS_PER_CYCLE = 1_000_000;

export class TailTable {
  #least;
  #cycles;
  #memory;
  #policy;

  constructor(raw, controller, policy) {
    check(raw);
    this.percentilePpm = raw.percentile_ppm;
    this.boundUs = raw.bound_us;
    this.frequenciesKhz = raw.levels.map((level) => level.frequency_khz);
    this.powerMw = raw.levels.map((level) => level.power_mw);
    this.sleepPowerMw = raw.sleep.power_mw;
    this.wakeNs = raw.sleep.wake_ns;
    this.cores = raw.cores;
    this.batch = raw.batch && {
      leastKhz: raw.batch.least_khz,
      frequencyKhz: raw.batch.frequency_khz,
      powerMw: raw.batch.power_mw,
    };
    this.transition = raw.transition && {
      haltNs: raw.transition.halt_ns,
      energyNj: raw.transition.energy_nj,
    };
    this.positions = raw.cycles[0].left.length;
    this.controller = controller;
    this.#least = raw.batch ? this.frequenciesKhz.indexOf(raw.batch.least_khz) : 0;
    this.#cycles = searchable(raw.cycles);
    this.#memory = searchable(raw.memory_ns);
    this.#policy = policy;
  }

  frequencyKhz(agesNs, elapsedCycles, elapsedMemoryNs, scalePpm) {
    return this.frequenciesKhz[this.level(agesNs, elapsedCycles, elapsedMemoryNs, scalePpm)];
  }

  level(agesNs, elapsedCycles = 0, elapsedMemoryNs = 0, scalePpm = this.#outputPpm) {
    requireArguments(
      agesNs.length > 0 && isAmount(scalePpm) && scalePpm <= MOST_PPM,
      "`agesNs` must be a list with an age for each request, at least one, and `scalePpm` must be a " +
        "whole number from 0 to 2,000,000",
    );
    requireArguments(
      isAmount(elapsedCycles) && isAmount(elapsedMemoryNs) && agesNs.every(isAmount),
      "ages and elapsed work must be whole numbers, 0 or more",
    );
    const top = this.frequenciesKhz.length - 1;
    if (agesNs.length > this.positions) {
      this.#policy.outside += 1;
      return top;
    }
    const cycles = rowAt(this.#cycles, elapsedCycles);
    const memoryNs = rowAt(this.#memory, elapsedMemoryNs);
    const boundNs = floorDivide(this.boundUs * scalePpm, NS_PER_US);
    let level = this.#least;
    for (let i = 0; i < agesNs.length; i++) {
      const slackNs = boundNs - agesNs[i] - memoryNs[i];
      if (slackNs <= 0) return top;
      while (level < top && !this.#isInTime(level, slackNs, cycles[i])) level += 1;
    }
    return level;
  }

  #isInTime(level, slackNs, cycles) {
    return isProductAtLeast(this.frequenciesKhz[level], slackNs, cycles, PARTS_PER_CYCLE);
  }

  get #outputPpm() {
    return this.controller === null ? PPM : this.controller.outputPpm;
  }
}

function searchable(rows) {
  return { from: rows.map((row) => row.from_elapsed), left: rows.map((row) => row.left) };
}

function rowAt({ from, left }, elapsed) {
  return left[countUpTo(from, elapsed) - 1];
}

function check(raw) {
  const { percentile_ppm, bound_us, reference_khz, levels, batch, sleep, transition } = raw;
  require(0 < percentile_ppm && percentile_ppm < PPM, "`percentile_ppm` must be 1 to 999,999");
  require(0 < bound_us && bound_us <= LARGEST_BOUND_US, "`bound_us` must be 1 to 2^28");
  require(raw.cores > 0, "`cores` must be at least 1");
  require(
    reference_khz === null || (0 < reference_khz && reference_khz <= LARGEST_FREQUENCY_KHZ),
    "`reference_khz` must be 1 to 2^23",
  );
  const frequencies = levels.map((level) => level.frequency_khz);
  require(
    frequencies[0] > 0,
    "`levels` must not be empty, and `frequency_khz` must be at least 1",
  );
  require(ascends(frequencies), "`frequency_khz` must increase from level to level");
  require(frequencies.at(-1) <= LARGEST_FREQUENCY_KHZ, "`frequency_khz` must be at most 2^23");
  const amounts = [...levels.map((level) => level.power_mw), sleep.power_mw, sleep.wake_ns];
  require(isNeverNegative(amounts), "`power_mw` and `wake_ns` must not be negative");
  if (batch !== null) {
    require(
      frequencies.includes(batch.least_khz) && frequencies.includes(batch.frequency_khz),
      "`least_khz` and `frequency_khz` of `batch` must be frequencies of `levels`",
    );
    require(batch.power_mw >= 0, "`power_mw` must not be negative");
  }
  require(
    transition === null || isNeverNegative([transition.halt_ns, transition.energy_nj]),
    "`halt_ns` and `energy_nj` of `transition` must not be negative",
  );
  checkRows(raw.cycles, LARGEST_CYCLES);
  checkRows(raw.memory_ns, Number.MAX_SAFE_INTEGER);
  require(
    raw.cycles[0].left.length === raw.memory_ns[0].left.length,
    "rows of `cycles` and `memory_ns` must have the same number of positions",
  );
}

function checkRows(rows, most) {
  const starts = rows.map((row) => row.from_elapsed);
  require(starts[0] === 0, "`from_elapsed` of the first row must be 0");
  require(ascends(starts), "`from_elapsed` must increase from row to row");
  const positions = rows[0].left.length;
  for (const { left } of rows) {
    require(left.length === positions, "all rows must have the same number of positions");
    require(positions > 0, "`left` of a row must not be empty");
    require(
      left[0] >= 0 && left.at(-1) <= most,
      "`left` of a row must be 0 to 2^43 cycles or 2^53 - 1 ns",
    );
    require(neverFalls(left), "`left` of a row must not decrease with the position");
  }
}

function isNeverNegative(values) {
  return values.every((value) => value >= 0);
}
