/** Check that the content of a ladder is consistent. */

import { PolicyError, require } from "./errors.js";
import { PPM, ascends } from "./numbers.js";
import { RULES, WORDS } from "./shapes.js";

const LARGEST_AGE_US = 2 ** 43;
const OVERLOAD = { shed: "shed_from", "cut-off": "cut_off_us", degrade: "degrade_from" };
const SHARING = { "start-below": "start_below_ppm", "give-up": "give_up_us" };

export function checkLadder(raw) {
  for (const rule of raw.rules) {
    if (!RULES.includes(rule)) throw new PolicyError("unknown-rule", `unknown rule \`${rule}\``);
  }
  const { min_load: low, max_load: high, outside } = raw.guard;
  requireWord("load_axis", raw.load_axis);
  requireWord("outside", outside);
  require(ascends(raw.rules), "`rules` must be in ascending order without duplicates");
  require(
    !(has(raw, "age-from-arrival") && has(raw, "busy-period-age")),
    "rules `age-from-arrival` and `busy-period-age` exclude each other",
  );
  require(raw.quantum_us > 0, "`quantum_us` must be at least 1");
  require(raw.rungs.length && raw.rows.length, "`rungs` and `rows` must not be empty");
  require(0 <= low && low <= high, "`guard` must have 0 <= `min_load` <= `max_load`");
  const firstLoads = raw.rows.map((row) => row.first_load);
  require(ascends(firstLoads), "`first_load` must increase from row to row");
  require(firstLoads[0] >= 0, "`first_load` of a row must not be negative");
  for (const row of raw.rows) checkRow(row, raw.rungs.length);
  for (const rung of raw.rungs) checkRung(rung, raw.cost_units.length);
  checkBoost(raw);
  checkOverload(raw);
  checkSharing(raw);
  checkCores(raw);
}

/** A controller scales only ages whose products fit. */
export function checkScaled(raw) {
  require(
    raw.rows.every((row) => row.ages_us.at(-1) <= LARGEST_AGE_US),
    "`age_us` of a climb must be at most 2^43 with a controller",
  );
}

function checkRow(row, rungs) {
  requireWord("admission", row.admission);
  require(
    row.admission === "delay" ? row.delay_us > 0 : row.delay_us === 0,
    "`delay_us` must be at least 1 for admission `delay`, and otherwise 0",
  );
  require(row.ages_us[0] === 0, "`age_us` of the first climb of a row must be 0");
  require(ascends(row.ages_us), "`age_us` must increase from climb to climb");
  require(ascends(row.rungs), "`rung` must increase from climb to climb");
  require(
    row.rungs[0] >= 0 && row.rungs.at(-1) < rungs,
    "`rung` of a climb must be the number of a rung, counted from 0",
  );
}

function checkRung(rung, costUnits) {
  require(
    rung.cost_ppm.length === costUnits,
    "`cost_ppm` of a rung must have an entry for each cost unit",
  );
  require(rung.speed_ppm > 0, `\`speed_ppm\` of rung \`${rung.name}\` must be at least 1`);
  require(rung.cost_ppm.every((cost) => cost >= 0), "`cost_ppm` of a rung must not be negative");
  for (const name of ["move_us", "threads", "frequency_khz", "one_thread_ppm"]) {
    require(rung[name] === null || rung[name] > 0, `\`${name}\` must be absent or at least 1`);
  }
  require(rung.core_type !== "", "`core_type` must be absent or not empty");
  if (rung.lane !== null) requireWord("lane", rung.lane);
}

function checkBoost(raw) {
  const { boost } = raw;
  require(
    has(raw, "boost-last-rung") === (boost !== null),
    "`boost` must be present with rule `boost-last-rung`, and otherwise absent",
  );
  if (boost === null) return;
  requireUnit("boost.unit", boost.unit, raw.cost_units);
  require(boost.below_ppm > 0, "`boost.below_ppm` must be at least 1");
}

function checkOverload(raw) {
  const part = checkPart(raw, "overload", OVERLOAD);
  require(
    (part.degrade_from === null) === (part.work_ppm === null),
    "`degrade_from` and `work_ppm` must both be present or both be absent",
  );
  require(part.shed_from === null || part.shed_from > 0, "`shed_from` must be at least 1");
  require(part.cut_off_us === null || part.cut_off_us > 0, "`cut_off_us` must be at least 1");
  if (part.degrade_from === null) return;
  require(part.degrade_from >= 0, "`degrade_from` must not be negative");
  require(0 < part.work_ppm && part.work_ppm < PPM, "`work_ppm` must be 1 to 999,999");
  require(
    part.shed_from === null || part.degrade_from < part.shed_from,
    "`degrade_from` must be below `shed_from`",
  );
}

function checkSharing(raw) {
  const part = checkPart(raw, "sharing", SHARING);
  for (const name of Object.values(SHARING)) {
    require(part[name] === null || part[name] > 0, `\`${name}\` must be at least 1`);
  }
  require(
    (part.start_unit === null) === (part.start_below_ppm === null),
    "`start_unit` and `start_below_ppm` must both be present or both be absent",
  );
  if (part.start_unit === null) return;
  requireUnit("start_unit", part.start_unit, raw.cost_units);
  require(
    raw.rows.every((row) => row.admission === "at-once"),
    "`admission` of every row must be `at-once` with rule `start-below`",
  );
}

/** A part of a ladder whose fields are there exactly with their rules. */
function checkPart(raw, name, fields) {
  const part = raw[name] ?? { ...NOTHING };
  for (const [rule, field] of Object.entries(fields)) {
    require(
      has(raw, rule) === (part[field] !== null),
      `\`${field}\` must be present with rule \`${rule}\`, and otherwise absent`,
    );
  }
  require(
    Object.keys(fields).some((rule) => has(raw, rule)) === (raw[name] !== null),
    `\`${name}\` must be absent without its rules`,
  );
  return part;
}

const NOTHING = {
  shed_from: null,
  cut_off_us: null,
  degrade_from: null,
  work_ppm: null,
  start_unit: null,
  start_below_ppm: null,
  give_up_us: null,
};

function checkCores(raw) {
  const { power } = raw;
  const takesOver = has(raw, "busy-period-age") || has(raw, "waited-start-last");
  if (!has(raw, "core-per-request")) {
    require(!has(raw, "make-room"), "rule `make-room` needs rule `core-per-request`");
    require(
      !takesOver,
      "rules `busy-period-age` and `waited-start-last` need rule `core-per-request`",
    );
    require(power === null, "`power` must be absent without rule `core-per-request`");
    require(
      raw.rungs.every((rung) => rung.move_us === null),
      "`move_us` must be absent without rule `core-per-request`",
    );
    return;
  }
  require(power !== null, "`power` must be present with rule `core-per-request`");
  require(
    power.idle_ppm.length === raw.cost_units.length,
    "`idle_ppm` must have an entry for each cost unit",
  );
  requireUnit("power.unit", power.unit, raw.cost_units);
  require(raw.boost === null, "rules `boost-last-rung` and `core-per-request` exclude each other");
  require(raw.sharing === null, "`sharing` must be absent with rule `core-per-request`");
  const limits = raw.cost_units.map((unit) => unit.capacity_ppm);
  checkCoreLimits(limits, power);
  checkCoreCosts(raw.rungs, limits, takesOver);
}

function checkCoreLimits(limits, power) {
  require(
    limits[power.unit] === null,
    "`power.unit` must be a cost unit without `capacity_ppm`",
  );
  require(
    limits.every((limit) => limit === null || (limit > 0 && limit % PPM === 0)),
    "`capacity_ppm` must be a multiple of 1,000,000 (whole cores)",
  );
  require(
    limits.every((limit, n) => power.idle_ppm[n] >= 0 && (limit !== null || !power.idle_ppm[n])),
    "`idle_ppm` must be 0 or more, and 0 for a cost unit without `capacity_ppm`",
  );
}

function checkCoreCosts(rungs, limits, takesOver) {
  const kinds = new Set();
  for (const rung of rungs) {
    const taken = limits.flatMap((limit, n) => (limit && rung.cost_ppm[n] ? [n] : []));
    require(
      taken.length === 1 && rung.cost_ppm[taken[0]] === PPM,
      `\`cost_ppm\` of rung \`${rung.name}\` must be 1,000,000 for one type of core, else 0`,
    );
    kinds.add(taken[0]);
  }
  require(
    !takesOver || kinds.size === 1,
    "rules `busy-period-age` and `waited-start-last` need rungs on one type of core",
  );
}

function has(raw, rule) {
  return raw.rules.includes(rule);
}

function requireUnit(name, unit, units) {
  require(
    0 <= unit && unit < units.length,
    `\`${name}\` must be the number of a cost unit, counted from 0`,
  );
}

function requireWord(name, value) {
  require(WORDS[name].includes(value), `unknown value \`${value}\` of \`${name}\``);
}
