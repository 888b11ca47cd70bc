/** Read the JSON encoding of a policy. */

import { PolicyError, requireLayout } from "./errors.js";
import { canonical, parse } from "./json_text.js";
import { SCHEMA_MAJOR, SCHEMA_MINOR } from "./schema.js";
import { sha256 } from "./sha256.js";
import { FIELDS, FORM_TABLES } from "./shapes.js";

const POLICY = new Set([
  ...["format", "schema", "policy_digest", "name", "kind", "generation"],
  ...["slos", "rates_mrps", "forms", "inputs", "reading", "evidence"],
]);
const whole = (name, mayBeAbsent = false) => ({ name, kind: "8", isVector: false, mayBeAbsent });
const one = (name, kind) => ({ name, kind, isVector: false, isRequired: true });
const many = (name, kind) => ({ name, kind, isVector: true, isRequired: true });
// Ladders are the only tables whose JSON differs from the FlatBuffer.
const MEMBERS = new Map([
  ...FIELDS,
  ["Ladder", FIELDS.get("Ladder").flatMap(memberOfLadder)],
  [
    "Row",
    [
      ...[whole("first_load"), whole("last_load", true)],
      ...[one("admission", "Admission"), many("climbs", "Climb")],
    ],
  ],
  ["Admission", [one("kind", "text"), whole("delay_us")]],
  ["Climb", [whole("age_us"), whole("rung")]],
]);

/** The head and the forms of a policy, whose content is not checked yet. */
export function readJson(data) {
  const policy = parsed(data);
  const minor = checkedMinor(policy);
  requireCanonical(policy, data);
  const head = headIn(policy);
  const forms = read(policy, many("forms", "object")).map(formIn);
  if (minor <= SCHEMA_MINOR) refuseUnknown(policy);
  return { head, forms };
}

/** The object in a file that is no policy, with the members of a table and no others. */
export function recordOf(object, table) {
  const record = recordIn(object, table);
  refuseUnknownIn(object, table);
  return record;
}

/** The JSON object in the bytes of a file. */
export function parsed(data) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    throw new PolicyError("bad-structure", "the file is not UTF-8");
  }
  const policy = parse(text);
  requireLayout(isObject(policy), "the file is no JSON object");
  return policy;
}

function checkedMinor(policy) {
  requireLayout(policy.format === "tailc-policy", "this is not a tailc policy");
  const { major, minor, ...others } = read(policy, one("schema", "object"));
  const isVersion = [major, minor].every(Number.isInteger) && minor >= 0;
  requireLayout(
    isVersion && Object.keys(others).length === 0,
    "member `schema` should state major and minor",
  );
  if (major !== SCHEMA_MAJOR) {
    throw new PolicyError("unknown-schema", `unknown schema \`${major}.${minor}\``);
  }
  return minor;
}

function requireCanonical(policy, data) {
  const encoder = new TextEncoder();
  const bytes = encoder.encode(canonical(policy));
  if (bytes.length !== data.length || bytes.some((byte, at) => byte !== data[at])) {
    throw new PolicyError("not-canonical", "the JSON is not in its canonical form");
  }
  const digest = read(policy, one("policy_digest", "text"));
  const { policy_digest: _, ...rest } = policy;
  if (sha256(encoder.encode(canonical(rest))) !== digest) {
    throw new PolicyError("hash-mismatch", "the policy does not match its digest");
  }
}

function headIn(policy) {
  return {
    name: read(policy, one("name", "text")),
    kind: read(policy, one("kind", "text")),
    generation: read(policy, whole("generation")),
    policyDigest: policy.policy_digest,
  };
}

function formIn(form) {
  const name = read(form, one("form", "text"));
  const known = FORM_TABLES.find((other) => other.name === name);
  if (known === undefined) throw new PolicyError("unknown-form", `unknown form \`${name}\``);
  const content = recordIn(form, known.table);
  if (known.table === "Ladder") content.rows = rowsIn(content.rows);
  return { form: name, ...content };
}

function recordIn(object, table) {
  return Object.fromEntries(MEMBERS.get(table).map((field) => [field.name, read(object, field)]));
}

/** A member of an object with its type; null if it is absent and may be. */
function read(object, field) {
  const { name, kind, isVector } = field;
  if (!(name in object) && isOptional(field)) return null;
  const value = object[name];
  const isRight = isVector
    ? Array.isArray(value) && value.every((part) => isOf(part, kind))
    : isOf(value, kind);
  requireLayout(isRight, `member \`${name}\` is missing or of the wrong type`);
  if (!MEMBERS.has(kind)) return value;
  return isVector ? value.map((part) => recordIn(part, kind)) : recordIn(value, kind);
}

function isOptional({ kind, isRequired, mayBeAbsent }) {
  return kind === "8" || kind === "1" ? mayBeAbsent : !isRequired;
}

/** A number of 1 byte is an enumeration, and its word in JSON. */
function isOf(value, kind) {
  if (kind === "8") return typeof value === "number";
  if (kind === "1" || kind === "text") return typeof value === "string";
  return isObject(value);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function memberOfLadder(field) {
  if (field.name === "rule_names" || field.name === "climbs") return [];
  if (field.name === "rules") return [many("rules", "text")];
  return [field.name === "rows" ? many("rows", "Row") : field];
}

function rowsIn(rows) {
  rows.forEach((row, at) => {
    const next = rows[at + 1];
    requireLayout(
      row.last_load === (next === undefined ? null : next.first_load - 1),
      "`first_load` must be 1 above the `last_load` before, which only the last row lacks",
    );
  });
  return rows.map((row) => ({
    first_load: row.first_load,
    admission: row.admission.kind,
    delay_us: row.admission.delay_us,
    ages_us: row.climbs.map((climb) => climb.age_us),
    rungs: row.climbs.map((climb) => climb.rung),
  }));
}

/** Refuse members that only a later minor version can have. */
function refuseUnknown(policy) {
  refuseOthers(policy, POLICY);
  for (const form of policy.forms) {
    const { form: name, ...content } = form;
    refuseUnknownIn(content, FORM_TABLES.find((known) => known.name === name).table);
  }
}

function refuseUnknownIn(object, table) {
  const fields = MEMBERS.get(table);
  refuseOthers(object, new Set(fields.map(({ name }) => name)));
  for (const { name, kind } of fields) {
    if (MEMBERS.has(kind) && name in object) {
      [object[name]].flat().forEach((part) => refuseUnknownIn(part, kind));
    }
  }
}

function refuseOthers(object, known) {
  for (const name of Object.keys(object)) {
    requireLayout(known.has(name), `member \`${name}\` does not exist`);
  }
}
