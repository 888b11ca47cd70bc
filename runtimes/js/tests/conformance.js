// Conformance asks this reader what every language's reader is asked:
//
//   conformance.js vectors DIR            every look-up vector; exits 0 if all answers are right
//   conformance.js refusals files         a word for each file whose path is on standard input
//   conformance.js refusals damages FILE  a word for each way to damage a file
//   conformance.js differential COUNT POLICY...
//                                         checksums of answers to questions, a line for each policy
import { readFileSync } from "node:fs";

import { checksums } from "./differential.js";
import { openedAs, runVectors } from "./vectors.js";

const SEED = 1n;
const [program, ...rest] = process.argv.slice(2);
process.exitCode = run();

function run() {
  if (program === "vectors" && rest.length === 1) return vectors(rest[0]);
  if (program === "refusals" && rest[0] === "files") return print(standardInput().map(wordOf));
  if (program === "refusals" && rest[0] === "damages") return print(damages(readFileSync(rest[1])));
  if (program === "differential" && rest.length > 1) {
    const [count, ...paths] = rest;
    return print(paths.map((path) => checksums(path, SEED, Number(count)).join(" ")));
  }
  console.error("usage: conformance.js vectors DIR | refusals ... | differential COUNT POLICY...");
  return 64;
}

function vectors(folder) {
  const { answers, wrong } = runVectors(folder);
  print([...wrong, `${answers} answers, ${wrong.length} wrong`]);
  return wrong.length || !answers ? 1 : 0;
}

function standardInput() {
  return readFileSync(0, "utf-8").trimEnd().split("\n");
}

function wordOf(path) {
  return openedAs(readFileSync(path));
}

function print(lines) {
  console.log(lines.join("\n"));
  return 0;
}

/** All single-bit flips of a file, all truncations, all appended bytes. */
function damages(data) {
  const flips = Array.from({ length: 8 * data.length }, (_, bit) => {
    const flipped = Uint8Array.from(data);
    flipped[bit >> 3] ^= 1 << bit % 8;
    return flipped;
  });
  const cut = Array.from(data, (_, size) => data.subarray(0, size));
  const longer = Array.from({ length: 256 }, (_, value) => Uint8Array.from([...data, value]));
  return [...flips, ...cut, ...longer].map(openedAs);
}
