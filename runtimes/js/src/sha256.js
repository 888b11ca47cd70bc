/** SHA-256 (FIPS 180-4). Browsers have only an asynchronous one. */

const FIRST_STATE = [];
const ROUND_CONSTANTS = [];
fillConstants();

/** The digest of a Uint8Array, as 64 hexadecimal digits. */
export function sha256(data) {
  const state = new Int32Array(FIRST_STATE);
  const words = new Int32Array(64);
  const padded = paddedTo64(data);
  const view = new DataView(padded.buffer);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
    mix(state, words);
  }
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function paddedTo64(data) {
  const padded = new Uint8Array(Math.ceil((data.length + 9) / 64) * 64);
  padded.set(data);
  padded[data.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(data.length) * 8n);
  return padded;
}

function mix(state, words) {
  for (let i = 16; i < 64; i++) {
    const a = words[i - 15];
    const b = words[i - 2];
    const small = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3);
    const large = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10);
    words[i] = words[i - 16] + small + words[i - 7] + large;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const chosen = (e & f) ^ (~e & g);
    const first = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen;
    const added = (first + ROUND_CONSTANTS[i] + words[i]) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + added) | 0, c, b, a, (added + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, at) => {
    state[at] += value;
  });
}

function turned(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits behind the point of the square and cube roots of the first 64 primes. */
function fillConstants() {
  for (let number = 2; ROUND_CONSTANTS.length < 64; number++) {
    if (!isPrime(number)) continue;
    if (FIRST_STATE.length < 8) FIRST_STATE.push(rootBits(number, 2n));
    ROUND_CONSTANTS.push(rootBits(number, 3n));
  }
}

function isPrime(number) {
  for (let divisor = 2; divisor * divisor <= number; divisor++) {
    if (number % divisor === 0) return false;
  }
  return true;
}

function rootBits(number, degree) {
  const scaled = BigInt(number) << (32n * degree);
  let root = 0n;
  for (let bit = 1n << 36n; bit > 0n; bit >>= 1n) {
    if ((root + bit) ** degree <= scaled) root += bit;
  }
  return Number(root & 0xffff_ffffn) | 0;
}
