package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

/**
 * What a server steps once in {@code epochRequests} completions, and what it remembers: from a
 * measured tail to what scales ages of climbs, or the bound of a tail table.
 *
 * <p>The tail is that of the last {@code windowRequests} latencies, at {@code percentilePpm}. Steps
 * are for one thread at a time; {@code outputPpm} may be read by any at any time.
 */
public final class Controller {
  static final long PPM = 1_000_000;

  private static final long LARGEST_US = (1L << 31) - 1;
  private static final long LARGEST_GAIN = 1L << 29;
  private static final long MOST_WINDOW = 1_000_000;
  private static final int FEWEST_BITS = 21;
  private static final int MOST_BITS = 40;

  /** What the output scales. */
  public enum Actuator {
    CLIMB_AGES,
    LATENCY_BOUND
  }

  private final Actuator actsOn;
  private final long percentilePpm;
  private final long targetUs;
  private final long epochRequests;
  private final long windowRequests;
  private final long fractionBits;
  private final long least;
  private final long most;
  private final long[] firstRatesMrps;
  // kp, ki and kd of each row, one after the other.
  private final long[] gains;

  private long output;
  private boolean hasStepped;
  // Errors of the last step and the one before.
  private long beforeUs;
  private long earlierUs;
  private volatile long outputPpm;

  Controller(dev.tailc.policy.Controller form) {
    check(form);
    actsOn = isBound(form) ? Actuator.LATENCY_BOUND : Actuator.CLIMB_AGES;
    percentilePpm = form.percentilePpm();
    targetUs = form.targetUs();
    epochRequests = form.epochRequests();
    windowRequests = form.windowRequests();
    fractionBits = form.fractionBits();
    least = fixedPoint(form.leastPpm());
    most = fixedPoint(form.mostPpm());
    output = fixedPoint(form.firstPpm());
    outputPpm = form.firstPpm();
    firstRatesMrps = new long[form.gainsLength()];
    gains = new long[3 * form.gainsLength()];
    for (int i = 0; i < form.gainsLength(); ++i) {
      firstRatesMrps[i] = form.gains(i).firstRateMrps();
      gains[3 * i] = form.gains(i).kp();
      gains[3 * i + 1] = form.gains(i).ki();
      gains[3 * i + 2] = form.gains(i).kd();
    }
  }

  /**
   * The new {@code outputPpm}, after an epoch with that tail and that rate of arrivals.
   *
   * @throws IllegalArgumentException for negative ones; nothing is remembered of them
   */
  public long step(long measuredUs, long rateMrps) {
    if (measuredUs < 0 || rateMrps < 0) {
      throw new IllegalArgumentException("the measured tail and the rate must not be negative");
    }
    long errorUs = Math.max(targetUs - measuredUs, -LARGEST_US);
    if (!hasStepped) {
      beforeUs = earlierUs = errorUs;
      hasStepped = true;
    }
    int row = 3 * rowAt(rateMrps);
    long moved =
        gains[row] * (errorUs - beforeUs)
            + gains[row + 1] * errorUs
            + gains[row + 2] * (errorUs - 2 * beforeUs + earlierUs);
    output = Math.max(Math.min(output + moved, most), least);
    earlierUs = beforeUs;
    beforeUs = errorUs;
    long half = 1L << (fractionBits - 1);
    return outputPpm = (output * PPM + half) >> fractionBits;
  }

  /** What ages of climbs, or the bound of a tail table, are scaled by. */
  public long outputPpm() {
    return outputPpm;
  }

  /** The same exactly, in units of 2^-{@code fractionBits}; for the thread that steps. */
  public long output() {
    return output;
  }

  public Actuator actsOn() {
    return actsOn;
  }

  public long percentilePpm() {
    return percentilePpm;
  }

  public long targetUs() {
    return targetUs;
  }

  public long epochRequests() {
    return epochRequests;
  }

  public long windowRequests() {
    return windowRequests;
  }

  public long fractionBits() {
    return fractionBits;
  }

  /** From it on the last row of gains applies. */
  long lastRateMrps() {
    return firstRatesMrps[firstRatesMrps.length - 1];
  }

  private long fixedPoint(long sharePpm) {
    return (sharePpm << fractionBits) / PPM;
  }

  private int rowAt(long rateMrps) {
    int row = firstRatesMrps.length - 1;
    while (firstRatesMrps[row] > rateMrps) {
      --row;
    }
    return row;
  }

  private static boolean isBound(dev.tailc.policy.Controller form) {
    return form.actsOn() == dev.tailc.policy.Actuator.LATENCY_BOUND;
  }

  private static void check(dev.tailc.policy.Controller form) {
    boolean isKnown = isBound(form) || form.actsOn() == dev.tailc.policy.Actuator.CLIMB_AGES;
    require(isKnown, "unknown value of `acts_on`");
    boolean isShare = 0 < form.percentilePpm() && form.percentilePpm() < PPM;
    require(isShare, "`percentile_ppm` must be 1 to 999,999");
    boolean isTarget = 0 < form.targetUs() && form.targetUs() <= LARGEST_US;
    require(isTarget, "`target_us` must be 1 to 2^31 - 1");
    boolean isWindow =
        0 < form.epochRequests()
            && form.epochRequests() <= form.windowRequests()
            && form.windowRequests() <= MOST_WINDOW;
    require(isWindow, "`window_requests` must be `epoch_requests` to 1,000,000");
    boolean isLimited =
        0 <= form.leastPpm()
            && form.leastPpm() <= form.firstPpm()
            && form.firstPpm() <= form.mostPpm()
            && form.mostPpm() <= (isBound(form) ? 2 : 1) * PPM;
    require(
        isLimited,
        "`least_ppm` <= `first_ppm` <= `most_ppm` must be 0 to 1,000,000 (a bound: 2,000,000)");
    boolean isFraction = FEWEST_BITS <= form.fractionBits() && form.fractionBits() <= MOST_BITS;
    require(isFraction, "`fraction_bits` must be 21 to 40");
    checkGains(form);
  }

  private static void checkGains(dev.tailc.policy.Controller form) {
    boolean isFromZero = form.gainsLength() > 0 && form.gains(0).firstRateMrps() == 0;
    require(isFromZero, "`first_rate_mrps` of the first gains must be 0");
    for (int i = 0; i < form.gainsLength(); ++i) {
      dev.tailc.policy.GainRow row = form.gains(i);
      boolean ascends = i == 0 || form.gains(i - 1).firstRateMrps() < row.firstRateMrps();
      require(ascends, "`first_rate_mrps` must increase from gains to gains");
      boolean isSmall = isGain(row.kp()) && isGain(row.ki()) && isGain(row.kd());
      require(isSmall, "`kp`, `ki` and `kd` must be -2^29 to 2^29");
    }
  }

  private static boolean isGain(long gain) {
    return -LARGEST_GAIN <= gain && gain <= LARGEST_GAIN;
  }
}
