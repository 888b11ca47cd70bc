package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import dev.tailc.policy.Ladder;

/**
 * What requests lose by rule where a server has more of them than it can serve in time. Asked once
 * at a request's arrival, before it counts, and at each of its ticks. Where the ladder has no rule
 * for it nobody is refused, degraded or cut off.
 */
public final class Overload {
  // No number in a policy is as large.
  private static final long NEVER = Long.MAX_VALUE;

  private long shedFrom = NEVER;
  private long cutOffUs = NEVER;
  private long degradeFrom = NEVER;
  private long workPpm = Controller.PPM;
  private final boolean countsWaiting;

  /** Of a ladder that has been checked. */
  Overload(Ladder form) {
    countsWaiting = LadderMeaning.has(form, Rule.AGE_FROM_ARRIVAL);
    dev.tailc.policy.Overload told = form.overload();
    if (told == null) {
      return;
    }
    shedFrom = told.hasShedFrom() ? told.shedFrom() : NEVER;
    cutOffUs = told.hasCutOffUs() ? told.cutOffUs() : NEVER;
    degradeFrom = told.hasDegradeFrom() ? told.degradeFrom() : NEVER;
    workPpm = told.hasWorkPpm() ? told.workPpm() : Controller.PPM;
  }

  /** Whether a request is refused that arrives when so many others are in the system. */
  public boolean refuses(long inSystem) {
    return shedFrom != NEVER && inSystem >= shedFrom;
  }

  /** How many millionths of its work are to be done of one that arrives then. */
  public long workPpm(long inSystem) {
    return inSystem >= degradeFrom ? workPpm : Controller.PPM;
  }

  /** Whether a request that runs leaves now, with what it has. */
  public boolean cutsOff(long waitedUs, long executedUs) {
    long ageUs = executedUs + (countsWaiting ? waitedUs : 0);
    return cutOffUs != NEVER && Long.compareUnsigned(ageUs, cutOffUs) >= 0;
  }

  /** When a request that starts leaves at the latest; -1: at no time. */
  long cutNs(long arrivedNs, long startedNs) {
    long begunNs = countsWaiting ? arrivedNs : startedNs;
    return cutOffUs == NEVER ? -1 : Math.max(begunNs + cutOffUs * 1_000, startedNs);
  }

  /** Refuses what contradicts itself. */
  static void check(Ladder form) {
    dev.tailc.policy.Overload told = form.overload();
    boolean sheds = told != null && told.hasShedFrom();
    boolean cuts = told != null && told.hasCutOffUs();
    boolean degrades = told != null && told.hasDegradeFrom();
    boolean agree =
        LadderMeaning.has(form, Rule.SHED) == sheds
            && LadderMeaning.has(form, Rule.CUT_OFF) == cuts
            && LadderMeaning.has(form, Rule.DEGRADE) == degrades;
    require(
        agree, "each rule for overload must have its field in `overload`, and each field its rule");
    boolean isTold = sheds || cuts || degrades;
    require(
        isTold == (told != null),
        "`overload` must be absent without rule `shed`, `cut-off` or `degrade`");
    if (told != null) {
      require(!sheds || told.shedFrom() > 0, "`shed_from` must be at least 1");
      require(!cuts || told.cutOffUs() > 0, "`cut_off_us` must be at least 1");
      checkDegraded(told);
    }
  }

  private static void checkDegraded(dev.tailc.policy.Overload told) {
    boolean isWhole = told.hasDegradeFrom() == told.hasWorkPpm();
    require(isWhole, "`degrade_from` and `work_ppm` must both be present or both be absent");
    if (told.hasDegradeFrom()) {
      require(told.degradeFrom() >= 0, "`degrade_from` must not be negative");
      boolean isPart = 0 < told.workPpm() && told.workPpm() < Controller.PPM;
      require(isPart, "`work_ppm` must be 1 to 999,999");
      boolean isAdmitted = !told.hasShedFrom() || told.degradeFrom() < told.shedFrom();
      require(isAdmitted, "`degrade_from` must be below `shed_from`");
    }
  }
}
