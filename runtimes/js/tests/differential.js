// Random questions to a policy, as in the readers of all other languages.
import { readFileSync } from "node:fs";

import { readFlat } from "../src/flat.js";
import { formOf, open } from "./vectors.js";

const STRETCH = 4_096;
// Questions between two steps of a controller.
const EPOCH = 1_024;
const MASK = (1n << 64n) - 1n;
const LANES = { shared: 1, alone: 2 };
const STARTS = { now: 0, wait: 1, "on-exit": 2 };

/** A checksum after each block of questions, and after the last one. */
export function checksums(path, seed, count) {
  const ask = questionOf(path, draws(seed));
  const found = [];
  let checksum = 0xcbf29ce484222325n;
  for (let number = 0; number < count; number++) {
    for (const value of ask(number)) {
      checksum = ((checksum ^ (BigInt(value) & MASK)) * 0x100000001b3n) & MASK;
    }
    if ((number + 1) % STRETCH === 0 || number + 1 === count) {
      found.push(checksum.toString(16).padStart(16, "0"));
    }
  }
  return found;
}

/** Random numbers below an argument by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
function draws(seed) {
  let state = seed;
  return (count) => {
    state = (state + 0x9e3779b97f4a7c15n) & MASK;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return Number((z ^ (z >> 31n)) % BigInt(count));
  };
}

function questionOf(path, below) {
  const policy = open(path);
  const { forms } = readFlat(readFileSync(path));
  switch (formOf(policy)) {
    case "shares":
      return ticksOf(policy.shares, below);
    case "budgetTable":
      return budgetsOf(policy.budgetTable, below);
    case "tailTable":
      return steered(policy.controller, forms, below, levelsOf(policy.tailTable, forms, below));
    case "ladders":
      return steered(policy.controller, forms, below, lookupsOf(policy.ladders, forms, below));
    default:
      throw new Error("this reader has no prices of plans");
  }
}

/** The same questions, with a step of the controller at regular intervals. */
function steered(controller, forms, below, ask) {
  if (controller === null) return ask;
  const lastRateMrps = forms.at(-1).gains.at(-1).first_rate_mrps;
  return (number) => {
    if (number % EPOCH) return ask(number);
    const measuredUs = below(3 * controller.targetUs);
    const outputPpm = controller.step(measuredUs, below(2 * lastRateMrps + 2));
    return [outputPpm, ...ask(number)];
  };
}

function lookupsOf(ladders, forms, below) {
  const tables = [...ladders.values()];
  const most = forms
    .filter(({ form }) => form === "ladder")
    .map(({ guard, rows }) => [
      BigInt(guard.max_load) + 2n,
      2n * BigInt(Math.max(...rows.map((row) => row.delay_us))) + 2n,
      2n * BigInt(Math.max(...rows.map((row) => row.ages_us.at(-1)))) + 2n,
    ]);
  return () => {
    const which = below(tables.length);
    const { start, waitUs, rung } = tables[which].lookup(...most[which].map(below));
    return [STARTS[start], waitUs, rung, ...settingOf(tables[which].settings[rung])];
  };
}

function settingOf({ speedPpm, threads, frequencyKhz, coreType, lane, oneThreadPpm }) {
  const name = new TextEncoder().encode(coreType ?? "");
  const optional = [threads ?? 0, frequencyKhz ?? 0, name.length, LANES[lane] ?? 0];
  return [speedPpm, ...optional, oneThreadPpm ?? 0];
}

function levelsOf(table, forms, below) {
  const cycles = 2 * forms[0].cycles.at(-1).from_elapsed + 2;
  const boundNs = table.boundUs * 1_000;
  return () => {
    const agesNs = [];
    let oldestNs = 2 * boundNs;
    const count = 1 + below(table.positions + 1);
    for (let position = 0; position < count; position++) {
      oldestNs = below(oldestNs + 1);
      agesNs.push(oldestNs);
    }
    const elapsed = below(cycles);
    return [table.frequencyKhz(agesNs, elapsed, below(boundNs + 1))];
  };
}

function budgetsOf(table, below) {
  const most = [2 * table.maxSequences, 2 * table.kvBlocks * table.blockTokens];
  return () => {
    const { budget, newSequences } = table.lookup(...most.map(below));
    return [budget, newSequences];
  };
}

function ticksOf(shares, below) {
  return () => {
    const throughput = shares.served.map(() => below(1_000_000) / 1_000);
    const grantedPpm = shares.tick(throughput, shares.served.map(() => below(64)));
    return [...grantedPpm, ...shares.served.flatMap((one) => [bitsOf(one.a), bitsOf(one.b)])];
  };
}

function bitsOf(value) {
  return new BigInt64Array(new Float64Array([value]).buffer)[0];
}
