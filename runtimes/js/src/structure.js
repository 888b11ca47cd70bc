/**
 * Verify the structure of a FlatBuffer before an offset is followed: the rules of
 * docs/artifact-format.md, "Structure", in the same order as all readers.
 */

import { PolicyError, requireLayout } from "./errors.js";
import { FIELDS, FORM_TABLES, RULES } from "./shapes.js";

const OFFSET_BYTES = 4;
const SLOT_BYTES = 2;
const HEAD_BYTES = 4;
const LONG_BYTES = 8;
const ROW_BYTES = 32;
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);
const FORMS = 8;
const BAD_FIELDS = "a table has an invalid list of fields";

/** One payload. Places are byte offsets in it; a table is {at, size, slots, slotsSize}. */
export class Structure {
  constructor(payload) {
    this.size = payload.length;
    this.payload = payload;
    this.view = new DataView(payload.buffer, payload.byteOffset, payload.length);
    // Vectors and strings share no bytes, so all of them together fit into the payload.
    this.left = payload.length;
    this.utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  }

  get root() {
    return this.table(this.target(0));
  }

  /** Check the root and its first two fields: another major version can change all others. */
  checkVersion() {
    this.checkFields(this.root, "Policy", [0, 1]);
  }

  /** Check everything; forms first, so that an unknown one is refused by name. */
  checkAll() {
    const others = [...FIELDS.get("Policy").keys()].filter((number) => number !== FORMS);
    this.checkFields(this.root, "Policy", [FORMS, ...others]);
  }

  /** Check everything from a root that is no policy. */
  checkRoot(name) {
    this.checkTable(this.target(0), name);
  }

  /** The table at a place, with its list of fields; both within the payload. */
  table(at) {
    const slots = at - this.view.getInt32(this.within(at, OFFSET_BYTES), true);
    requireLayout(slots >= 0 && slots % SLOT_BYTES === 0, BAD_FIELDS);
    const slotsSize = this.view.getUint16(this.within(slots, HEAD_BYTES), true);
    const size = this.view.getUint16(slots + SLOT_BYTES, true);
    requireLayout(slotsSize >= HEAD_BYTES && slotsSize % SLOT_BYTES === 0, BAD_FIELDS);
    requireLayout(slots + slotsSize <= this.size, BAD_FIELDS);
    requireLayout(OFFSET_BYTES <= size && size <= this.size - at, BAD_FIELDS);
    return { at, size, slots, slotsSize };
  }

  /** Place of the field with this number and so many bytes; null if it is absent. */
  fieldAt(table, number, bytes) {
    const slot = HEAD_BYTES + SLOT_BYTES * number;
    if (slot >= table.slotsSize) return null;
    const offset = this.view.getUint16(table.slots + slot, true);
    if (offset === 0) return null;
    const isInside = OFFSET_BYTES <= offset && offset <= table.size - bytes;
    requireLayout(isInside, "a field is outside its table");
    return table.at + offset;
  }

  /** Where the offset at a place leads to. */
  target(at) {
    requireLayout(at % OFFSET_BYTES === 0, "an offset is not aligned");
    const offset = this.word(at);
    const isValid = offset > 0 && offset % OFFSET_BYTES === 0;
    requireLayout(
      isValid && at + offset <= this.size - OFFSET_BYTES,
      "an offset has no valid target",
    );
    return at + offset;
  }

  word(at) {
    return this.view.getUint32(this.within(at, OFFSET_BYTES), true);
  }

  /** The string at a place. */
  text(at) {
    const first = at + OFFSET_BYTES;
    return this.utf8.decode(this.payload.subarray(first, first + this.word(at)));
  }

  within(at, bytes) {
    requireLayout(at + bytes <= this.size, "an offset points beyond the end of the FlatBuffer");
    return at;
  }

  checkTable(at, name) {
    const table = this.table(at);
    this.checkFields(table, name, FIELDS.get(name).keys());
    if (name === "FormBox") this.checkForm(table);
    if (name === "Ladder") {
      this.checkRules(table);
      this.checkRows(table);
    }
  }

  checkFields(table, name, numbers) {
    for (const number of numbers) {
      const field = FIELDS.get(name)[number];
      const at = this.fieldAt(table, number, bytesInTable(field));
      if (at === null) {
        requireLayout(!field.isRequired, `field \`${field.name}\` of ${name} is missing`);
      } else if (field.isVector) {
        this.checkVector(this.target(at), field);
      } else if (field.bytes) {
        this.checkNumbers(at, 1, field.bytes);
      } else {
        this.checkElement(this.target(at), field.kind);
      }
    }
  }

  checkVector(at, { kind, bytes }) {
    const count = this.count(at, bytes || OFFSET_BYTES);
    const first = at + OFFSET_BYTES;
    if (bytes) {
      this.checkNumbers(first, count, bytes);
      return;
    }
    for (let number = 0; number < count; number++) {
      this.checkElement(this.target(first + number * OFFSET_BYTES), kind);
    }
  }

  /** A form is followed only after its box names a form that is known. */
  checkElement(at, kind) {
    if (kind === "text") this.checkText(at);
    else if (kind !== "Form") this.checkTable(at, kind);
  }

  checkText(at) {
    const end = at + OFFSET_BYTES + this.count(at, 1);
    requireLayout(this.payload[end] === 0, "a string does not end with a zero byte");
    try {
      this.text(at);
    } catch {
      requireLayout(false, "a string is not UTF-8");
    }
  }

  /** Numbers are aligned; those of 8 bytes, the first half of a struct, are within 2^53 - 1. */
  checkNumbers(at, count, size) {
    requireLayout(count === 0 || at % Math.min(size, LONG_BYTES) === 0, "a number is not aligned");
    if (size < LONG_BYTES) return;
    const isStruct = size > LONG_BYTES;
    const longs = isStruct ? size / LONG_BYTES / 2 : 1;
    const least = isStruct ? 0n : -LARGEST;
    for (let element = at; element < at + count * size; element += size) {
      for (let long = 0; long < longs; long++) {
        const number = this.view.getBigInt64(element + long * LONG_BYTES, true);
        const isWithin = least <= number && number <= LARGEST;
        requireLayout(isWithin, "a number is outside -(2^53 - 1) to 2^53 - 1");
      }
    }
  }

  checkForm(box) {
    const at = this.fieldAt(box, 0, 1);
    const name = this.text(this.target(this.fieldAt(box, 2, OFFSET_BYTES)));
    const form = FORM_TABLES[(at === null ? 0 : this.payload[at]) - 1];
    if (form?.name !== name) throw new PolicyError("unknown-form", `unknown form \`${name}\``);
    this.checkTable(this.target(this.fieldAt(box, 1, OFFSET_BYTES)), form.table);
  }

  /** Each rule has its number and its name. */
  checkRules(ladder) {
    const at = this.targetOf(ladder, "rules");
    const namesAt = this.targetOf(ladder, "rule_names");
    const count = this.word(at);
    requireLayout(
      count === this.word(namesAt),
      "`rules` and `rule_names` must have the same number of entries",
    );
    for (let place = 0; place < count; place++) {
      const name = this.text(this.target(namesAt + OFFSET_BYTES * (place + 1)));
      if (RULES[this.payload[at + OFFSET_BYTES + place] - 1] !== name) {
        throw new PolicyError("unknown-rule", `unknown rule \`${name}\``);
      }
    }
  }

  /** Rows follow each other in the climbs, to the last climb. */
  checkRows(ladder) {
    const at = this.targetOf(ladder, "rows");
    const end = at + OFFSET_BYTES + this.word(at) * ROW_BYTES;
    let next = 0;
    for (let row = at + OFFSET_BYTES; row < end; row += ROW_BYTES) {
      requireLayout(
        this.word(row + 16) === next,
        "climbs of successive rows are not consecutive in `climbs`",
      );
      next += this.word(row + 20);
    }
    const climbs = this.word(this.targetOf(ladder, "climbs"));
    requireLayout(next === climbs, "the rows do not have all entries of `climbs`");
  }

  /** Where a field of a ladder leads to that was verified to be there. */
  targetOf(ladder, name) {
    const number = FIELDS.get("Ladder").findIndex((field) => field.name === name);
    return this.target(this.fieldAt(ladder, number, OFFSET_BYTES));
  }

  /** Number of elements of the vector at a place; all of them are within the payload. */
  count(at, size) {
    const count = this.word(at);
    const spent = OFFSET_BYTES + count * size;
    requireLayout(at + spent <= this.size, "a vector extends beyond the end of the FlatBuffer");
    this.left -= spent;
    requireLayout(this.left >= 0, "vectors and strings are together larger than the FlatBuffer");
    return count;
  }
}

/** Bytes of a field in its table; vectors and tables have an offset there. */
export function bytesInTable({ bytes, isVector }) {
  return bytes && !isVector ? bytes : OFFSET_BYTES;
}
