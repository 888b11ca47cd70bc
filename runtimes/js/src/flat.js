/** Read the `.tailc` encoding of a policy: its seal, then its FlatBuffer. */

import { PolicyError, requireLayout } from "./errors.js";
import { SCHEMA_MAJOR } from "./schema.js";
import { sha256 } from "./sha256.js";
import { FIELDS, FORM_TABLES, WORDS } from "./shapes.js";
import { Structure, bytesInTable } from "./structure.js";

const SEAL_BYTES = 48;
const SEAL_MAGIC = "TLCSEAL1";
const SIGNATURE_BYTES = 96;
const SIGNATURE_MAGIC = "TLCSIGN1";
const MAGIC_BYTES = 8;
const OFFSET_BYTES = 4;
const CLIMB_BYTES = 16;
const CHECK_BYTES = 8;

/** The head and the forms of a policy, whose content is not checked yet. */
export function readFlat(data) {
  const payload = unsealed(withoutSignature(data));
  requireLayout(ascii(payload, 4, 4) === "TLC1", "the FlatBuffer's identifier is not TLC1");
  const structure = new Structure(payload);
  structure.checkVersion();
  const version = recordAt(structure, structure.root, "Policy", 2);
  if (version.schema_major !== SCHEMA_MAJOR) {
    const name = `${version.schema_major}.${version.schema_minor}`;
    throw new PolicyError("unknown-schema", `unknown schema \`${name}\``);
  }
  structure.checkAll();
  const policy = recordAt(structure, structure.root, "Policy");
  const { name, kind, generation, policy_digest: policyDigest } = policy;
  return { head: { name, kind, generation, policyDigest }, forms: policy.forms };
}

/** The record of a sealed table that is no policy, of which only the structure is checked. */
export function readTable(data, table, identifier) {
  const payload = unsealed(withoutSignature(data));
  const isTable = ascii(payload, 4, 4) === identifier;
  requireLayout(isTable, `the FlatBuffer's identifier is not ${identifier}`);
  const structure = new Structure(payload);
  structure.checkRoot(table);
  return recordAt(structure, structure.root, table);
}

/** The sealed file without its signature, of which only the checksum is checked. */
function withoutSignature(data) {
  const size = data.length - SIGNATURE_BYTES;
  if (size < SEAL_BYTES || ascii(data, size, MAGIC_BYTES) !== SIGNATURE_MAGIC) return data;
  const end = data.length - CHECK_BYTES;
  if (!sha256(data.subarray(size, end)).startsWith(hex(data.subarray(end)))) {
    throw new PolicyError("hash-mismatch", "the signature does not match its checksum");
  }
  return data.subarray(0, size);
}

function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Why bytes without a right seal are no policy; hasMagic: they have a seal of another length. */
function whyUnsealed(data, hasMagic) {
  const begin = ascii(data, 0, Math.min(data.length, 64)).replace(/^[ \r\n]+/, "");
  if (data.length === 0) return "the file is empty";
  if (data.length >= 8 && /^TL[CS]1$/.test(ascii(data, 4, 4))) {
    const isLonger = "the file does not have the length in its seal";
    return hasMagic ? isLonger : "the seal is missing, or the end of the file";
  }
  if (/^[[{]/.test(begin)) return "the file looks like JSON: open the `.tailc` file instead";
  if (data[0] === 0x1f && data[1] === 0x8b) {
    return "the file looks compressed by gzip: decompress it";
  }
  return "the file is neither a policy nor a state: it has no identifier `TLC1` or `TLS1`";
}

/** The payload of a sealed file. */
function unsealed(data) {
  const size = data.length - SEAL_BYTES;
  const hasMagic = size >= 0 && ascii(data, size, MAGIC_BYTES) === SEAL_MAGIC;
  if (!hasMagic || sealedSize(data, size) !== size) {
    throw new PolicyError("truncated", whyUnsealed(data, hasMagic));
  }
  const payload = data.subarray(0, size);
  if (sha256(payload) !== hex(data.subarray(size + 2 * MAGIC_BYTES))) {
    throw new PolicyError("hash-mismatch", "the bytes do not match their SHA-256");
  }
  return payload;
}

function sealedSize(data, at) {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  return Number(view.getBigUint64(at + MAGIC_BYTES, true));
}

function ascii(data, at, count) {
  return String.fromCharCode(...data.subarray(at, at + count));
}

/** The first fields of a verified table, or all of them, by name. */
function recordAt(structure, table, name, count = Infinity) {
  const fields = FIELDS.get(name).slice(0, count);
  const record = Object.fromEntries(
    fields.map((field, number) => [field.name, valueOf(structure, table, field, number)]),
  );
  return name === "Ladder" ? withRows(record) : record;
}

function valueOf(structure, table, field, number) {
  const at = structure.fieldAt(table, number, bytesInTable(field));
  if (field.kind === "Form") return structure.target(at);
  if (at === null) return field.bytes && !field.isVector && !field.mayBeAbsent ? zero(field) : null;
  if (!field.isVector) return elementAt(structure, at, field);
  const first = structure.target(at) + OFFSET_BYTES;
  const count = structure.word(first - OFFSET_BYTES);
  const step = field.bytes || OFFSET_BYTES;
  const elements = Array.from({ length: count }, (_, index) =>
    elementAt(structure, first + index * step, field),
  );
  return field.kind === "FormBox" ? elements.map((box) => formIn(structure, box)) : elements;
}

function elementAt(structure, at, { name, kind, bytes }) {
  const { view } = structure;
  switch (bytes) {
    case 0:
      return kind === "text"
        ? structure.text(structure.target(at))
        : recordAt(structure, structure.table(structure.target(at)), kind);
    case 1:
      return wordOf(name, view.getUint8(at));
    case 2:
      return view.getUint16(at, true);
    case 8:
      return Number(view.getBigInt64(at, true));
    case CLIMB_BYTES:
      return { age_us: Number(view.getBigInt64(at, true)), rung: view.getUint32(at + 8, true) };
    default:
      return rowAt(view, at);
  }
}

/** A number without its word stays a number, which is refused where the word is checked. */
function wordOf(name, number) {
  return WORDS[name]?.[number - 1] ?? number;
}

function zero({ name, bytes }) {
  return bytes === 1 ? wordOf(name, 0) : 0;
}

function rowAt(view, at) {
  return {
    first_load: Number(view.getBigInt64(at, true)),
    delay_us: Number(view.getBigInt64(at + 8, true)),
    first_climb: view.getUint32(at + 16, true),
    climb_count: view.getUint32(at + 20, true),
    admission: wordOf("admission", view.getUint8(at + 24)),
  };
}

function formIn(structure, { form, form_name: name }) {
  const { table } = FORM_TABLES.find((known) => known.name === name);
  return { form: name, ...recordAt(structure, structure.table(form), table) };
}

/** A ladder as in JSON: rows with their climbs, rules by name. */
function withRows({ climbs, rule_names: rules, ...ladder }) {
  const rows = ladder.rows.map(({ first_climb: first, climb_count: count, ...row }) => {
    const own = climbs.slice(first, first + count);
    return {
      ...row,
      ages_us: own.map((climb) => climb.age_us),
      rungs: own.map((climb) => climb.rung),
    };
  });
  return { ...ladder, rules, rows };
}
