package dev.tailc.runtime;

import java.util.ArrayList;
import java.util.List;

/** Running requests whose rungs are cores, the oldest first, and the rungs that requests want. */
final class CoreRequests {
  private static final long NS_PER_US = 1_000;
  // No age in a policy is as late.
  private static final long OLDEST_US = 1L << 53;

  private final CorePlaces places;
  private final List<Request> running = new ArrayList<>();
  private int[] rungs = new int[0];
  private int[] wants = new int[0];

  CoreRequests(Cores cores) {
    places = new CorePlaces(cores);
  }

  boolean isSame(Ladder ladder) {
    return ladder.cores().filter(places::isSame).isPresent();
  }

  /** The rung on which the first waiting request starts; NOWHERE: it waits. */
  int rungToStart(Request first, int wanted, long inSystem, long nowNs) {
    read(inSystem, nowNs);
    int rung =
        places.rungToStart(wanted, wants, running.size(), inSystem, first.queue.makesRoom);
    if (rung != CorePlaces.NOWHERE) {
      first.spentNs = places.start(rung, nowNs > first.arrivedNs);
    }
    return rung;
  }

  /** The rung to which a request moves at its tick; NOWHERE: it stays. */
  int rungToMove(Request request, Request firstWaiting, long inSystem, long nowNs) {
    read(inSystem, nowNs);
    int firstWants =
        firstWaiting == null ? CorePlaces.NOWHERE : wanted(firstWaiting, inSystem, nowNs);
    return places.rungToMove(
        running.indexOf(request), rungs, wants, running.size(), firstWants, inSystem,
        request.queue.makesRoom);
  }

  void start(Request request, int rung, long nowNs) {
    running.add(request);
    take(request, rung, nowNs);
  }

  void move(Request request, int rung, long nowNs) {
    leave(request, nowNs);
    take(request, rung, nowNs);
  }

  void exit(Request request, long nowNs) {
    running.remove(request);
    leave(request, nowNs);
  }

  private void take(Request request, int rung, long nowNs) {
    request.core = places.take(rung);
    request.sinceNs = nowNs;
  }

  private void leave(Request request, long nowNs) {
    places.giveBack(request.rung, request.core, nowNs - request.sinceNs);
  }

  private void read(long inSystem, long nowNs) {
    if (rungs.length < running.size()) {
      rungs = new int[2 * running.size()];
      wants = new int[2 * running.size()];
    }
    for (int i = 0; i < running.size(); ++i) {
      rungs[i] = running.get(i).rung;
      wants[i] = wanted(running.get(i), inSystem, nowNs);
    }
  }

  /** The rung of the look-up of a request. */
  int wanted(Request request, long inSystem, long nowNs) {
    Schedule.Queue queue = request.queue;
    boolean hasStarted = request.hasStarted();
    long begunNs = hasStarted ? request.startedNs : nowNs;
    boolean hasWaited = begunNs > request.arrivedNs;
    long waitedUs = (begunNs - request.arrivedNs) / NS_PER_US;
    long spentNs = 0;
    if (queue.agesByCore && (hasStarted || hasWaited)) {
      spentNs = hasStarted ? request.spentNs : places.nextSpentNs();
    }
    long executedUs = (nowNs - begunNs + spentNs) / NS_PER_US;
    if (queue.waitedStartLast && hasWaited) {
      executedUs = OLDEST_US;
    } else if (queue.agesFromArrival) {
      executedUs = (nowNs - request.arrivedNs) / NS_PER_US - waitedUs;
    }
    return queue.ladder.peekRung(loadOf(request, inSystem), waitedUs, executedUs);
  }

  /** The load at which a request is looked up. */
  static long loadOf(Request request, long inSystem) {
    return !request.hasStarted() || request.queue.rereads ? inSystem : request.loadAtStart;
  }

  /** When a waiting request wants a rung above {@code wanted} by its age; UNSET: never. */
  static long wantsMoreNs(Request request, int wanted, long inSystem, long nowNs) {
    Ladder ladder = request.queue.ladder;
    long high = OLDEST_US;
    if (!request.queue.agesFromArrival || ladder.peekRung(inSystem, high, 0) <= wanted) {
      return Request.UNSET;
    }
    long low = (nowNs - request.arrivedNs) / NS_PER_US;
    while (high - low > 1) {
      long middle = low + (high - low) / 2;
      if (ladder.peekRung(inSystem, middle, 0) > wanted) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return request.arrivedNs + high * NS_PER_US;
  }
}
