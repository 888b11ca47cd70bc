package dev.tailc.runtime;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Rungs that are cores: who holds which, and the rung on which a request may run (Haque et al., MICRO
 * 2017, algorithm 1, for any number of types of core; docs/artifact-format.md defines the rules).
 *
 * <p>In arguments, {@code rungs} are those of running requests and {@code wants} those that they want,
 * the oldest first.
 */
final class CorePlaces {
  static final int NOWHERE = -1;

  private final Cores cores;
  private final int[] unitOf;
  // Types in the order of their lowest rungs.
  private final int[] types;
  private final int[] lowest;
  private final int[] next;
  // Cores of the types of a rung and those above, and below, and of types only above.
  private final long[] above;
  private final long[] below;
  private final long[] beyond;
  // By type, its free cores; the last one is taken first.
  private final int[][] free;
  private final int[] freeCount;
  private final long[][] spentNs;
  private final boolean[] isShort;

  CorePlaces(Cores cores) {
    this.cores = cores;
    unitOf = cores.coreUnit.stream().mapToInt(unit -> unit).toArray();
    int units = cores.coreCount.size();
    lowest = IntStream.range(0, units).map(cores.coreUnit::indexOf).toArray();
    types = IntStream.range(0, unitOf.length).filter(this::isLowest).map(r -> unitOf[r]).toArray();
    next = IntStream.range(0, unitOf.length).map(this::nextOf).toArray();
    above = cores(rung -> unit -> IntStream.range(rung, unitOf.length).anyMatch(r -> unitOf[r] == unit));
    below = cores(rung -> unit -> lowest[unit] <= rung);
    beyond = cores(rung -> unit -> lowest[unit] > rung);
    free = new int[units][];
    spentNs = new long[units][];
    freeCount = new int[units];
    isShort = new boolean[units];
    for (int unit : types) {
      int count = cores.coreCount.get(unit).intValue();
      free[unit] = IntStream.range(0, count).map(core -> count - 1 - core).toArray();
      freeCount[unit] = count;
      spentNs[unit] = new long[count];
    }
  }

  private boolean isLowest(int rung) {
    return lowest[unitOf[rung]] == rung;
  }

  /** The lowest rung of the next type. */
  private int nextOf(int rung) {
    return IntStream.range(rung, unitOf.length)
        .filter(other -> lowest[unitOf[other]] > rung)
        .findFirst()
        .orElse(NOWHERE);
  }

  /** Types that count for a rung. */
  private interface Counted {
    IntPredicate at(int rung);
  }

  private long[] cores(Counted counted) {
    return IntStream.range(0, unitOf.length)
        .mapToLong(
            rung ->
                Arrays.stream(types)
                    .filter(counted.at(rung))
                    .mapToLong(unit -> cores.coreCount.get(unit))
                    .sum())
        .toArray();
  }

  /** Whether a policy has the same cores on the same rungs. */
  boolean isSame(Cores other) {
    return cores.coreUnit.equals(other.coreUnit) && cores.coreCount.equals(other.coreCount);
  }

  /**
   * The time spent below the last rung on the core that a request takes next; it is 0 from now on if
   * the request has not waited.
   */
  long start(int rung, boolean hasWaited) {
    int unit = unitOf[rung];
    int core = free[unit][freeCount[unit] - 1];
    if (!hasWaited) {
      spentNs[unit][core] = 0;
    }
    return spentNs[unit][core];
  }

  /** The same for a request that has waited, on the lowest type; 0 if no core is free. */
  long nextSpentNs() {
    return isFree(0) ? start(0, true) : 0;
  }

  /** Takes the core of the rung's type that became free last. */
  int take(int rung) {
    int unit = unitOf[rung];
    return free[unit][--freeCount[unit]];
  }

  /** Returns a core that a request held on the rung for {@code heldNs}. */
  void giveBack(int rung, int core, long heldNs) {
    int unit = unitOf[rung];
    free[unit][freeCount[unit]++] = core;
    if (rung < unitOf.length - 1) {
      spentNs[unit][core] += heldNs;
    }
  }

  private boolean isFree(int rung) {
    return freeCount[unitOf[rung]] > 0;
  }

  /** The rung on which the first waiting request starts; NOWHERE: it waits. */
  int rungToStart(int wanted, int[] wants, int running, long inSystem, boolean makesRoom) {
    int driven = NOWHERE;
    int rung = wanted;
    while (makesRoom && isTooMany(running, rung, inSystem)) {
      rung = next[rung];
      driven = isFree(rung) ? rung : driven;
    }
    if (driven != NOWHERE) {
      return driven;
    }
    for (rung = wanted; rung >= 0; --rung) {
      boolean isLowestType = unitOf[rung] == unitOf[0];
      if ((isLowestType && isFree(rung)) || isOpen(rung, wants, running)) {
        return rung;
      }
    }
    return NOWHERE;
  }

  /**
   * The rung to which the request at a place moves at its tick; NOWHERE: it stays.
   *
   * @param firstWants the rung that the first waiting request wants; NOWHERE if none waits
   */
  int rungToMove(
      int place, int[] rungs, int[] wants, int running, int firstWants, long inSystem,
      boolean makesRoom) {
    int own = rungs[place];
    for (int rung = wants[place]; rung > own; --rung) {
      if (unitOf[rung] == unitOf[own] || isOpen(rung, wants, place)) {
        return rung;
      }
    }
    int up = next[own];
    if (!makesRoom || up == NOWHERE) {
      return NOWHERE;
    }
    if (isTooMany(place, own, inSystem) && isFree(up)) {
      return up;
    }
    boolean moves =
        isOpen(up, wants, place) && isAsked(place, rungs, wants, running, firstWants);
    return moves ? up : NOWHERE;
  }

  /** Whether the rung has a free core, and a turn for the request after the older ones. */
  private boolean isOpen(int rung, int[] wants, int older) {
    int wanting = 0;
    for (int i = 0; i < older; ++i) {
      wanting += wants[i] >= rung ? 1 : 0;
    }
    return isFree(rung) && wanting < above[rung];
  }

  private boolean isTooMany(int older, int rung, long inSystem) {
    return older < Math.min(inSystem - below[rung], beyond[rung]);
  }

  /** Whether the request is the oldest on a type that is short. */
  private boolean isAsked(int place, int[] rungs, int[] wants, int running, int firstWants) {
    for (int number = 0; number < types.length; ++number) {
      int unit = types[number];
      boolean isWanted = firstWants != NOWHERE && unitOf[firstWants] == unit;
      for (int i = 0; i < running; ++i) {
        isWanted |= claims(unit, rungs[i], wants[i]);
      }
      for (int lower = 0; lower < number; ++lower) {
        isWanted |= passesOn(unit, types[lower], rungs, running);
      }
      isShort[unit] = isWanted && !isFree(lowest[unit]);
    }
    int own = unitOf[rungs[place]];
    return isShort[own] && oldestOn(own, rungs, running) == place;
  }

  /** Whether a running request wants a type that begins above its own. */
  private boolean claims(int unit, int rung, int wants) {
    return rung < wants && lowest[unitOf[rung]] < lowest[unit] && unitOf[wants] == unit;
  }

  /** Whether the oldest request on a lower type that is short has this as its next type. */
  private boolean passesOn(int unit, int other, int[] rungs, int running) {
    int oldest = isShort[other] ? oldestOn(other, rungs, running) : NOWHERE;
    return oldest != NOWHERE && next[rungs[oldest]] == lowest[unit];
  }

  private int oldestOn(int unit, int[] rungs, int running) {
    for (int i = 0; i < running; ++i) {
      if (unitOf[rungs[i]] == unit) {
        return i;
      }
    }
    return NOWHERE;
  }
}
