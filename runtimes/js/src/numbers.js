/** Whole numbers: searches, exact division, and products beyond 2^53. */

export const PPM = 1_000_000;

/** Whether it is a whole number, 0 or more. */
export function isAmount(value) {
  return Number.isInteger(value) && value >= 0;
}

/** Number of entries of an ascending list that are at most `value`. */
export function countUpTo(ascending, value) {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function ascends(values) {
  return values.every((value, at) => at === 0 || values[at - 1] < value);
}

export function neverFalls(values) {
  return values.every((value, at) => at === 0 || values[at - 1] <= value);
}

/** floor(a / b) of whole numbers from 0 on. */
export function floorDivide(a, b) {
  return (a - (a % b)) / b;
}

export function ceilDivide(a, b) {
  return floorDivide(a, b) + (a % b === 0 ? 0 : 1);
}

/** floor(a b / c) of whole numbers from 0 on, exact for every product. */
export function floorOfProduct(a, b, c) {
  const product = a * b;
  if (product <= Number.MAX_SAFE_INTEGER) return floorDivide(product, c);
  return Number((BigInt(a) * BigInt(b)) / BigInt(c));
}

/** Whether a b >= c d, exact for every product of whole numbers from 0 on. */
export function isProductAtLeast(a, b, c, d) {
  const left = a * b;
  const right = c * d;
  if (left <= Number.MAX_SAFE_INTEGER && right <= Number.MAX_SAFE_INTEGER) return left >= right;
  return BigInt(a) * BigInt(b) >= BigInt(c) * BigInt(d);
}
