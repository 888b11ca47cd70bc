/** Why a policy is refused: the same words in the readers of all languages. */
export type Reason =
  | "truncated"
  | "hash-mismatch"
  | "not-canonical"
  | "bad-structure"
  | "bad-meaning"
  | "unknown-rule"
  | "unknown-form"
  | "unknown-schema"
  | "unknown-class"
  | "other-form"
  | "other-service"
  | "older-generation";

export class PolicyError extends Error {
  readonly reason: Reason;
}

export interface Options {
  /** Required name of the policy. */
  service?: string;
  /** Generation of the policy that is replaced: the new one must not be older. */
  generationInUse?: number;
}

/**
 * Check the bytes of a `.tailc` or JSON file, and open the policy in them.
 * Throws a PolicyError, or a TypeError for what is not bytes. Signatures are not checked.
 */
export function openPolicy(bytes: Uint8Array | ArrayBuffer, options?: Options): Policy;

/** An opened policy; a form that it does not have throws a PolicyError `other-form`. */
export interface Policy {
  readonly name: string;
  readonly kind: string;
  readonly generation: number;
  readonly policyDigest: string;
  /** Number of look-ups for which the policy was not compiled. */
  readonly outside: number;
  readonly controller: Controller | null;
  readonly ladders: Map<string | null, Ladder>;
  readonly tailTable: TailTable;
  readonly shares: Shares;
  readonly plan: Plan;
  readonly budgetTable: BudgetTable;
  /** The ladder for a request class, or the one for all classes. */
  ladder(requestClass?: string | null): Ladder;
}

export interface Answer {
  /** For a request that has not started: start now, look up again in `waitUs`, or at an exit. */
  start: "now" | "wait" | "on-exit";
  waitUs: number;
  /** Number of the rung of a request of this age. */
  rung: number;
}

/** What a rung is; null if the rung does not determine it. */
export interface RungSetting {
  readonly name: string;
  readonly speedPpm: number;
  readonly costPpm: readonly number[];
  readonly moveUs: number | null;
  readonly threads: number | null;
  readonly frequencyKhz: number | null;
  readonly coreType: string | null;
  readonly lane: "shared" | "alone" | null;
  readonly oneThreadPpm: number | null;
}

/** Look-ups throw a RangeError unless all arguments are whole numbers, 0 or more. */
export interface Ladder {
  readonly loadAxis: "in_system" | "rate_mrps";
  readonly requestClass: string | null;
  readonly costUnits: readonly string[];
  readonly rungs: readonly string[];
  readonly settings: readonly RungSetting[];
  /** Rules that the server must follow in addition to the look-up. */
  readonly rules: readonly string[];
  readonly quantumUs: number;
  readonly boost: { readonly unit: number; readonly belowPpm: number } | null;
  readonly overload: Overload;
  readonly sharing: Sharing;
  readonly controller: Controller | null;
  /** Under the rule `core-per-request`: cost unit of the core by rung; otherwise empty. */
  readonly coreUnit: readonly number[];
  /** Number of cores by cost unit. */
  readonly coreCount: readonly number[];
  /** Time of a climb to each rung. */
  readonly moveUs: readonly number[];
  lookup(load: number, waitedUs: number, executedUs: number): Answer;
  /** With another output of a controller, 0 to 1,000,000 millionths. */
  lookupScaled(load: number, waitedUs: number, executedUs: number, outputPpm: number): Answer;
}

export interface Overload {
  readonly shedFrom: number | null;
  readonly cutOffUs: number | null;
  readonly degradeFrom: number | null;
  readonly degradedPpm: number | null;
  /** Whether the server refuses a request that arrives with so many others in the system. */
  refuses(inSystem: number): boolean;
  /** The part of its work to do for such a request. */
  workPpm(inSystem: number): number;
  /** Whether a running request leaves unfinished. */
  cutsOff(waitedUs: number, executedUs: number): boolean;
}

export interface Sharing {
  readonly startUnit: number | null;
  readonly startBelowPpm: number | null;
  readonly giveUpUs: number | null;
  /** Whether the first waiting request starts while running ones use this amount of the unit. */
  starts(inUsePpm: number): boolean;
  /** Whether a running request moves to the first rung. */
  givesUp(waitedUs: number, executedUs: number): boolean;
}

export interface Controller {
  readonly actsOn: "climb-ages" | "latency-bound";
  readonly percentilePpm: number;
  readonly targetUs: number;
  readonly epochRequests: number;
  readonly windowRequests: number;
  readonly fractionBits: number;
  readonly output: bigint;
  readonly outputPpm: number;
  /**
   * Once in `epochRequests` completions; returns the new `outputPpm`. Throws a RangeError unless both
   * arguments are whole numbers, 0 or more.
   */
  step(measuredUs: number, rateMrps: number): number;
}

export interface TailTable {
  readonly percentilePpm: number;
  readonly boundUs: number;
  readonly frequenciesKhz: readonly number[];
  readonly powerMw: readonly number[];
  readonly sleepPowerMw: number;
  readonly wakeNs: number;
  readonly cores: number;
  readonly batch: {
    readonly leastKhz: number;
    readonly frequencyKhz: number;
    readonly powerMw: number;
  } | null;
  readonly transition: { readonly haltNs: number; readonly energyNj: number } | null;
  readonly positions: number;
  readonly controller: Controller | null;
  /**
   * Ages since arrival, that of the running request first; `scalePpm` replaces the controller. Throws a
   * RangeError unless all arguments are whole numbers, 0 or more.
   */
  level(
    agesNs: readonly number[],
    elapsedCycles?: number,
    elapsedMemoryNs?: number,
    scalePpm?: number,
  ): number;
  frequencyKhz(
    agesNs: readonly number[],
    elapsedCycles?: number,
    elapsedMemoryNs?: number,
    scalePpm?: number,
  ): number;
}

export interface BudgetTable {
  readonly kvBlocks: number;
  readonly blockTokens: number;
  readonly maxSequences: number;
  /**
   * Tokens of the next iteration, and the number of sequences that may start in it. Throws a RangeError
   * unless both arguments are whole numbers; negative ones count as 0.
   */
  lookup(decoding: number, waitingTokens: number): { budget: number; newSequences: number };
}

export interface Served {
  readonly name: string;
  readonly target: number;
  readonly a: number;
  readonly b: number;
  readonly believed: readonly [number, number];
  readonly shortSteps: number;
  readonly capPpm: number;
}

export interface Shares {
  readonly law: "pole-placement" | "observer";
  readonly windowUs: number;
  readonly estimateUs: number;
  readonly stepUs: number;
  readonly enforceUs: number;
  readonly hostPpm: number;
  readonly leastPpm: number;
  readonly machines: readonly { readonly name: string; readonly targetMilli: number | null }[];
  /** The machines with a target. */
  readonly served: readonly Served[];
  readonly grantedPpm: readonly number[];
  /** Once in `estimateUs`: work per second of each served machine; returns `grantedPpm`. */
  tick(throughput: readonly number[], waiting?: readonly number[]): readonly number[];
  cannotMeet(): boolean[];
}

/** Places and sources of a plan; it has no prices. Null outside the epochs of the plan. */
export interface Plan {
  readonly startUnixS: number;
  readonly epochS: number;
  readonly epochs: number;
  readonly pools: readonly { readonly name: string; readonly servers: number }[];
  readonly jobs: readonly string[];
  /** Power that is bought at negative prices; null: no price is negative. */
  readonly gridMw: number | null;
  /** The rule that decides about other jobs; null: the prices of the plan. */
  readonly laterJobs: string | null;
  epochAt(unixS: number): number | null;
  source(pool: number, unixS: number): "green" | "brown" | "mixed" | null;
  allocation(job: string, unixS: number): { pool: number; servers: number }[] | null;
  stored(unixS: number): { batteryMj: number; storedMj: number } | null;
}

/** A job that runs. `begunUnixS`: null if its log has its start; `machines`: null for as many as it requests. */
export interface BegunJob {
  name: string;
  begunUnixS: number | null;
  /** Numbers from 0, in ascending order. */
  servers: number[];
  /** How long it has run, in ascending order of the number of servers. */
  ranS: { servers: number; seconds: number }[];
  greenSlots: number;
  machines: number | null;
}

/** The state of a plan in force, from which `tailc replan` continues. */
export interface PlanState {
  atUnixS: number;
  /** Jobs submitted up to then have run, wait or were refused. */
  decidedUnixS: number;
  servers: number;
  running: BegunJob[];
  waiting: string[];
  refused: string[];
  /** Null without a battery. */
  batteryMj: number | null;
}

/** The state in the bytes of a file, JSON or FlatBuffer. Throws a PolicyError for anything else. */
export function openPlanState(bytes: Uint8Array | ArrayBuffer): PlanState;

/** The JSON text of the state's file. Throws a PolicyError if the state contradicts itself. */
export function planStateJson(state: PlanState): string;
