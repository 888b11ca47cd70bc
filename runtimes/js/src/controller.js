/** The controller of a policy: a PID controller in velocity form, in whole numbers. */

import { require, requireArguments } from "./errors.js";
import { PPM, ascends, countUpTo, isAmount } from "./numbers.js";

const LARGEST_ERROR_US = 2 ** 31 - 1;
const LARGEST_GAIN = 2 ** 29;
const LARGEST_WINDOW = 1_000_000;
const FEWEST_FRACTION_BITS = 21;
const MOST_FRACTION_BITS = 40;
export const LARGEST_OUTPUT_PPM = { "climb-ages": PPM, "latency-bound": 2 * PPM };

export class Controller {
  #least;
  #most;
  #firstRates;
  #gains;
  #errors = null;
  #output;

  constructor(raw) {
    check(raw);
    this.actsOn = raw.acts_on;
    this.percentilePpm = raw.percentile_ppm;
    this.targetUs = raw.target_us;
    this.epochRequests = raw.epoch_requests;
    this.windowRequests = raw.window_requests;
    this.fractionBits = raw.fraction_bits;
    this.#least = this.#fixedPoint(raw.least_ppm);
    this.#most = this.#fixedPoint(raw.most_ppm);
    this.#firstRates = raw.gains.map((row) => row.first_rate_mrps);
    this.#gains = raw.gains.map(({ kp, ki, kd }) => [kp, ki, kd].map(BigInt));
    this.#output = this.#fixedPoint(raw.first_ppm);
    this.outputPpm = raw.first_ppm;
  }

  /** The exact output as a bigint, in units of 2^-fractionBits. */
  get output() {
    return this.#output;
  }

  step(measuredUs, rateMrps) {
    requireArguments(
      isAmount(measuredUs) && isAmount(rateMrps),
      "the measured tail and the rate must be whole numbers, 0 or more",
    );
    const error = BigInt(Math.max(this.targetUs - measuredUs, -LARGEST_ERROR_US));
    const [before, earlier] = this.#errors ?? [error, error];
    const [kp, ki, kd] = this.#gains[countUpTo(this.#firstRates, rateMrps) - 1];
    const change = kp * (error - before) + ki * error + kd * (error - 2n * before + earlier);
    this.#output = within(this.#output + change, this.#least, this.#most);
    this.#errors = [error, before];
    const bits = BigInt(this.fractionBits);
    this.outputPpm = Number((this.#output * BigInt(PPM) + (1n << (bits - 1n))) >> bits);
    return this.outputPpm;
  }

  #fixedPoint(sharePpm) {
    return (BigInt(sharePpm) << BigInt(this.fractionBits)) / BigInt(PPM);
  }
}

function within(value, least, most) {
  if (value > most) return most;
  return value < least ? least : value;
}

function check(raw) {
  const topPpm = LARGEST_OUTPUT_PPM[raw.acts_on];
  require(topPpm !== undefined, `unknown value \`${raw.acts_on}\` of \`acts_on\``);
  const { percentile_ppm, target_us, epoch_requests, window_requests } = raw;
  require(0 < percentile_ppm && percentile_ppm < PPM, "`percentile_ppm` must be 1 to 999,999");
  require(0 < target_us && target_us <= LARGEST_ERROR_US, "`target_us` must be 1 to 2^31 - 1");
  require(
    0 < epoch_requests && epoch_requests <= window_requests && window_requests <= LARGEST_WINDOW,
    "`window_requests` must be `epoch_requests` to 1,000,000",
  );
  const { least_ppm, first_ppm, most_ppm, fraction_bits, gains } = raw;
  require(
    0 <= least_ppm && least_ppm <= first_ppm && first_ppm <= most_ppm && most_ppm <= topPpm,
    `0 <= \`least_ppm\` <= \`first_ppm\` <= \`most_ppm\` <= ${topPpm} must hold`,
  );
  require(
    FEWEST_FRACTION_BITS <= fraction_bits && fraction_bits <= MOST_FRACTION_BITS,
    "`fraction_bits` must be 21 to 40",
  );
  require(
    gains[0]?.first_rate_mrps === 0,
    "`first_rate_mrps` of the first gains must be 0",
  );
  require(
    ascends(gains.map((row) => row.first_rate_mrps)),
    "`first_rate_mrps` must increase from gains to gains",
  );
  require(
    gains.every(({ kp, ki, kd }) => [kp, ki, kd].every((gain) => Math.abs(gain) <= LARGEST_GAIN)),
    "`kp`, `ki` and `kd` must be -2^29 to 2^29",
  );
}
