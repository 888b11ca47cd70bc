package dev.tailc.runtime;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * One ladder. Any number of threads may look up at once, also while another steps the controller.
 */
public final class Ladder {
  // No age in a policy is as late.
  private static final long EVER_US = 1L << 53;

  private final LoadAxis loadAxis;
  private final String requestClass;
  private final List<String> costUnits;
  private final List<String> rungs;
  private final List<RungSetting> settings;
  private final List<Rule> rules;
  private final long quantumUs;
  private final Boost boost;
  private final Overload overload;
  private final Sharing sharing;
  private final Cores cores;
  private final LadderRows rows;
  private final long oldestUs;
  // All bits, or none.
  private final long countsWaiting;
  private final Controller controller;
  private final Counters counters;

  /** {@code controller}: what scales the ages of climbs, or null. */
  Ladder(dev.tailc.policy.Ladder form, Controller controller, Counters counters) {
    LadderMeaning.check(form);
    if (controller != null) {
      LadderMeaning.checkScaled(form);
    }
    this.controller = controller;
    this.counters = counters;
    boolean isRate = form.loadAxis() == dev.tailc.policy.LoadAxis.RATE;
    loadAxis = isRate ? LoadAxis.RATE : LoadAxis.IN_SYSTEM;
    requestClass = form.requestClass();
    costUnits = costUnitsOf(form);
    settings = settingsOf(form);
    rungs = namesOf(settings);
    rules = rulesOf(form);
    quantumUs = form.quantumUs();
    boost =
        form.boost() == null ? null : new Boost((int) form.boost().unit(), form.boost().belowPpm());
    overload = new Overload(form);
    sharing = new Sharing(form);
    cores = rules.contains(Rule.CORE_PER_REQUEST) ? new Cores(form) : null;
    rows = new LadderRows(form);
    oldestUs = oldestUs(form);
    countsWaiting = rules.contains(Rule.AGE_FROM_ARRIVAL) ? -1 : 0;
  }

  /**
   * The answer, under what the controller puts out at that moment, if there is one.
   *
   * @param answer where it is written
   * @return {@code answer}
   * @throws IllegalArgumentException for negative arguments
   */
  public Answer lookup(long load, long waitedUs, long executedUs, Answer answer) {
    countOutside(load);
    return peek(load, waitedUs, executedUs, answer);
  }

  /** The same for a schedule that looks what a request would get: it counts nothing. */
  Answer peek(long load, long waitedUs, long executedUs, Answer answer) {
    return lookup(load, waitedUs, executedUs, outputPpm(), answer);
  }

  /** The same with ages of climbs scaled by {@code outputPpm}, 0 to 1,000,000. */
  public Answer lookupScaled(
      long load, long waitedUs, long executedUs, long outputPpm, Answer answer) {
    if (outputPpm < 0 || outputPpm > Controller.PPM) {
      throw new IllegalArgumentException("the output must be 0 to 1,000,000");
    }
    countOutside(load);
    return lookup(load, waitedUs, executedUs, outputPpm, answer);
  }

  /**
   * The rung alone, for a request that runs: a number of {@code rungs}.
   *
   * @throws IllegalArgumentException for negative arguments
   */
  public int rung(long load, long waitedUs, long executedUs) {
    countOutside(load);
    return peekRung(load, waitedUs, executedUs);
  }

  /** The same without a count. */
  int peekRung(long load, long waitedUs, long executedUs) {
    int row = rowAt(load, waitedUs, executedUs);
    return rows.rungAt(row, ageUs(waitedUs, executedUs, outputPpm()));
  }

  public LoadAxis loadAxis() {
    return loadAxis;
  }

  /** The class of requests that it is for; empty: all without a ladder of their own. */
  public Optional<String> requestClass() {
    return Optional.ofNullable(requestClass);
  }

  public List<String> costUnits() {
    return costUnits;
  }

  /** Names by number. */
  public List<String> rungs() {
    return rungs;
  }

  /** What each rung is, by number. */
  public List<RungSetting> settings() {
    return settings;
  }

  /** What the server must do beyond the look-up. */
  public List<Rule> rules() {
    return rules;
  }

  public long quantumUs() {
    return quantumUs;
  }

  public Optional<Boost> boost() {
    return Optional.ofNullable(boost);
  }

  /** Requests that the server refuses, degrades or cuts off; none without a rule for it. */
  public Overload overload() {
    return overload;
  }

  /**
   * Requests that must wait or release threads or cores because of the used amount; none without a
   * rule for it.
   */
  public Sharing sharing() {
    return sharing;
  }

  /** Of rungs that are cores. */
  public Optional<Cores> cores() {
    return Optional.ofNullable(cores);
  }

  /** The last load that it was compiled for. */
  long maxLoad() {
    return rows.maxLoad();
  }

  long largestDelayUs() {
    return rows.largestDelayUs();
  }

  /** The latest climb of all rows. */
  long oldestUs() {
    return oldestUs;
  }

  private Answer lookup(
      long load, long waitedUs, long executedUs, long outputPpm, Answer answer) {
    int row = rowAt(load, waitedUs, executedUs);
    long leftUs = rows.delayUs(row) - waitedUs;
    answer.start = leftUs > 0 ? Start.WAIT : rows.start(row);
    answer.waitUs = Math.max(leftUs, 0);
    answer.rung = rows.rungAt(row, ageUs(waitedUs, executedUs, outputPpm));
    return answer;
  }

  private int rowAt(long load, long waitedUs, long executedUs) {
    if ((load | waitedUs | executedUs) < 0) {
      throw new IllegalArgumentException(
          "the load and the times waited and executed must not be negative");
    }
    return rows.rowAt(load);
  }

  /** Negative loads, which have no answer, do not count. */
  void countOutside(long load) {
    if (load >= 0 && rows.isOutside(load)) {
      counters.countOutside();
    }
  }

  private long outputPpm() {
    return controller == null ? Controller.PPM : controller.outputPpm();
  }

  private long ageUs(long waitedUs, long executedUs, long outputPpm) {
    long ageUs = executedUs + (waitedUs & countsWaiting);
    return outputPpm == Controller.PPM ? ageUs : unscaledUs(ageUs, outputPpm);
  }

  /**
   * The last age as written that has come at {@code ageUs}, all being scaled by z and rounded down:
   * floor(a z) &lt;= t exactly if a z &lt; t + 1; at z = 0 every climb has come.
   */
  private static long unscaledUs(long ageUs, long outputPpm) {
    boolean isBeyond = ageUs < 0 || ageUs >= EVER_US;
    if (outputPpm == 0 || isBeyond) {
      return isBeyond ? ageUs : EVER_US;
    }
    long whole = (ageUs + 1) / outputPpm;
    long rest = (ageUs + 1) % outputPpm;
    if (whole > EVER_US / Controller.PPM) {
      return EVER_US;
    }
    // No product leaves 64 bits: floor(((t + 1) 10^6 - 1) / z), in two parts.
    long left = rest > 0 ? (rest * Controller.PPM - 1) / outputPpm : -1;
    return whole * Controller.PPM + left;
  }

  private static List<String> costUnitsOf(dev.tailc.policy.Ladder form) {
    List<String> found = new ArrayList<>();
    for (int i = 0; i < form.costUnitsLength(); ++i) {
      found.add(form.costUnits(i).name());
    }
    return Collections.unmodifiableList(found);
  }

  private static List<RungSetting> settingsOf(dev.tailc.policy.Ladder form) {
    List<RungSetting> found = new ArrayList<>();
    for (int i = 0; i < form.rungsLength(); ++i) {
      found.add(new RungSetting(form.rungs(i)));
    }
    return Collections.unmodifiableList(found);
  }

  private static List<String> namesOf(List<RungSetting> settings) {
    List<String> found = new ArrayList<>();
    for (RungSetting setting : settings) {
      found.add(setting.name);
    }
    return Collections.unmodifiableList(found);
  }

  private static List<Rule> rulesOf(dev.tailc.policy.Ladder form) {
    List<Rule> found = new ArrayList<>();
    for (int i = 0; i < form.rulesLength(); ++i) {
      found.add(Rule.of(form.rules(i)));
    }
    return Collections.unmodifiableList(found);
  }

  private static long oldestUs(dev.tailc.policy.Ladder form) {
    long oldest = 0;
    for (int i = 0; i < form.climbsLength(); ++i) {
      oldest = Math.max(oldest, form.climbs(i).ageUs());
    }
    return oldest;
  }
}
