package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Power and energy of a battery, within its limits and the energy that servers leave. */
final class PlanBattery {
  private static final long TOO_LARGE = PlanData.LARGEST_WHOLE + 1;

  private final PlanData data;
  private final Battery battery;

  private PlanBattery(PlanData data) {
    this.data = data;
    this.battery = data.battery;
  }

  /** By epoch; empty where the plan has no battery. Jobs have no server twice. */
  static List<Stored> storedByEpoch(PlanData data) {
    for (Epoch epoch : data.epochs) {
      boolean isTold = epoch.batteryMj.isPresent() == (data.battery != null);
      require(
          isTold,
          "`battery_mj` must be present in every epoch with a `battery`, and otherwise in none");
    }
    return data.battery == null ? Collections.emptyList() : new PlanBattery(data).stored();
  }

  private List<Stored> stored() {
    check();
    long[] spare = spareMj();
    List<Stored> states = new ArrayList<>();
    long storedMj = battery.firstMj;
    for (int i = 0; i < data.epochs.length; ++i) {
      long flowMj = data.epochs[i].batteryMj.getAsLong();
      checkFlow(flowMj, spare[i]);
      long kept = keptMj(flowMj);
      boolean isHeld = -storedMj <= kept && kept <= battery.capacityMj - storedMj;
      require(isHeld, "`battery_mj` must leave the stored energy at 0 to `capacity_mj`");
      storedMj += kept;
      states.add(new Stored(flowMj, storedMj));
    }
    return states;
  }

  private void check() {
    require(battery.capacityMj > 0, "`capacity_mj` must be at least 1");
    boolean hasPower = Math.min(battery.chargeMw, battery.dischargeMw) > 0;
    require(hasPower, "`charge_mw` and `discharge_mw` must be at least 1");
    boolean keeps = 0 < battery.keptPpm && battery.keptPpm <= Controller.PPM;
    require(keeps, "`kept_ppm` must be 1 to 1,000,000");
    boolean isHeld = 0 <= battery.firstMj && battery.firstMj <= battery.capacityMj;
    require(isHeld, "`first_mj` must be 0 to `capacity_mj`");
    require(largestMj() <= PlanData.LARGEST_WHOLE, "the energy of an epoch must be below 2^53 mJ");
  }

  /**
   * The largest energy that an epoch may use, receive, or charge to or discharge from a battery.
   */
  private long largestMj() {
    long drawnMj = 0;
    for (Pool pool : data.pools) {
      long movesMj = product(pool.migrationMj, 2);
      long serverMj = sum(product(pool.busyMw, data.epochS), movesMj);
      drawnMj = sum(drawnMj, product(serverMj, pool.servers));
    }
    long mostMw = Math.max(battery.chargeMw, battery.dischargeMw);
    for (Epoch epoch : data.epochs) {
      mostMw = Math.max(mostMw, epoch.greenMw);
    }
    return Math.max(drawnMj, product(mostMw, data.epochS));
  }

  /** Of what is not negative, and 2^53 where it is that or more. */
  private static long product(long one, long other) {
    return other == 0 || one <= PlanData.LARGEST_WHOLE / other ? one * other : TOO_LARGE;
  }

  private static long sum(long one, long other) {
    boolean isWithin = one <= PlanData.LARGEST_WHOLE - Math.min(other, PlanData.LARGEST_WHOLE);
    return isWithin ? one + other : TOO_LARGE;
  }

  private void checkFlow(long flowMj, long spare) {
    boolean isPower =
        -battery.dischargeMw * data.epochS <= flowMj && flowMj <= battery.chargeMw * data.epochS;
    require(isPower, "`battery_mj` must be at most `charge_mw` or `discharge_mw` times `epoch_s`");
    require(
        Math.min(spare, 0) <= flowMj && flowMj <= Math.max(spare, 0),
        "`battery_mj` may only charge unused green energy or replace brown energy");
  }

  /** Of what goes in, in two parts, since the whole product may leave 64 bits. */
  private long keptMj(long flowMj) {
    if (flowMj <= 0) {
      return flowMj;
    }
    long whole = flowMj / Controller.PPM * battery.keptPpm;
    return whole + flowMj % Controller.PPM * battery.keptPpm / Controller.PPM;
  }

  /** Green energy minus the energy of servers, by epoch. */
  private long[] spareMj() {
    long[][] busy = new long[data.epochs.length][data.pools.length];
    long[][] moved = new long[data.epochs.length][data.pools.length];
    for (PlanData.Job job : data.jobs) {
      add(job, busy, moved);
    }
    long[] spare = new long[data.epochs.length];
    for (int i = 0; i < spare.length; ++i) {
      spare[i] = data.epochs[i].greenMw * data.epochS - drawnMj(busy[i], moved[i]);
    }
    return spare;
  }

  private void add(PlanData.Job job, long[][] busy, long[][] moved) {
    int first = job.spans.get(0).firstEpoch;
    long[][] places = placesOf(job, first);
    for (int i = 0; i < places.length; ++i) {
      add(busy[first + i], places[i]);
      // A job that starts or ends moves nothing; the first epoch has no epoch before it.
      if (i > 0 && total(places[i]) > 0) {
        add(moved[first + i], moves(places[i - 1], places[i]));
      }
    }
  }

  /** Servers of a job by epoch, from its first to its last, then by pool. */
  private long[][] placesOf(PlanData.Job job, int first) {
    int end = first;
    for (Span span : job.spans) {
      end = Math.max(end, span.firstEpoch + span.epochs);
    }
    long[][] places = new long[end - first][data.pools.length];
    for (Span span : job.spans) {
      for (int i = 0; i < span.epochs; ++i) {
        places[span.firstEpoch - first + i][span.pool] = span.servers;
      }
    }
    return places;
  }

  /**
   * Servers by pool whose work moves; for a malleable job that shrinks, the servers that it
   * releases.
   */
  private long[] moves(long[] before, long[] now) {
    long[] taken = new long[now.length];
    long[] given = new long[now.length];
    for (int pool = 0; pool < now.length; ++pool) {
      taken[pool] = Math.max(0, now[pool] - before[pool]);
      given[pool] = Math.max(0, before[pool] - now[pool]);
    }
    return data.malleable != null && total(given) > total(taken) ? given : taken;
  }

  private long drawnMj(long[] busy, long[] moved) {
    long drawn = 0;
    for (int i = 0; i < data.pools.length; ++i) {
      Pool pool = data.pools[i];
      long asleep = pool.servers - busy[i];
      drawn += (busy[i] * pool.busyMw + asleep * pool.asleepMw) * data.epochS;
      drawn += moved[i] * pool.migrationMj;
    }
    return drawn;
  }

  private static void add(long[] row, long[] more) {
    for (int i = 0; i < row.length; ++i) {
      row[i] += more[i];
    }
  }

  private static long total(long[] row) {
    long sum = 0;
    for (long count : row) {
      sum += count;
    }
    return sum;
  }
}
