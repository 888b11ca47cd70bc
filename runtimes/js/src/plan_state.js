/** Read and write the state of a plan in force, from which `tailc replan` continues. */

import { bytesOf } from "./bytes.js";
import { require, requireLayout } from "./errors.js";
import { readTable } from "./flat.js";
import { parsed, recordOf } from "./json.js";
import { ascends } from "./numbers.js";

const KIND = "plan-state";
const VERSION = 1;
const IDENTIFIER = "TLS1";
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_SERVERS = 2 ** 20;
const LATEST_UNIX_S = 253_402_300_799;

/** The state in the bytes of a file, in either encoding. */
export function openPlanState(bytes) {
  const data = bytesOf(bytes, "openPlanState");
  requireLayout(data.length <= MOST_BYTES, "the file is larger than the limit for a state");
  const isFlat = String.fromCharCode(...data.subarray(4, 8)) === IDENTIFIER;
  const state = isFlat ? ofFlat(data) : ofJson(data);
  check(state);
  return state;
}

/** The file of a state, in JSON; equal states give equal bytes. */
export function planStateJson(state) {
  check(state);
  const document = {
    kind: KIND,
    version: VERSION,
    at_unix_s: state.atUnixS,
    decided_unix_s: state.decidedUnixS,
    servers: state.servers,
    running: state.running.map(objectOf),
    waiting: state.waiting,
    refused: state.refused,
    asleep: asleep(state),
    battery_mj: state.batteryMj,
  };
  return `${JSON.stringify(document, null, 1).replace(/[^\n -~]/g, escaped)}\n`;
}

function objectOf({ name, begunUnixS, servers, ranS, greenSlots, machines }) {
  const ran = ranS.map((one) => ({ servers: one.servers, seconds: one.seconds }));
  return {
    name,
    begun_unix_s: begunUnixS,
    servers,
    ran_s: ran,
    green_slots: greenSlots,
    machines,
  };
}

function escaped(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Servers without a job. */
function asleep({ servers, running }) {
  const busy = new Set(running.flatMap((job) => job.servers));
  return Array.from({ length: servers }, (_, server) => server).filter((one) => !busy.has(one));
}

function ofFlat(data) {
  const { version, ...record } = readTable(data, "PlanState", IDENTIFIER);
  requireLayout(version === VERSION, "`version` of a state must be 1");
  return stateOf(record);
}

function ofJson(data) {
  const { kind, asleep: given, ...members } = parsed(data);
  const isState = kind === KIND && members.version === VERSION;
  requireLayout(isState, "`kind` must be `plan-state`, and `version` 1");
  const object = {
    ...{ running: [], waiting: [], refused: [] },
    ...withoutNull(members, ["battery_mj"]),
  };
  requireLayout(Array.isArray(object.running), "`running` must be a list");
  object.running = object.running.map((job) => ({
    ...{ ran_s: [], green_slots: 0 },
    ...withoutNull(job, ["begun_unix_s", "machines"]),
  }));
  const state = stateOf(recordOf(object, "PlanState"));
  const isSame = given === undefined || JSON.stringify(given) === JSON.stringify(asleep(state));
  require(isSame, "`asleep` must have the servers without a job");
  return state;
}

function withoutNull(object, names) {
  const isThere = ([name, value]) => value !== null || !names.includes(name);
  return Object.fromEntries(Object.entries(object ?? {}).filter(isThere));
}

function stateOf(record) {
  return {
    atUnixS: record.at_unix_s,
    decidedUnixS: record.decided_unix_s,
    servers: record.servers,
    running: record.running.map((job) => ({
      name: job.name,
      begunUnixS: job.begun_unix_s,
      servers: job.servers,
      ranS: job.ran_s,
      greenSlots: job.green_slots,
      machines: job.machines,
    })),
    waiting: record.waiting,
    refused: record.refused,
    batteryMj: record.battery_mj,
  };
}

function check(state) {
  const { atUnixS, decidedUnixS, servers, running, waiting, refused, batteryMj } = state;
  const lists = [running, waiting, refused, ...running.flatMap((job) => [job.servers, job.ranS])];
  require(lists.every(Array.isArray), "each list of a state must be an Array");
  require(
    isWithin(0, decidedUnixS, atUnixS) && isWithin(0, atUnixS, LATEST_UNIX_S),
    "`decided_unix_s` must be 0 to `at_unix_s`, before the year 10000",
  );
  require(isWithin(1, servers, MOST_SERVERS), "`servers` must be 1 to 2^20");
  require(isOptional(0, batteryMj), "`battery_mj` must be 0 to 2^53 - 1");
  for (const job of running) checkJob(job, state);
  const busy = running.flatMap((job) => job.servers);
  require(new Set(busy).size === busy.length, "two jobs must not have the same server");
  const names = [...running.map((job) => job.name), ...waiting, ...refused];
  require(new Set(names).size === names.length, "a job must be named once in a state");
  require(names.every(isName), "a name in a state must be UTF-8 and not empty");
}

function checkJob({ begunUnixS, servers, ranS, greenSlots, machines }, state) {
  require(
    servers.length > 0 && servers.every((server) => isWithin(0, server)) && ascends(servers),
    "`servers` of a job must be numbers from 0 in ascending order, at least one",
  );
  require(servers.at(-1) < state.servers, "a server of a job is not among `servers`");
  require(
    ascends(ranS.map((ran) => ran.servers)),
    "`ran_s` must be in order of the number of servers",
  );
  require(
    ranS.every((ran) => isWithin(1, ran.servers) && isWithin(1, ran.seconds, LATEST_UNIX_S)),
    "`ran_s` must have 1 to 2^53 - 1 servers and 1 to 253402300799 seconds in each entry",
  );
  const ran = ranS.reduce((sum, { seconds }) => sum + seconds, 0);
  require(
    isWithin(0, begunUnixS ?? state.atUnixS - ran, state.atUnixS),
    "`begun_unix_s` and `ran_s` of a job must be before `at_unix_s`",
  );
  require(isWithin(0, greenSlots), "`green_slots` of a job must be 0 to 2^53 - 1");
  require(isOptional(1, machines), "`machines` must be 1 to 2^53 - 1");
}

function isWithin(least, number, most = Number.MAX_SAFE_INTEGER) {
  return Number.isSafeInteger(number) && least <= number && number <= most;
}

function isOptional(least, number) {
  return number === null || isWithin(least, number);
}

function isName(name) {
  return typeof name === "string" && name !== "" && !/\p{Surrogate}/u.test(name);
}
