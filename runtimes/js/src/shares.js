/** Shares of a host in memory: from measured throughput to the share of each machine. */

import { PPM, ceilDivide, floorDivide } from "./numbers.js";
import { requireArguments } from "./errors.js";
import { CAPPED, Cap, FREE } from "./shares_cap.js";
import { checkShares } from "./shares_meaning.js";

// Throughput beyond so many times its target counts as that.
const LARGEST_LEVEL = 1_000;
const MILLI = 1_000;

/** State of a machine with a target; a and b are its model in units of the target. */
class Served {
  constructor(machine, raw) {
    this.name = machine.name;
    this.target = machine.target_milli / MILLI;
    const first = [machine.first_a_ppm / PPM, machine.first_b_milli / machine.target_milli];
    this.firstModel = first;
    this.firstCovariance = raw.first_covariance;
    this.begin();
    this.cap = new Cap(raw, ...first);
    this.shortSteps = 0;
    this.lag = raw.step_us / raw.estimate_us;
    this.busyTicks = Math.max(this.lag, ceilDivide(raw.window_us, raw.estimate_us));
    this.levels = [];
    this.levelBefore = null;
    this.missed = 0;
  }

  /** Set the estimate to the first model. */
  begin() {
    [this.a, this.b] = this.firstModel;
    this.believed = this.firstModel;
    this.covariance = [this.firstCovariance, 0, this.firstCovariance];
  }

  get capPpm() {
    return this.cap.ppm;
  }
}

export class Shares {
  #raw;
  #lag;
  #full;
  #ticks = 0;
  #grantedBefore;

  constructor(raw) {
    checkShares(raw);
    this.#raw = raw;
    this.law = raw.law;
    this.windowUs = raw.window_us;
    this.estimateUs = raw.estimate_us;
    this.stepUs = raw.step_us;
    this.enforceUs = raw.enforce_us;
    this.hostPpm = raw.host_ppm;
    this.leastPpm = raw.least_ppm;
    this.machines = raw.machines.map((machine) => ({
      name: machine.name,
      targetMilli: machine.target_milli,
    }));
    this.#lag = raw.step_us / raw.estimate_us;
    this.#full = ceilDivide(raw.window_us, raw.estimate_us);
    this.served = raw.machines
      .filter((machine) => machine.target_milli !== null)
      .map((machine) => new Served(machine, raw));
    const asked = this.served.map((one) => one.cap.requestedPpm((1 - one.a) / one.b));
    this.grantedPpm = this.#sharedOut(asked);
    this.#grantedBefore = this.grantedPpm;
  }

  tick(throughput, waiting = this.served.map(() => 1)) {
    for (const [values, what] of [[throughput, "throughputs"], [waiting, "waiting requests"]]) {
      requireArguments(
        values.length === this.served.length && values.every((value) => value >= 0),
        `${what} must be numbers, 0 or more, one for each machine with a target`,
      );
    }
    this.#ticks += 1;
    const ticks = this.#ticks;
    const lag = this.#lag;
    const since = ((ticks - 1) % lag) + 1;
    const now = this.#ofServed(this.grantedPpm);
    const before = this.#ofServed(this.#grantedBefore);
    this.served.forEach((one, at) => {
      const level = Math.min(throughput[at] / one.target, LARGEST_LEVEL);
      one.busyTicks = waiting[at] ? one.busyTicks + 1 : 0;
      const isSample = one.cap.mode === FREE && one.busyTicks >= Math.max(lag, this.#full);
      if (isSample && ticks >= this.#full + lag) {
        const share = (since * now[at] + (lag - since) * before[at]) / (lag * PPM);
        this.#estimate(one, one.levels[ticks % lag], share, level);
      }
      one.levels[ticks % lag] = level;
    });
    if (ticks % lag === 0 && ticks >= this.#full) this.#step(now);
    return this.grantedPpm;
  }

  cannotMeet() {
    const short = this.served.map((one) => one.shortSteps >= this.#raw.shortage_steps);
    if (this.#raw.cap === null) return short;
    const host = this.hostPpm / PPM;
    const causes = this.served.map(
      (one, at) => short[at] && 1 - one.believed[0] > one.believed[1] * host,
    );
    const named = causes.includes(true) ? causes : short;
    return this.served.map((one, at) => named[at] || one.cap.mode >= CAPPED);
  }

  /**
   * Recursive least squares with forgetting, in this order of operations. x, y: the level one lag
   * ago and now. u: the mean share since.
   */
  #estimate(one, x, u, y) {
    const forgetting = this.#raw.forgetting_ppm / PPM;
    let [aa, ab, bb] = one.covariance;
    const hA = aa * x + ab * u;
    const hB = ab * x + bb * u;
    const weight = forgetting + (x * hA + u * hB);
    const kA = hA / weight;
    const kB = hB / weight;
    const error = y - (one.a * x + one.b * u);
    one.a += kA * error;
    one.b += kB * error;
    [aa, ab, bb] = [aa - kA * hA, ab - kA * hB, bb - kB * hB];
    if (aa + bb <= 2 * this.#raw.first_covariance * forgetting) {
      [aa, ab, bb] = [aa / forgetting, ab / forgetting, bb / forgetting];
    }
    one.covariance = [aa, ab, bb];
    const isBelieved = Math.abs(one.a) < 1 && one.b > this.#raw.least_b_ppm / PPM;
    if (isBelieved) one.believed = [one.a, one.b];
  }

  /** New shares of all machines; `hadPpm` is the share of those served. */
  #step(hadPpm) {
    const asked = this.served.map((one, at) => this.#requestedPpm(one, hadPpm[at]));
    this.#grantedBefore = this.grantedPpm;
    this.grantedPpm = this.#sharedOut(asked);
    const given = this.#ofServed(this.grantedPpm);
    this.served.forEach((one, at) => {
      const isBelow = one.levelBefore !== null && one.levelBefore < 1;
      if (isBelow && (given[at] < asked[at] || given[at] === this.hostPpm)) one.shortSteps += 1;
      else if (!(isBelow && one.cap.isTested)) one.shortSteps = 0;
    });
  }

  /** Share that a machine requests; sets its `levelBefore` to that of this step. */
  #requestedPpm(one, hadPpm) {
    const before = one.levelBefore;
    const share = hadPpm / PPM;
    // At a target at least where it has no more work to do.
    const ranOut = one.busyTicks < this.#full;
    const measured = one.levels[this.#ticks % this.#lag];
    const level = ranOut ? Math.max(measured, 1) : measured;
    const isMet = level >= 1 && before !== null && before >= 1;
    if (one.cap.step(level, hadPpm, isMet, one.shortSteps > 0)) one.begin();
    const request = ranOut ? outOfWork(one, share) : this.#request(one, level, share);
    one.levelBefore = level;
    return one.cap.mode === FREE ? one.cap.requestedPpm(request) : one.cap.ppm;
  }

  /** Share that the control law requests, without limits. */
  #request(one, level, share) {
    const [a, b] = one.believed;
    const pole = this.#raw.pole_ppm / PPM;
    const before = one.levelBefore;
    const missed = before === null ? 0 : level - (a * before + b * share);
    const lasting = common(missed, one.missed);
    one.missed = missed;
    if (this.law === "observer") return (1 - pole + (pole - a) * level - lasting) / b;
    const gain = (1 - pole) / b;
    const errorBefore = before === null ? 0 : 1 - before;
    return share + gain * (1 - level) - a * gain * errorBefore;
  }

  #sharedOut(asked) {
    const given = cut(asked, this.hostPpm, this.leastPpm)[Symbol.iterator]();
    const others = this.machines.length - asked.length;
    const rest = Math.max(this.hostPpm - sum(asked), 0);
    const left = others ? floorDivide(rest, others) : 0;
    return this.machines.map((machine) =>
      machine.targetMilli === null ? left : given.next().value,
    );
  }

  #ofServed(grantedPpm) {
    return grantedPpm.filter((_, at) => this.machines[at].targetMilli !== null);
  }
}

/** Its current share, or less if the model needs less for the target. */
function outOfWork(one, share) {
  const [a, b] = one.believed;
  one.missed = 0;
  return Math.min(share, (1 - a) / b);
}

/** The smaller of two errors, 0 if their signs differ: a disturbance that may last. */
function common(one, other) {
  if (one > 0 && other > 0) return Math.min(one, other);
  return one < 0 && other < 0 ? Math.max(one, other) : 0;
}

/** Requests beyond the host are reduced in proportion, but to no less than the minimum. */
function cut(asked, hostPpm, leastPpm) {
  if (sum(asked) <= hostPpm) return asked;
  const atLeast = new Set();
  for (;;) {
    const rest = hostPpm - leastPpm * atLeast.size;
    const among = sum(asked.filter((_, at) => !atLeast.has(at)));
    const parts = asked.map((ppm, at) =>
      atLeast.has(at) ? leastPpm : floorDivide(ppm * rest, among),
    );
    const below = parts.flatMap((part, at) => (part < leastPpm ? [at] : []));
    if (below.length === 0) return parts;
    for (const at of below) atLeast.add(at);
  }
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
