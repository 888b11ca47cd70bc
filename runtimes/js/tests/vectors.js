// Look-up vectors of schemas/vectors: every answer, of both encodings.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { PolicyError, openPolicy } from "../src/index.js";

const FOLDERS = {
  ".": answerOf,
  levels: levelOf,
  steps: stepOf,
  shares: tickOf,
  plans: momentOf,
  overload: overloadOf,
  sharing: sharingOf,
  settings: settingOf,
  budgets: budgetOf,
};

/** Number of answers, and a line for each that is wrong. */
export function runVectors(folder) {
  const wrong = wronglyOpened(join(folder, "refused"));
  let answers = 0;
  for (const [name, answer] of Object.entries(FOLDERS)) {
    for (const file of csvFiles(join(folder, name))) {
      const rows = rowsOf(join(folder, name, file));
      for (const suffix of [".json", ".tailc"]) {
        const path = join(folder, file.replace(/\.csv$/, suffix));
        if (!existsSync(path)) continue;
        answers += check(path, rows, answer, wrong);
      }
    }
  }
  return { answers, wrong };
}

export function open(path) {
  return openPolicy(readFileSync(path));
}

/** The word for what comes of opening bytes. */
export function openedAs(data) {
  try {
    ask(openPolicy(data));
    return "opened";
  } catch (error) {
    if (error instanceof PolicyError) return error.reason;
    throw error;
  }
}

/** What is opened must be safe to ask. */
function ask(policy) {
  policy.controller?.step(300_000, 10_000);
  const form = formOf(policy);
  if (form === "ladders") policy.ladders.forEach((ladder) => ladder.lookup(5, 1, 2));
  if (form === "tailTable") policy.tailTable.level([5_000, 7], 9, 9);
  if (form === "budgetTable") policy.budgetTable.lookup(5, 700);
}

/** The property of a policy that has its form. */
export function formOf(policy) {
  return ["ladders", "tailTable", "shares", "plan", "budgetTable"].find((name) => {
    try {
      return policy[name] !== undefined;
    } catch (error) {
      if (error instanceof PolicyError) return false;
      throw error;
    }
  });
}

function check(path, rows, answer, wrong) {
  const state = { policy: open(path), path };
  let answers = 0;
  for (const row of rows) {
    const pair = answer(state, row);
    if (pair === null) continue;
    const [got, wanted] = pair;
    answers += 1;
    const asked = `${path}: ${JSON.stringify(row)}`;
    if (got !== wanted) wrong.push(`${asked} is \`${got}\`, wanted \`${wanted}\``);
  }
  return answers;
}

function wronglyOpened(folder) {
  return rowsOf(join(folder, "expected.csv")).flatMap(({ file, error }) => {
    const got = openedAs(readFileSync(join(folder, file)));
    return got === error ? [] : [`${file}: ${got}, wanted ${error}`];
  });
}

function csvFiles(folder) {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith(".csv")).sort();
}

/** The rows of a CSV file without quotes, below its comments. */
function rowsOf(path) {
  const lines = readFileSync(path, "utf-8").trimEnd().split("\n");
  const [header, ...rest] = lines.filter((line) => !line.startsWith("#"));
  const names = header.split(",");
  return rest.map((line) => {
    const values = line.split(",");
    return Object.fromEntries(names.map((name, at) => [name, values[at]]));
  });
}

function ladderOf({ policy }, row) {
  return policy.ladder(row.request_class || null);
}

function answerOf(state, row) {
  const ladder = ladderOf(state, row);
  const query = [row.load, row.waited_us, row.executed_us].map(Number);
  const { start, waitUs, rung } =
    row.output_ppm === undefined
      ? ladder.lookup(...query)
      : ladder.lookupScaled(...query, Number(row.output_ppm));
  return [`${start} ${waitUs} ${rung}`, `${row.start} ${row.wait_us} ${row.rung}`];
}

function levelOf({ policy }, row) {
  const query = [row.elapsed_cycles, row.elapsed_memory_ns, row.output_ppm].map(Number);
  const level = policy.tailTable.level(numbers(row.ages_ns), ...query);
  const khz = policy.tailTable.frequencyKhz(numbers(row.ages_ns), ...query);
  return [`${level} ${khz}`, `${row.level} ${row.frequency_khz}`];
}

function stepOf(state, row) {
  if (row.step === "0") state.policy = open(state.path);
  else state.policy.controller.step(Number(row.measured_us), Number(row.rate_mrps));
  const { output, outputPpm } = state.policy.controller;
  const follows =
    row.climbs === undefined
      ? state.policy.tailTable.level(numbers(row.ages_ns))
      : climbs(state.policy.ladder(), row);
  const wanted = [row.output, row.output_ppm, row.climbs ?? row.level].join(" ");
  return [`${output} ${outputPpm} ${follows}`, wanted];
}

/** The climbs of a row that look-ups show. */
function climbs(ladder, row) {
  const load = Number(row.load);
  let before = null;
  const found = row.climbs.split(" ").filter((climb) => {
    const [ageUs, rung] = climb.split(":").map(Number);
    const isNew = ageUs === 0 || ladder.lookup(load, 0, ageUs - 1).rung === before;
    before = rung;
    return isNew && ladder.lookup(load, 0, ageUs).rung === rung;
  });
  return found.join(" ");
}

function tickOf(state, row) {
  if (row.tick === "0") state.policy = open(state.path);
  else {
    const waiting = numbers(row.waiting);
    state.policy.shares.tick(numbers(row.throughput), waiting.length ? waiting : undefined);
  }
  const { shares } = state.policy;
  const of = (read) => shares.served.map(read).join(" ");
  const got = [
    shares.grantedPpm.join(" "),
    of((one) => one.a),
    of((one) => one.b),
    of((one) => one.believed[0]),
    of((one) => one.believed[1]),
    of((one) => one.shortSteps),
    of((one) => one.capPpm),
    shares.cannotMeet().map(Number).join(" "),
  ];
  const wanted = [row.granted_ppm, row.a, row.b, row.believed_a, row.believed_b];
  wanted.push(row.short_steps, row.cap_ppm, row.cannot_meet);
  // A double is written otherwise, and is the same if its shortest text is the same.
  return [got.join(","), wanted.map((value) => numbers(value).join(" ")).join(",")];
}

/** Only calls that change no plan: this reader has no prices. */
function momentOf({ policy: { plan } }, row) {
  const unixS = Number(row.unix_s);
  switch (row.call) {
    case "epoch":
      return [text(plan.epochAt(unixS)), row.answer];
    case "source":
      return [text(plan.source(Number(row.pool), unixS)), row.answer];
    case "about":
      return [`${text(plan.gridMw)}:${text(plan.laterJobs)}`, row.answer];
    case "stored": {
      const stored = plan.stored(unixS);
      return [stored === null ? "" : `${stored.batteryMj}:${stored.storedMj}`, row.answer];
    }
    case "allocation":
      return plan.jobs.includes(row.job) ? allocation(plan, row, unixS) : null;
    default:
      return null;
  }
}

function allocation(plan, row, unixS) {
  const places = plan.allocation(row.job, unixS);
  const got = (places ?? []).map(({ pool, servers }) => `${pool}:${servers}`).join(" ");
  return [`${places === null ? "" : "told"} ${got}`, `${row.answer} ${row.places}`];
}

function overloadOf(state, row) {
  const { overload } = ladderOf(state, row);
  const inSystem = Number(row.in_system);
  const isCutOff = overload.cutsOff(Number(row.waited_us), Number(row.executed_us));
  return [
    [Number(overload.refuses(inSystem)), overload.workPpm(inSystem), Number(isCutOff)].join(" "),
    [row.refused, row.work_ppm, row.cut_off].join(" "),
  ];
}

function sharingOf(state, row) {
  const { sharing } = ladderOf(state, row);
  const starts = Number(sharing.starts(Number(row.in_use_ppm)));
  const givesUp = Number(sharing.givesUp(Number(row.waited_us), Number(row.executed_us)));
  return [
    [text(sharing.startUnit), starts, givesUp].join(" "),
    [row.start_unit, row.starts, row.gives_up].join(" "),
  ];
}

function settingOf(state, row) {
  const rung = ladderOf(state, row).settings[Number(row.rung)];
  const optional = [rung.moveUs, rung.threads, rung.frequencyKhz, rung.coreType, rung.lane];
  optional.push(rung.oneThreadPpm);
  const got = [rung.speedPpm, rung.costPpm.join(" "), ...optional.map(text)];
  const wanted = [row.speed_ppm, row.cost_ppm, row.move_us, row.threads, row.frequency_khz];
  wanted.push(row.core_type, row.lane, row.one_thread_ppm);
  return [got.join(","), wanted.join(",")];
}

function budgetOf({ policy }, row) {
  const { budget, newSequences } = policy.budgetTable.lookup(
    Number(row.decoding),
    Number(row.waiting_tokens),
  );
  return [`${budget} ${newSequences}`, `${row.budget} ${row.new_sequences}`];
}

function numbers(words) {
  return words.split(" ").filter(Boolean).map(Number);
}

function text(value) {
  return value === null ? "" : String(value);
}
