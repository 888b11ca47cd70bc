package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import dev.tailc.policy.Plan;
import dev.tailc.policy.PlannedJob;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What a plan says; one that contradicts itself is refused, but for servers that jobs have twice.
 */
final class PlanData {
  static final long LARGEST_WHOLE = (1L << 53) - 1;
  private static final long MOST_SERVERS = 1L << 20;
  private static final long LARGEST_UDOLLARS = 1L << 28;
  private static final long LATEST_UNIX_S = 253_402_300_799L;
  private static final int MOST_EPOCHS = 1 << 14;

  static final class Job {
    final String name;
    final List<Span> spans = new ArrayList<>();

    Job(String name) {
      this.name = name;
    }
  }

  final long startUnixS;
  final long epochS;
  final Pool[] pools;
  final Epoch[] epochs;
  final List<Job> jobs = new ArrayList<>();
  // By pool, then by epoch.
  final long[][] prices;
  // Just one of the two is there.
  final Terms terms;
  final Malleable malleable;
  final Battery battery;
  final OptionalLong gridMw;
  final Optional<String> laterJobs;

  PlanData(Plan form) {
    checkTimes(form);
    startUnixS = form.startUnixS();
    epochS = form.epochS();
    boolean isPart = 0 <= form.violationsPpm() && form.violationsPpm() <= Controller.PPM;
    require(isPart, "`violations_ppm` must be 0 to 1,000,000");
    pools = new Pool[form.poolsLength()];
    Arrays.setAll(pools, i -> new Pool(form.pools(i)));
    checkPools();
    epochs = new Epoch[form.epochsLength()];
    Arrays.setAll(epochs, i -> new Epoch(form.epochs(i)));
    gridMw = form.hasGridMw() ? OptionalLong.of(form.gridMw()) : OptionalLong.empty();
    laterJobs = Optional.ofNullable(form.laterJobs());
    checkEpochs();
    checkGrid();
    require(!laterJobs.equals(Optional.of("")), "`later_jobs` must not be empty");
    terms = form.terms() == null ? null : new Terms(form.terms());
    malleable = form.malleable() == null ? null : new Malleable(form.malleable());
    battery = form.battery() == null ? null : new Battery(form.battery());
    require(
        (terms == null) != (malleable == null),
        "exactly one of `terms` and `malleable` must be present");
    require(
        form.pricesLength() == pools.length,
        "`prices` must have an entry for each pool, with a price for each epoch");
    prices = new long[pools.length][];
    Arrays.setAll(prices, i -> pricesOf(form.prices(i)));
    checkMoney();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < form.jobsLength(); ++i) {
      require(names.add(form.jobs(i).name()), "two jobs have the same `name`");
      jobs.add(jobOf(form.jobs(i)));
    }
  }

  private static void checkTimes(Plan form) {
    require(form.epochS() > 0, "`epoch_s` must be at least 1");
    boolean isThere = form.poolsLength() > 0 && form.epochsLength() > 0;
    require(isThere, "`pools` and `epochs` must not be empty");
    require(form.epochsLength() <= MOST_EPOCHS, "`epochs` must have at most 2^14 entries");
    long start = form.startUnixS();
    boolean isHeld = 0 <= start && start <= LATEST_UNIX_S;
    boolean ends = isHeld && form.epochS() <= (LATEST_UNIX_S - start) / form.epochsLength();
    require(ends, "`start_unix_s` and the end of the last epoch must be in the years 1970 to 9999");
  }

  private void checkPools() {
    long servers = 0;
    Set<String> names = new HashSet<>();
    for (Pool pool : pools) {
      require(!pool.name.isEmpty(), "`name` of a pool must not be empty");
      require(names.add(pool.name), "two pools have the same `name`");
      boolean isPool = 0 < pool.servers && pool.servers <= MOST_SERVERS;
      require(isPool, "`servers` of a pool must be 1 to 2^20");
      boolean draws = 0 <= pool.asleepMw && pool.asleepMw <= pool.busyMw && pool.busyMw > 0;
      require(draws, "`busy_mw` of a pool must be at least 1, and `asleep_mw` 0 to `busy_mw`");
      require(pool.migrationMj >= 0, "`migration_mj` of a pool must not be negative");
      long racks = pool.racks.orElse(1);
      boolean isFull = racks > 0 && pool.servers % racks == 0;
      require(
          isFull, "`servers` of a pool must be a multiple of `racks`, which must be at least 1");
      boolean isAlike = pool.racks.isPresent() == pools[0].racks.isPresent();
      require(isAlike, "`racks` must be present in every pool or in none");
      servers += pool.servers;
    }
    require(servers <= MOST_SERVERS, "`pools` must have at most 2^20 servers in total");
  }

  private void checkEpochs() {
    for (Epoch epoch : epochs) {
      require(
          Math.min(epoch.greenMw, epoch.brownMgPerKwh) >= 0,
          "`green_mw` and `brown_mg_per_kwh` must not be negative");
      require(
          epoch.brownUdollarsPerKwh >= 0 || gridMw.isPresent(),
          "`brown_udollars_per_kwh` is negative only with `grid_mw`");
      boolean isAlike = epoch.firstGreenPool.isPresent() == epochs[0].firstGreenPool.isPresent();
      require(isAlike, "`first_green_pool` must be present in every epoch or in none");
      long first = epoch.firstGreenPool.orElse(0);
      require(
          0 <= first && first <= pools.length,
          "`first_green_pool` must be 0 to the number of pools");
    }
  }

  /** Divides, since a product may not fit into 64 bits. */
  private void checkGrid() {
    if (gridMw.isEmpty()) {
      return;
    }
    long left = gridMw.getAsLong();
    for (Pool pool : pools) {
      boolean isEnough = pool.busyMw <= left / pool.servers;
      require(isEnough, "`grid_mw` must be at least the power of all servers");
      left -= pool.servers * pool.busyMw;
    }
  }

  private long[] pricesOf(dev.tailc.policy.PoolPrices form) {
    require(
        form.udollarsLength() == epochs.length,
        "`prices` must have an entry for each pool, with a price for each epoch");
    long[] found = new long[epochs.length];
    Arrays.setAll(found, form::udollars);
    return found;
  }

  private void checkMoney() {
    long most = 0;
    for (long[] one : prices) {
      for (long udollars : one) {
        most = Math.max(most, money(udollars));
      }
    }
    if (terms != null) {
      most = Math.max(most, money(terms.greenUdollars));
      most = Math.max(most, money(terms.brownUdollars));
      most = Math.max(most, money(terms.penaltyUdollars));
    }
    long slots = 0;
    for (Pool pool : pools) {
      slots += pool.servers * epochs.length;
    }
    require(
        slots * most <= LARGEST_WHOLE,
        "servers times epochs times the largest price must be below 2^53");
    if (malleable != null) {
      money(malleable.delayUdollars);
      require(malleable.slowdownPpm >= Controller.PPM, "`slowdown_ppm` must be at least 1,000,000");
    }
  }

  private static long money(long udollars) {
    boolean isMoney = 0 <= udollars && udollars <= LARGEST_UDOLLARS;
    require(isMoney, "amounts of `prices` and `terms`, and `delay_udollars`, must be 0 to 2^28");
    return udollars;
  }

  private Job jobOf(PlannedJob form) {
    Job job = new Job(form.name());
    require(
        !job.name.isEmpty() && form.spansLength() > 0,
        "`name` and `spans` of a job must not be empty");
    int[] ends = new int[pools.length];
    Span before = null;
    long slots = 0;
    for (int i = 0; i < form.spansLength(); ++i) {
      Span span = spanOf(form.spans(i));
      require(span.firstEpoch >= ends[span.pool], "spans of a job in one pool must not overlap");
      ends[span.pool] = span.firstEpoch + span.epochs;
      boolean isOrdered =
          before == null
              || before.firstEpoch < span.firstEpoch
              || (before.firstEpoch == span.firstEpoch && before.pool <= span.pool);
      require(isOrdered, "`spans` must be in order of `first_epoch`, then of `pool`");
      before = span;
      job.spans.add(span);
      slots += span.servers * span.epochs;
    }
    boolean isGreen = 0 <= form.greenSlots() && form.greenSlots() <= slots;
    require(isGreen, "`green_slots` must be 0 to the number of server-epochs of the job");
    boolean isPromised = terms != null || form.greenSlots() == 0;
    require(isPromised, "`green_slots` of malleable jobs must be 0");
    return job;
  }

  private Span spanOf(dev.tailc.policy.Span form) {
    boolean isThere =
        0 <= form.pool()
            && form.pool() < pools.length
            && form.firstEpoch() >= 0
            && form.epochs() > 0
            && form.servers() > 0;
    require(
        isThere,
        "a span needs an existing `pool`, `first_epoch` >= 0, `epochs` > 0 and `servers` > 0");
    boolean ends =
        form.epochs() <= epochs.length && form.firstEpoch() <= epochs.length - form.epochs();
    require(ends, "a span must end within the plan");
    int pool = (int) form.pool();
    require(
        form.servers() <= pools[pool].servers,
        "`servers` of a span must be at most those of its pool");
    return new Span(pool, (int) form.firstEpoch(), (int) form.epochs(), form.servers());
  }
}
