package dev.tailc.runtime;

import dev.tailc.policy.AdmissionKind;
import dev.tailc.policy.Outside;
import java.util.Arrays;

/**
 * The rows of a ladder as flat arrays: from load 0 on, each to the first load of the next, and the
 * guard's first rung outside.
 */
final class LadderRows {
  // Up to this many loads, each load has an entry; for more, rows are found by bisection.
  private static final int MOST_ENTRIES = 4096;
  // Rows have at least as many climbs; those beyond their own never come.
  private static final int SHORT_ROW = 8;
  // Ages have no sign: with this bit turned, they are compared as numbers with one.
  private static final long SIGN = Long.MIN_VALUE;
  private static final long NEVER = Long.MAX_VALUE;

  private final long minLoad;
  private final long maxLoad;
  // The largest load that is not counted as outside.
  private final long lastInside;
  private int count;
  private final long[] firstLoads;
  private final long[] delaysUs;
  private final Start[] starts;
  private final int[] firstClimbs;
  private final int[] climbCounts;
  private int climbs;
  private final long[] ages;
  private final int[] rungs;
  private final short[] rowOfLoad;

  LadderRows(dev.tailc.policy.Ladder form) {
    // The rows of the policy and one on either side.
    int most = form.rowsLength() + 2;
    firstLoads = new long[most];
    delaysUs = new long[most];
    starts = new Start[most];
    firstClimbs = new int[most];
    climbCounts = new int[most];
    ages = new long[form.climbsLength() + most * SHORT_ROW];
    rungs = new int[ages.length];
    minLoad = form.guard().minLoad();
    maxLoad = form.guard().maxLoad();
    lastInside = hasNoEnd(form) ? Long.MAX_VALUE : maxLoad;
    addRows(form, form.guard().outside() == Outside.CLAMP);
    rowOfLoad = rowsOfLoads();
  }

  boolean isOutside(long load) {
    return load < minLoad || load > lastInside;
  }

  /** Whether the last row is compiled for all larger loads. */
  private static boolean hasNoEnd(dev.tailc.policy.Ladder form) {
    long lastLoad = form.rows(form.rowsLength() - 1).firstLoad();
    return form.loadAxis() == dev.tailc.policy.LoadAxis.IN_SYSTEM
        && form.guard().outside() == Outside.CLAMP
        && Long.compareUnsigned(lastLoad, form.guard().maxLoad()) <= 0;
  }

  long maxLoad() {
    return maxLoad;
  }

  int rowAt(long load) {
    if (load < rowOfLoad.length) {
      return rowOfLoad[(int) load];
    }
    int at = Arrays.binarySearch(firstLoads, 0, count, load);
    return at >= 0 ? at : -at - 2;
  }

  long delayUs(int row) {
    return delaysUs[row];
  }

  Start start(int row) {
    return starts[row];
  }

  /** Bisection without branches: in which half the last climb is that has come is not to tell. */
  int rungAt(int row, long ageUs) {
    long age = ageUs ^ SIGN;
    int at = firstClimbs[row];
    int left = climbCounts[row];
    if (left <= SHORT_ROW) {
      at += ages[at + 4] <= age ? 4 : 0;
      at += ages[at + 2] <= age ? 2 : 0;
      at += ages[at + 1] <= age ? 1 : 0;
    } else {
      for (; left > 1; left -= left / 2) {
        at += ages[at + left / 2] <= age ? left / 2 : 0;
      }
    }
    return rungs[at];
  }

  /** The largest of all rows; no policy that makes sense has one with the highest bit. */
  long largestDelayUs() {
    return Arrays.stream(delaysUs, 0, count).max().orElse(0);
  }

  private void addRows(dev.tailc.policy.Ladder form, boolean clamps) {
    long low = clamps ? 0 : minLoad;
    if (low > 0) {
      addFirstRung(0);
    }
    for (int i = 0; i < form.rowsLength(); ++i) {
      dev.tailc.policy.Row row = form.rows(i);
      // Larger loads than signed integers are never looked up.
      boolean isBeyond = row.firstLoad() < 0 || (!clamps && row.firstLoad() > maxLoad);
      if (i > 0 && isBeyond) {
        break;
      }
      add(i == 0 ? low : Math.max(row.firstLoad(), low), row);
      for (int n = 0; n < row.climbCount(); ++n) {
        dev.tailc.policy.Climb climb = form.climbs((int) row.firstClimb() + n);
        addClimb(climb.ageUs(), (int) climb.rung());
      }
      pad();
    }
    if (!clamps && maxLoad < Long.MAX_VALUE) {
      addFirstRung(maxLoad + 1);
    }
  }

  private void add(long firstLoad, dev.tailc.policy.Row row) {
    boolean onExit = row.admission() == AdmissionKind.ON_EXIT;
    // No wait is as long as one that has the highest bit.
    long delayUs = row.delayUs() < 0 ? Long.MAX_VALUE : row.delayUs();
    begin(firstLoad, delayUs, onExit ? Start.ON_EXIT : Start.NOW);
  }

  private void addFirstRung(long firstLoad) {
    begin(firstLoad, 0, Start.NOW);
    addClimb(0, 0);
    pad();
  }

  /** A row that begins where the one before does takes its place. */
  private void begin(long firstLoad, long delayUs, Start start) {
    if (count > 0 && firstLoads[count - 1] == firstLoad) {
      --count;
    }
    firstLoads[count] = firstLoad;
    delaysUs[count] = delayUs;
    starts[count] = start;
    firstClimbs[count] = climbs;
    ++count;
  }

  private void addClimb(long ageUs, int rung) {
    ages[climbs] = ageUs ^ SIGN;
    rungs[climbs] = rung;
    ++climbs;
  }

  private void pad() {
    int first = firstClimbs[count - 1];
    climbCounts[count - 1] = climbs - first;
    int end = Math.max(climbs, first + SHORT_ROW);
    Arrays.fill(ages, climbs, end, NEVER);
    climbs = end;
  }

  private short[] rowsOfLoads() {
    short[] found = new short[(int) Math.min(firstLoads[count - 1], MOST_ENTRIES)];
    short row = 0;
    for (int load = 0; load < found.length; ++load) {
      if (firstLoads[row + 1] == load) {
        ++row;
      }
      found[load] = row;
    }
    return found;
  }
}
