package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import dev.tailc.policy.Plan;
import dev.tailc.policy.PlannedJob;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
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

  PlanData(Plan form) {
    checkTimes(form);
    startUnixS = form.startUnixS();
    epochS = form.epochS();
    boolean isPart = 0 <= form.violationsPpm() && form.violationsPpm() <= Controller.PPM;
    require(isPart, "a part of jobs lies from 0 to 1");
    pools = new Pool[form.poolsLength()];
    Arrays.setAll(pools, i -> new Pool(form.pools(i)));
    checkPools();
    epochs = new Epoch[form.epochsLength()];
    Arrays.setAll(epochs, i -> new Epoch(form.epochs(i)));
    checkEpochs();
    terms = form.terms() == null ? null : new Terms(form.terms());
    malleable = form.malleable() == null ? null : new Malleable(form.malleable());
    battery = form.battery() == null ? null : new Battery(form.battery());
    require((terms == null) != (malleable == null), "jobs are rigid or malleable");
    require(form.pricesLength() == pools.length, "each pool has a price in each epoch");
    prices = new long[pools.length][];
    Arrays.setAll(prices, i -> pricesOf(form.prices(i)));
    checkMoney();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < form.jobsLength(); ++i) {
      require(names.add(form.jobs(i).name()), "two jobs have one name");
      jobs.add(jobOf(form.jobs(i)));
    }
  }

  private static void checkTimes(Plan form) {
    require(form.epochS() > 0, "an epoch lasts a second at least");
    boolean isThere = form.poolsLength() > 0 && form.epochsLength() > 0;
    require(isThere, "a plan needs a pool and an epoch");
    require(form.epochsLength() <= MOST_EPOCHS, "a plan has 2^14 epochs at most");
    long start = form.startUnixS();
    boolean isHeld = 0 <= start && start <= LATEST_UNIX_S;
    boolean ends = isHeld && form.epochS() <= (LATEST_UNIX_S - start) / form.epochsLength();
    require(ends, "a plan lies in the years 1970 to 9999");
  }

  private void checkPools() {
    long servers = 0;
    Set<String> names = new HashSet<>();
    for (Pool pool : pools) {
      require(!pool.name.isEmpty(), "a pool needs a name");
      require(names.add(pool.name), "two pools have one name");
      boolean isPool = 0 < pool.servers && pool.servers <= MOST_SERVERS;
      require(isPool, "a pool has 1 to 2^20 servers");
      boolean draws = 0 <= pool.asleepMw && pool.asleepMw <= pool.busyMw && pool.busyMw > 0;
      require(draws, "a busy server draws power, and what a sleeping one does");
      require(pool.migrationMj >= 0, "to move work gives no energy");
      long racks = pool.racks.orElse(1);
      boolean isFull = racks > 0 && pool.servers % racks == 0;
      require(isFull, "racks of a pool have as many servers each");
      boolean isAlike = pool.racks.isPresent() == pools[0].racks.isPresent();
      require(isAlike, "all pools are of racks or none");
      servers += pool.servers;
    }
    require(servers <= MOST_SERVERS, "a plan has 2^20 servers");
  }

  private void checkEpochs() {
    for (Epoch epoch : epochs) {
      long least = Math.min(epoch.brownUdollarsPerKwh, epoch.brownMgPerKwh);
      require(Math.min(epoch.greenMw, least) >= 0, "power, prices and CO2 are not negative");
      boolean isAlike = epoch.firstGreenPool.isPresent() == epochs[0].firstGreenPool.isPresent();
      require(isAlike, "two buses in every epoch or in none");
      long first = epoch.firstGreenPool.orElse(0);
      require(0 <= first && first <= pools.length, "the first green pool is there, or none");
    }
  }

  private long[] pricesOf(dev.tailc.policy.PoolPrices form) {
    require(form.udollarsLength() == epochs.length, "each pool has a price in each epoch");
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
    require(slots * most <= LARGEST_WHOLE, "a plan is worth 2^53 or more");
    if (malleable != null) {
      money(malleable.delayUdollars);
      require(malleable.slowdownPpm >= Controller.PPM, "a slowdown is a factor of 1 or more");
    }
  }

  private static long money(long udollars) {
    boolean isMoney = 0 <= udollars && udollars <= LARGEST_UDOLLARS;
    require(isMoney, "prices, terms and delays are 0 to 2^28");
    return udollars;
  }

  private Job jobOf(PlannedJob form) {
    Job job = new Job(form.name());
    require(!job.name.isEmpty() && form.spansLength() > 0, "a job has a name, and runs");
    int[] ends = new int[pools.length];
    Span before = null;
    long slots = 0;
    for (int i = 0; i < form.spansLength(); ++i) {
      Span span = spanOf(form.spans(i));
      require(span.firstEpoch >= ends[span.pool], "two spans of a pool at once");
      ends[span.pool] = span.firstEpoch + span.epochs;
      boolean isOrdered =
          before == null
              || before.firstEpoch < span.firstEpoch
              || (before.firstEpoch == span.firstEpoch && before.pool <= span.pool);
      require(isOrdered, "spans are in order of epoch, then of pool");
      before = span;
      job.spans.add(span);
      slots += span.servers * span.epochs;
    }
    boolean isGreen = 0 <= form.greenSlots() && form.greenSlots() <= slots;
    require(isGreen, "no more than all of a job is green");
    boolean isPromised = terms != null || form.greenSlots() == 0;
    require(isPromised, "malleable jobs are promised nothing");
    return job;
  }

  private Span spanOf(dev.tailc.policy.Span form) {
    boolean isThere =
        0 <= form.pool()
            && form.pool() < pools.length
            && form.firstEpoch() >= 0
            && form.epochs() > 0
            && form.servers() > 0;
    require(isThere, "a span is of a pool, and runs");
    boolean ends =
        form.epochs() <= epochs.length && form.firstEpoch() <= epochs.length - form.epochs();
    require(ends, "a span ends with the plan");
    int pool = (int) form.pool();
    require(form.servers() <= pools[pool].servers, "a span is no larger than its pool");
    return new Span(pool, (int) form.firstEpoch(), (int) form.epochs(), form.servers());
  }
}
