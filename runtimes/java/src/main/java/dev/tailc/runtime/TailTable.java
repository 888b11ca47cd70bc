package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import dev.tailc.policy.Level;
import java.util.Arrays;
import java.util.Optional;

/**
 * The slowest frequency at which all requests that a core holds are done in time. Any number of
 * threads may look up at once, also while another steps the controller.
 */
public final class TailTable {
  private static final long LARGEST_KHZ = 1L << 23;
  private static final long LARGEST_BOUND_US = 1L << 28;
  private static final long LARGEST_CYCLES = 1L << 43;
  private static final long LARGEST_NS = (1L << 53) - 1;
  private static final long NS_PER_US = 1_000;
  // One kHz for one ns is a millionth of a cycle.
  private static final long PARTS_PER_CYCLE = 1_000_000;

  /** What a core without requests does: it sleeps, and needs {@code wakeNs} to begin again. */
  public static final class Sleep {
    public final long powerMw;
    public final long wakeNs;

    Sleep(dev.tailc.policy.Sleep form) {
      require(form.powerMw() >= 0 && form.wakeNs() >= 0, "`power_mw` must not be negative");
      powerMw = form.powerMw();
      wakeNs = form.wakeNs();
    }
  }

  /** Batch work of a core without requests; those run at {@code leastKhz} at least. */
  public static final class Batch {
    public final long leastKhz;
    public final long frequencyKhz;
    public final long powerMw;

    Batch(dev.tailc.policy.Batch form) {
      require(form.powerMw() >= 0, "`power_mw` must not be negative");
      leastKhz = form.leastKhz();
      frequencyKhz = form.frequencyKhz();
      powerMw = form.powerMw();
    }
  }

  /** What a change of frequency costs; the entries of a table include halts. */
  public static final class Transition {
    public final long haltNs;
    public final long energyNj;

    Transition(dev.tailc.policy.Transition form) {
      require(
          form.haltNs() >= 0 && form.energyNj() >= 0,
          "`halt_ns` and `energy_nj` of `transition` must not be negative");
      haltNs = form.haltNs();
      energyNj = form.energyNj();
    }
  }

  private final long percentilePpm;
  private final long boundUs;
  private final long cores;
  private final long[] frequenciesKhz;
  private final long[] powersMw;
  private final Sleep sleep;
  private final Batch batch;
  private final Transition transition;
  private final int least;
  private final TailRows parts;
  private final TailRows memoryNs;
  private final Controller controller;
  private final Counters counters;

  /** {@code controller}: what scales the bound, or null. */
  TailTable(dev.tailc.policy.TailTable form, Controller controller, Counters counters) {
    check(form);
    this.controller = controller;
    this.counters = counters;
    percentilePpm = form.percentilePpm();
    boundUs = form.boundUs();
    cores = form.cores();
    frequenciesKhz = new long[form.levelsLength()];
    powersMw = new long[form.levelsLength()];
    readLevels(form);
    sleep = new Sleep(form.sleep());
    batch = form.batch() == null ? null : new Batch(form.batch());
    if (batch != null) {
      boolean isLevel = levelOf(batch.leastKhz) >= 0 && levelOf(batch.frequencyKhz) >= 0;
      require(
          isLevel, "`least_khz` and `frequency_khz` of `batch` must be frequencies of `levels`");
    }
    transition = form.transition() == null ? null : new Transition(form.transition());
    least = batch == null ? 0 : levelOf(batch.leastKhz);
    parts = new TailRows(form.cyclesVector(), LARGEST_CYCLES, PARTS_PER_CYCLE);
    memoryNs = new TailRows(form.memoryNsVector(), LARGEST_NS, 1);
    boolean isAlike = parts.positions() == memoryNs.positions();
    require(isAlike, "rows of `cycles` and `memory_ns` must have the same number of positions");
  }

  /**
   * The number of the level that a core runs at until its next arrival or completion.
   *
   * @param agesNs the time since each request of the core arrived, that of the running one first
   * @param count how many of them there are
   * @param elapsedCycles what the running one has had
   * @param elapsedMemoryNs what the running one has had
   * @throws IllegalArgumentException for negative arguments, and where the core has no requests
   */
  public int level(long[] agesNs, int count, long elapsedCycles, long elapsedMemoryNs) {
    long scalePpm = controller == null ? Controller.PPM : controller.outputPpm();
    return levelScaled(agesNs, count, elapsedCycles, elapsedMemoryNs, scalePpm);
  }

  /** The same with the bound scaled by {@code scalePpm}, 0 to 2,000,000. */
  public int levelScaled(
      long[] agesNs, int count, long elapsedCycles, long elapsedMemoryNs, long scalePpm) {
    check(agesNs, count, elapsedCycles | elapsedMemoryNs, scalePpm);
    int top = frequenciesKhz.length - 1;
    if (count > parts.positions()) {
      counters.countOutside();
      return top;
    }
    int cycles = parts.rowAt(elapsedCycles);
    int memory = memoryNs.rowAt(elapsedMemoryNs);
    long boundNs = boundUs * scalePpm / NS_PER_US;
    int level = least;
    for (int i = 0; i < count; ++i) {
      long leftNs = memoryNs.left(memory, i);
      // Compared before the subtraction, so that no value exceeds 64 bits.
      if (agesNs[i] >= boundNs || boundNs - agesNs[i] <= leftNs) {
        return top;
      }
      long slackNs = boundNs - agesNs[i] - leftNs;
      long leftParts = parts.left(cycles, i);
      while (level < top && frequenciesKhz[level] * slackNs < leftParts) {
        ++level;
      }
    }
    return level;
  }

  /** As {@code level}, as a frequency. */
  public long frequencyKhz(long[] agesNs, int count, long elapsedCycles, long elapsedMemoryNs) {
    return frequenciesKhz[level(agesNs, count, elapsedCycles, elapsedMemoryNs)];
  }

  public int levels() {
    return frequenciesKhz.length;
  }

  public long frequencyKhz(int level) {
    return frequenciesKhz[level];
  }

  public long powerMw(int level) {
    return powersMw[level];
  }

  public long percentilePpm() {
    return percentilePpm;
  }

  public long boundUs() {
    return boundUs;
  }

  public long cores() {
    return cores;
  }

  /** A core with more requests runs at the last level. */
  public int positions() {
    return parts.positions();
  }

  public Sleep sleep() {
    return sleep;
  }

  public Optional<Batch> batch() {
    return Optional.ofNullable(batch);
  }

  public Optional<Transition> transition() {
    return Optional.ofNullable(transition);
  }

  /** From this number of cycles on, the last row applies. */
  long lastElapsedCycles() {
    return parts.lastFrom();
  }

  private static void check(long[] agesNs, int count, long elapsed, long scalePpm) {
    if (count < 1 || scalePpm < 0 || scalePpm > 2 * Controller.PPM) {
      throw new IllegalArgumentException(
          "the ages must not be empty, and the scale must be 0 to 2,000,000");
    }
    long all = elapsed;
    for (int i = 0; i < count; ++i) {
      all |= agesNs[i];
    }
    if (all < 0) {
      throw new IllegalArgumentException("ages and elapsed work must not be negative");
    }
  }

  private int levelOf(long khz) {
    return Math.max(Arrays.binarySearch(frequenciesKhz, khz), -1);
  }

  private void readLevels(dev.tailc.policy.TailTable form) {
    long beforeKhz = 0;
    for (int i = 0; i < form.levelsLength(); ++i) {
      Level level = form.levels(i);
      require(
          beforeKhz < level.frequencyKhz(),
          "`frequency_khz` must be at least 1 and increase from level to level");
      require(level.frequencyKhz() <= LARGEST_KHZ, "`frequency_khz` must be at most 2^23");
      require(level.powerMw() >= 0, "`power_mw` must not be negative");
      frequenciesKhz[i] = beforeKhz = level.frequencyKhz();
      powersMw[i] = level.powerMw();
    }
  }

  /** Limits such that neither side of the comparison of levels leaves 64 bits. */
  private static void check(dev.tailc.policy.TailTable form) {
    boolean isShare = 0 < form.percentilePpm() && form.percentilePpm() < Controller.PPM;
    require(isShare, "`percentile_ppm` must be 1 to 999,999");
    boolean isBound = 0 < form.boundUs() && form.boundUs() <= LARGEST_BOUND_US;
    require(isBound, "`bound_us` must be 1 to 2^28");
    require(form.cores() > 0, "`cores` must be at least 1");
    boolean isClock = 0 < form.referenceKhz() && form.referenceKhz() <= LARGEST_KHZ;
    require(!form.hasReferenceKhz() || isClock, "`reference_khz` must be 1 to 2^23");
    require(
        form.levelsLength() > 0,
        "`levels` must not be empty, and `frequency_khz` must be at least 1");
  }
}
