package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import dev.tailc.policy.AdmissionKind;
import dev.tailc.policy.Ladder;
import java.util.OptionalLong;

/**
 * How requests share what they draw on by rule, where rows by requests in the system do not say it.
 * Asked whenever what is in use may have become less, and at each tick of a request. Where the
 * ladder has no rule for it nothing in use holds anybody back, and nobody gives up.
 */
public final class Sharing {
  // No number in a policy is as large.
  private static final long NEVER = Long.MAX_VALUE;

  private OptionalLong startUnit = OptionalLong.empty();
  private long startBelowPpm = NEVER;
  private long giveUpUs = NEVER;
  private final boolean countsWaiting;

  /** Of a ladder that has been checked. */
  Sharing(Ladder form) {
    countsWaiting = LadderMeaning.has(form, Rule.AGE_FROM_ARRIVAL);
    dev.tailc.policy.Sharing told = form.sharing();
    if (told == null) {
      return;
    }
    startUnit = told.hasStartUnit() ? OptionalLong.of(told.startUnit()) : startUnit;
    startBelowPpm = told.hasStartBelowPpm() ? told.startBelowPpm() : NEVER;
    giveUpUs = told.hasGiveUpUs() ? told.giveUpUs() : NEVER;
  }

  /** The cost unit that is counted at starts, where they go by what is in use. */
  public OptionalLong startUnit() {
    return startUnit;
  }

  /**
   * Whether the request that came first of those that wait may start while all that run take so
   * much of that unit.
   */
  public boolean starts(long inUsePpm) {
    return startBelowPpm == NEVER || inUsePpm < startBelowPpm;
  }

  /** Whether a request is on the first rung from now on, and boosted no longer. */
  public boolean givesUp(long waitedUs, long executedUs) {
    long ageUs = executedUs + (countsWaiting ? waitedUs : 0);
    return giveUpUs != NEVER && Long.compareUnsigned(ageUs, giveUpUs) >= 0;
  }

  /** Refuses what contradicts itself. */
  static void check(Ladder form) {
    dev.tailc.policy.Sharing told = form.sharing();
    boolean starts = told != null && told.hasStartBelowPpm();
    boolean givesUp = told != null && told.hasGiveUpUs();
    boolean agree =
        LadderMeaning.has(form, Rule.START_BELOW) == starts
            && LadderMeaning.has(form, Rule.GIVE_UP) == givesUp;
    require(
        agree, "each rule for sharing must have its fields in `sharing`, and each field its rule");
    boolean isTold = starts || givesUp;
    require(
        isTold == (told != null),
        "`sharing` must be absent without rule `start-below` or `give-up`");
    if (told != null) {
      require(!givesUp || told.giveUpUs() > 0, "`give_up_us` must be at least 1");
      boolean isWhole = told.hasStartUnit() == starts;
      require(isWhole, "`start_unit` and `start_below_ppm` must both be present or both be absent");
      if (starts) {
        checkStarts(form, told);
      }
    }
  }

  private static void checkStarts(Ladder form, dev.tailc.policy.Sharing told) {
    require(told.startBelowPpm() > 0, "`start_below_ppm` must be at least 1");
    boolean isUnit = 0 <= told.startUnit() && told.startUnit() < form.costUnitsLength();
    require(isUnit, "`start_unit` must be the number of a cost unit, counted from 0");
    for (int i = 0; i < form.rowsLength(); ++i) {
      boolean isAtOnce = form.rows(i).admission() == AdmissionKind.AT_ONCE;
      require(isAtOnce, "`admission` of every row must be `at-once` with rule `start-below`");
    }
  }
}
