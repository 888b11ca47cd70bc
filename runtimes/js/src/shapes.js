/** What each table of the schema has, for both encodings. */

import { FORMS, TABLES } from "./layout.js";

/** Fields by table: {name, kind, bytes, isVector, isRequired, mayBeAbsent}. */
export const FIELDS = new Map(TABLES.map(tableOf));

/** Forms by number from 1 on: {name, table}. */
export const FORM_TABLES = FORMS.map((line) => {
  const [name, table] = line.split(" ");
  return { name, table };
});

/** Words of enumerations by number from 1 on; for both encodings they are the same values. */
export const WORDS = {
  load_axis: ["in_system", "rate_mrps"],
  admission: ["at-once", "delay", "on-exit"],
  outside: ["clamp", "first-rung"],
  acts_on: ["climb-ages", "latency-bound"],
  law: ["pole-placement", "observer"],
  lane: ["shared", "alone"],
};

export const RULES = [
  ...["reread-row", "never-descend", "boost-last-rung", "age-from-arrival", "core-per-request"],
  ...["make-room", "waited-start-last", "busy-period-age", "shed", "cut-off", "degrade"],
  ...["start-below", "give-up"],
];

function tableOf(line) {
  const [name, ...words] = line.split(" ");
  return [name, words.map(fieldOf)];
}

function fieldOf(word) {
  const [name, type] = word.split(":");
  const kind = type.replace(/[[\]!?]/g, "");
  return {
    name,
    kind,
    bytes: Number(kind) || 0,
    isVector: type.startsWith("["),
    isRequired: type.includes("!"),
    mayBeAbsent: type.includes("?"),
  };
}
