package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What jobs and energy of a datacentre do, epoch by epoch, and the free servers left.
 *
 * <p>Pools and epochs are numbered from 0; times are Unix seconds. What {@code admit}, {@code take}
 * and {@code release} change is remembered here; a plan that is opened again knows of its own jobs
 * alone. One thread at a time changes, while none reads. Methods throw IllegalArgumentException for
 * numbers that are no job, before they change anything.
 */
public final class Plan {
  private static final long LARGEST_JOB = 1L << 20;

  private final PlanData data;
  private final Counters counters;
  private final PlanPricing pricing;
  private final Map<String, List<Span>> places = new HashMap<>();
  // By epoch, then by pool.
  private final long[][] free;
  private final List<Stored> stored;

  Plan(dev.tailc.policy.Plan form, Counters counters) {
    this.data = new PlanData(form);
    this.counters = counters;
    pricing = new PlanPricing(data);
    free = new long[data.epochs.length][data.pools.length];
    for (long[] row : free) {
      Arrays.setAll(row, pool -> data.pools[pool].servers);
    }
    for (PlanData.Job job : data.jobs) {
      give(job.name, job.spans);
    }
    for (long[] row : free) {
      boolean isEnough = Arrays.stream(row).min().getAsLong() >= 0;
      require(isEnough, "the jobs of an epoch use more servers of a pool than it has");
    }
    stored = PlanBattery.storedByEpoch(data);
  }

  /** The epoch of a moment; empty outside the plan. */
  public OptionalInt epochAt(long unixS) {
    boolean hasBegun = unixS >= data.startUnixS;
    long epoch = hasBegun ? (unixS - data.startUnixS) / data.epochS : -1;
    if (hasBegun && epoch < data.epochs.length) {
      return OptionalInt.of((int) epoch);
    }
    counters.countOutside();
    return OptionalInt.empty();
  }

  /** Which bus a pool hangs on at a moment; empty outside the plan. */
  public Optional<Bus> source(int pool, long unixS) {
    OptionalInt epoch = epochAt(unixS);
    if (epoch.isEmpty() || pool < 0 || pool >= data.pools.length) {
      return Optional.empty();
    }
    OptionalLong first = data.epochs[epoch.getAsInt()].firstGreenPool;
    if (first.isEmpty()) {
      return Optional.of(Bus.MIXED);
    }
    return Optional.of(pool >= first.getAsLong() ? Bus.GREEN : Bus.BROWN);
  }

  /**
   * What the battery does in the epoch of a moment, and holds at its end; empty without one, and
   * outside the plan.
   */
  public Optional<Stored> stored(long unixS) {
    OptionalInt epoch = epochAt(unixS);
    boolean isTold = epoch.isPresent() && !stored.isEmpty();
    return isTold ? Optional.of(stored.get(epoch.getAsInt())) : Optional.empty();
  }

  /**
   * How many servers of which pool a job has at a moment; empty: the plan does not say, since it
   * has no such job, or the moment is outside it.
   */
  public Optional<SortedMap<Integer, Long>> allocation(String job, long unixS) {
    OptionalInt epoch = epochAt(unixS);
    List<Span> held = places.get(job);
    if (epoch.isEmpty() || held == null) {
      return Optional.empty();
    }
    int at = epoch.getAsInt();
    SortedMap<Integer, Long> found = new TreeMap<>();
    for (Span span : held) {
      if (span.firstEpoch <= at && at < span.firstEpoch + span.epochs) {
        found.put(span.pool, span.servers);
      }
    }
    return Optional.of(found);
  }

  /** Servers of a pool that no job has. */
  public long free(int epoch, int pool) {
    return free[epoch][pool];
  }

  /**
   * What a rigid job of {@code width} servers for so many epochs would pay, and be worth. Ties go
   * to the earlier epoch, then the lower pool. Takes O(pools epochs log epochs).
   *
   * @param greenPpm the share of its server-epochs that shall be green
   */
  public Quote quote(long firstEpoch, long epochs, long width, long greenPpm) {
    if (data.terms == null) {
      throw new IllegalArgumentException(
          "jobs of this plan are malleable: use the cheapest width, not a quote");
    }
    checkJob(firstEpoch, epochs, width);
    if (greenPpm < 0 || greenPpm > Controller.PPM) {
      throw new IllegalArgumentException(
          "the share of green energy must be 0 to 1,000,000 (millionths)");
    }
    return pricing.quote(free, firstEpoch, epochs, width, greenPpm);
  }

  /** The quote of a job, which has its places from now on if it is admitted. */
  public Quote admit(String job, long firstEpoch, long epochs, long width, long greenPpm) {
    checkNew(job);
    Quote told = quote(firstEpoch, epochs, width, greenPpm);
    if (told.isAdmitted()) {
      give(job, told.places().get());
    }
    return told;
  }

  /**
   * Of the widths of a malleable job the one whose places and epochs cost least; of equal costs the
   * smallest; empty: none has room.
   *
   * @param epochsOf the epochs that it takes at each width
   */
  public OptionalLong cheapestWidth(long firstEpoch, Map<Long, Long> epochsOf) {
    if (data.malleable == null) {
      throw new IllegalArgumentException(
          "jobs of this plan are rigid: use a quote, not the cheapest width");
    }
    OptionalLong best = OptionalLong.empty();
    long leastUdollars = Long.MAX_VALUE;
    for (Map.Entry<Long, Long> one : new TreeMap<>(epochsOf).entrySet()) {
      checkJob(firstEpoch, one.getValue(), one.getKey());
      long udollars = costOf(firstEpoch, one.getValue(), one.getKey());
      if (udollars < leastUdollars) {
        best = OptionalLong.of(one.getKey());
        leastUdollars = udollars;
      }
    }
    return best;
  }

  /** The cheapest places of a job, which has them from now on; empty: there is no room. */
  public Optional<List<Span>> take(String job, long firstEpoch, long epochs, long width) {
    checkNew(job);
    checkJob(firstEpoch, epochs, width);
    PlanPricing.Within within = pricing.within(free, firstEpoch, epochs, width);
    if (within == null) {
      return Optional.empty();
    }
    List<Span> spans = PlanPricing.spansOf(within, pricing.filled(free, within, width));
    give(job, spans);
    return Optional.of(spans);
  }

  /** The job is done: its places from an epoch on are free. */
  public void release(String job, long epoch) {
    List<Span> held = places.get(job);
    if (held == null) {
      throw new IllegalArgumentException("the plan has no job of that name");
    }
    List<Span> kept = new ArrayList<>();
    for (Span span : held) {
      int end = span.firstEpoch + span.epochs;
      int from = (int) Math.min(Math.max(epoch, span.firstEpoch), end);
      move(new Span(span.pool, from, end - from, span.servers), 1);
      if (from > span.firstEpoch) {
        kept.add(new Span(span.pool, span.firstEpoch, from - span.firstEpoch, span.servers));
      }
    }
    if (kept.isEmpty()) {
      places.remove(job);
    } else {
      places.put(job, kept);
    }
  }

  public List<Pool> pools() {
    return Collections.unmodifiableList(Arrays.asList(data.pools));
  }

  public List<Epoch> epochs() {
    return Collections.unmodifiableList(Arrays.asList(data.epochs));
  }

  /** Of rigid jobs; empty: jobs are malleable. */
  public Optional<Terms> terms() {
    return Optional.ofNullable(data.terms);
  }

  /** Of malleable jobs; empty: jobs are rigid. */
  public Optional<Malleable> malleable() {
    return Optional.ofNullable(data.malleable);
  }

  public Optional<Battery> battery() {
    return Optional.ofNullable(data.battery);
  }

  /** Power that is bought at negative prices; empty: no price is negative. */
  public OptionalLong gridMw() {
    return data.gridMw;
  }

  /** The rule that decides about other jobs; empty: the prices of the plan. */
  public Optional<String> laterJobs() {
    return data.laterJobs;
  }

  /** The largest where there is no room. */
  private long costOf(long firstEpoch, long epochs, long width) {
    PlanPricing.Within within = pricing.within(free, firstEpoch, epochs, width);
    if (within == null) {
      return Long.MAX_VALUE;
    }
    long worth = pricing.worth(within, pricing.filled(free, within, width));
    return worth + epochs * data.malleable.delayUdollars;
  }

  private static void checkJob(long firstEpoch, long epochs, long width) {
    boolean isJob = Math.min(epochs, width) >= 1 && Math.max(epochs, width) <= LARGEST_JOB;
    if (firstEpoch < 0 || !isJob) {
      throw new IllegalArgumentException("a job must start in epoch 0 or later, with 1 to 2^20 epochs and servers");
    }
  }

  private void checkNew(String job) {
    if (job.isEmpty() || places.containsKey(job)) {
      throw new IllegalArgumentException(
          "a job must have a name that no other job of the plan has");
    }
  }

  private void give(String job, List<Span> spans) {
    for (Span span : spans) {
      move(span, -1);
    }
    places.put(job, spans);
  }

  /** Adds a span's servers to the free ones, or takes them away. */
  private void move(Span span, int sign) {
    for (int i = 0; i < span.epochs; ++i) {
      free[span.firstEpoch + i][span.pool] += sign * span.servers;
    }
  }
}
