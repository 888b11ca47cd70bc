/** Check that the content of shares is consistent. */

import { require } from "./errors.js";
import { PPM } from "./numbers.js";
import { WORDS } from "./shapes.js";

const MOST_STEPS = 1_000_000;
const LARGEST_COVARIANCE = 1_000_000;
const LARGEST_HEADROOM_PPM = 10 * PPM;

export function checkShares(raw) {
  require(WORDS.law.includes(raw.law), `unknown value \`${raw.law}\` of \`law\``);
  require(0 <= raw.pole_ppm && raw.pole_ppm < PPM, "`pole_ppm` must be 0 to 999,999");
  require(
    Math.min(raw.window_us, raw.estimate_us, raw.step_us, raw.enforce_us) > 0,
    "`window_us`, `estimate_us`, `step_us` and `enforce_us` must be at least 1",
  );
  require(raw.step_us % raw.estimate_us === 0, "`step_us` must be a multiple of `estimate_us`");
  require(
    raw.step_us / raw.estimate_us <= MOST_STEPS,
    "`step_us` must be at most 1,000,000 times `estimate_us`",
  );
  require(isFrom1To(raw.forgetting_ppm, PPM), "`forgetting_ppm` must be 1 to 1,000,000");
  require(
    isFrom1To(raw.first_covariance, LARGEST_COVARIANCE),
    "`first_covariance` must be 1 to 1,000,000",
  );
  require(raw.least_b_ppm > 0, "`least_b_ppm` must be at least 1");
  require(isFrom1To(raw.host_ppm, PPM), "`host_ppm` must be 1 to 1,000,000");
  require(raw.shortage_steps > 0, "`shortage_steps` must be at least 1");
  require(raw.tolerance_ppm > 0, "`tolerance_ppm` must be at least 1");
  checkMachines(raw);
  if (raw.cap !== null) checkCap(raw.cap);
}

function checkMachines({ machines, least_ppm: leastPpm, host_ppm: hostPpm }) {
  const served = machines.filter((machine) => machine.target_milli !== null).length;
  require(served > 0, "at least one machine must have `target_milli`");
  require(
    0 <= leastPpm * served && leastPpm * served <= hostPpm,
    "`least_ppm` times the machines with `target_milli` must be 0 to `host_ppm`",
  );
  for (const { name, target_milli: target, first_a_ppm, first_b_milli } of machines) {
    require(name !== "", "`name` of a machine must not be empty");
    require(target === null || target > 0, "`target_milli` must be at least 1");
    require(Math.abs(first_a_ppm) < PPM, "`first_a_ppm` must be -999,999 to 999,999");
    require(first_b_milli > 0, "`first_b_milli` must be at least 1");
  }
  const names = new Set(machines.map((machine) => machine.name));
  require(names.size === machines.length, "two machines have the same `name`");
}

function checkCap({ steps, probe_steps, headroom_ppm }) {
  require(
    isFrom1To(steps, MOST_STEPS) && isFrom1To(probe_steps, MOST_STEPS),
    "`steps` and `probe_steps` of `cap` must be 1 to 1,000,000",
  );
  require(
    isFrom1To(headroom_ppm, LARGEST_HEADROOM_PPM),
    "`headroom_ppm` of `cap` must be 1 to 10,000,000",
  );
}

function isFrom1To(value, most) {
  return 0 < value && value <= most;
}
