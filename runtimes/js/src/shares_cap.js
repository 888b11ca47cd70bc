/** Caps of machines whose throughput does not follow their share, step by step. */

import { PPM, ceilDivide, floorDivide, floorOfProduct } from "./numbers.js";

/** States of a machine with respect to its cap. */
export const FREE = 0;
const TRIAL = 1;
export const CAPPED = 2;
const PROBE = 3;

/** `ppm` is the requested share under the cap; the whole host while there is none. */
export class Cap {
  #rule;
  #hostPpm;
  #leastPpm;
  #settling;
  #need;
  #means = [0, 0];
  #count;
  #levels;
  #sharesPpm;

  constructor(raw, firstA, firstB) {
    this.#rule = raw.cap;
    this.#hostPpm = raw.host_ppm;
    this.#leastPpm = raw.least_ppm;
    this.#settling = ceilDivide(raw.window_us, raw.step_us) - 1;
    this.#need = (1 - firstA) / firstB;
    this.#begin(FREE, raw.host_ppm, 0);
  }

  /** Whether the machine is in a trial, or settles after a test of its share. */
  get isTested() {
    return this.mode === TRIAL || this.#count < 0;
  }

  /** Process a step; whether a trial begins after a share of `hadPpm` gave `level`. */
  step(level, hadPpm, isMet, isShort) {
    const rule = this.#rule;
    if (rule === null) return false;
    const isLow = isShort && level < 1;
    if (isMet) {
      this.#begin(FREE, this.#hostPpm, 0);
    } else if (this.#count < 0) {
      this.#count += 1;
    } else if (this.mode === FREE && !(isLow && hadPpm > this.#withHeadroomPpm(level))) {
      this.#begin(FREE, this.#hostPpm, 0);
    } else {
      this.#count += 1;
      this.#levels += level;
      this.#sharesPpm += hadPpm;
      const lasts = this.mode === CAPPED ? rule.probe_steps : rule.steps;
      return this.#count >= lasts && this.#decide();
    }
    return false;
  }

  /** A share cut to what one machine may have, in whole millionths rounded down. */
  requestedPpm(request) {
    const ppm = request * PPM;
    if (ppm >= this.#hostPpm) return this.#hostPpm;
    return ppm > this.#leastPpm ? Math.trunc(ppm) : this.#leastPpm;
  }

  /** Enter a mode; `count` of its steps are counted, below 0 while none is. */
  #begin(mode, ppm, count) {
    this.mode = mode;
    this.ppm = ppm;
    this.#count = count;
    this.#levels = 0;
    this.#sharesPpm = 0;
  }

  /** Enter the mode after the current one; whether it is a trial. */
  #decide() {
    const count = this.#count;
    const factorPpm = PPM + this.#rule.headroom_ppm;
    const now = [this.#levels / count, this.#sharesPpm / (count * PPM)];
    const before = this.#means;
    this.#means = now;
    const targetPpm = this.requestedPpm(this.#need);
    if (this.mode === FREE) {
      const trialPpm = floorOfProduct(this.#sharesPpm, PPM, count * factorPpm);
      this.#begin(TRIAL, Math.max(trialPpm, this.#leastPpm), -this.#settling);
      return true;
    }
    if (this.mode === CAPPED) {
      const more = floorDivide(this.ppm * factorPpm, PPM);
      const probePpm = Math.max(more, floorDivide(targetPpm * PPM, factorPpm));
      this.#begin(PROBE, Math.min(probePpm, this.#hostPpm), -this.#settling);
      return false;
    }
    const [low, high] = this.mode === PROBE ? [before, now] : [now, before];
    if (follows(low, high)) {
      this.#begin(FREE, this.#hostPpm, -this.#rule.probe_steps);
    } else {
      const ppm = Math.min(this.#withHeadroomPpm(now[0]), targetPpm);
      this.#begin(CAPPED, ppm, -this.#settling);
    }
    return false;
  }

  /** Share that the first model needs for the level, plus the headroom. */
  #withHeadroomPpm(level) {
    const factor = (PPM + this.#rule.headroom_ppm) / PPM;
    return this.requestedPpm(factor * (level * this.#need));
  }
}

/** Whether throughput changes by more than half of what is proportional to the share. */
function follows([lowLevel, lowShare], [highLevel, highShare]) {
  return lowLevel * highShare < highLevel * (0.5 * (lowShare + highShare));
}
