/** Parse canonical JSON (RFC 8785, whole numbers only), which JSON.parse does not check. */

import { PolicyError, requireLayout } from "./errors.js";

const NUMBER = /-?(?:0|[1-9][0-9]*)(?![0-9.eE])/y;
// No control character, and no other escape than those of JSON.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;
const MOST_DIGITS = 17;
const DEEPEST = 900;

/** The value in a text; objects have no prototype, and their members keep their order. */
export function parse(text) {
  return new Parser(text).whole();
}

/** The canonical text of a value that was parsed. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  // JavaScript sorts strings by their UTF-16 code units, as RFC 8785 does.
  const names = Object.keys(value).sort();
  const members = names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}

class Parser {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.depth = 0;
  }

  whole() {
    const value = this.value();
    requireLayout(this.at === this.text.length, "the file has more than one JSON value");
    return value;
  }

  value() {
    this.skipSpace();
    const value = this.bareValue();
    this.skipSpace();
    return value;
  }

  bareValue() {
    const first = this.text[this.at];
    if (first === "{") return this.object();
    if (first === "[") return this.list();
    if (first === '"') return this.string();
    for (const [word, value] of [["true", true], ["false", false], ["null", null]]) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    return this.number();
  }

  object() {
    const members = Object.create(null);
    this.parts("}", () => {
      this.skipSpace();
      const name = this.string();
      this.skipSpace();
      this.expect(":");
      const value = this.value();
      requireLayout(!(name in members), `member \`${name}\` occurs twice in one object`);
      members[name] = value;
    });
    return members;
  }

  list() {
    const parts = [];
    this.parts("]", () => parts.push(this.value()));
    return parts;
  }

  /** Read parts between commas up to the closing bracket. */
  parts(closing, read) {
    requireLayout(++this.depth <= DEEPEST, "the JSON is nested too deeply");
    this.at += 1;
    this.skipSpace();
    if (this.text[this.at] !== closing) {
      read();
      while (this.text[this.at] === ",") {
        this.at += 1;
        read();
      }
    }
    this.expect(closing);
    this.depth -= 1;
  }

  string() {
    const value = JSON.parse(this.match(STRING, "a string"));
    requireLayout(isWellFormed(value), "a string is not Unicode text");
    return value;
  }

  number() {
    const digits = this.match(NUMBER, "a whole number");
    const value = Number(digits);
    const isWithin = digits.length <= MOST_DIGITS && Number.isSafeInteger(value);
    requireLayout(isWithin, `\`${digits.slice(0, 20)}\` is outside -(2^53 - 1) to 2^53 - 1`);
    return value;
  }

  match(pattern, what) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    requireLayout(found !== null, `character ${this.at} of the JSON does not begin ${what}`);
    this.at = pattern.lastIndex;
    return found[0];
  }

  expect(character) {
    const message = `character ${this.at} of the JSON is not \`${character}\``;
    if (this.text[this.at] !== character) throw new PolicyError("bad-structure", message);
    this.at += 1;
  }

  skipSpace() {
    SPACE.lastIndex = this.at;
    SPACE.exec(this.text);
    this.at = SPACE.lastIndex;
  }
}

/** Whether every surrogate has its other half. */
function isWellFormed(text) {
  return !/\p{Surrogate}/u.test(text);
}
