package dev.tailc.runtime;

import dev.tailc.policy.ShareLaw;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * A broker of one host: shares of its processor time by what virtual machines get done. For one
 * thread at a time. Doubles are rounded after each operation, so all runtimes agree to the bit.
 */
public final class Shares {
  // More counts as that.
  private static final double LARGEST_LEVEL = 1000.0;
  private static final long[] UNKNOWN = {};

  /** How a share follows from throughput. */
  static final class Law {
    final boolean isObserver;
    final double pole;
    // Ticks of the first full window.
    final long full;

    Law(dev.tailc.policy.Shares form) {
      isObserver = form.law() == ShareLaw.OBSERVER;
      pole = Served.quotient(form.polePpm(), Controller.PPM);
      long windowUs = form.windowUs();
      full = windowUs / form.estimateUs() + (windowUs % form.estimateUs() > 0 ? 1 : 0);
    }
  }

  private final Law law;
  private final ShareCap.Rule rule;
  private final long windowUs;
  private final long estimateUs;
  private final long stepUs;
  private final long enforceUs;
  private final long leastPpm;
  private final long hostPpm;
  private final long shortageSteps;
  private final Served.Forgetting forgetting;
  // In ticks.
  private final int lag;
  private long ticks;
  private final List<Machine> machines;
  private final List<Served> served;
  // Of each machine of `served`, its number among all.
  private final int[] places;
  private final long[] grantedPpm;
  private final long[] beforePpm;
  private final long[] hadPpm;
  private final long[] askedPpm;

  Shares(dev.tailc.policy.Shares form) {
    SharesMeaning.check(form);
    law = new Law(form);
    rule = new ShareCap.Rule(form);
    windowUs = form.windowUs();
    estimateUs = form.estimateUs();
    stepUs = form.stepUs();
    enforceUs = form.enforceUs();
    leastPpm = form.leastPpm();
    hostPpm = form.hostPpm();
    shortageSteps = form.shortageSteps();
    forgetting = new Served.Forgetting(form);
    lag = (int) (stepUs / estimateUs);
    List<Machine> all = new ArrayList<>();
    List<Served> some = new ArrayList<>();
    for (int i = 0; i < form.machinesLength(); ++i) {
      all.add(new Machine(form.machines(i)));
      if (form.machines(i).hasTargetMilli()) {
        some.add(new Served(form.machines(i), forgetting, rule, lag, Math.max(lag, law.full)));
      }
    }
    machines = Collections.unmodifiableList(all);
    served = Collections.unmodifiableList(some);
    places = new int[some.size()];
    grantedPpm = new long[all.size()];
    beforePpm = new long[all.size()];
    hadPpm = new long[some.size()];
    askedPpm = new long[some.size()];
    shareOutFirst();
  }

  private void shareOutFirst() {
    int next = 0;
    for (int i = 0; i < grantedPpm.length; ++i) {
      if (machines.get(i).targetMilli().isPresent()) {
        places[next++] = i;
      }
    }
    for (int i = 0; i < askedPpm.length; ++i) {
      Served one = served.get(i);
      askedPpm[i] = rule.askedPpm((1.0 - one.a()) / one.b());
    }
    shareOut();
    System.arraycopy(grantedPpm, 0, beforePpm, 0, grantedPpm.length);
  }

  /**
   * New shares, see {@code grantedPpm}; to be called once in {@code estimateUs}.
   *
   * @param throughput of each machine of {@code served} [work/s], its mean over the last {@code
   *     windowUs}, or since the start while that is shorter
   * @throws IllegalArgumentException for one that is negative or no number; nothing is remembered
   */
  public void tick(double... throughput) {
    check(throughput);
    tickWith(throughput, UNKNOWN);
  }

  /**
   * {@code tick} where the host knows how much work waits.
   *
   * @param throughput as there
   * @param waiting of each machine of {@code served} how many requests wait now, any number above 0
   *     where that is not known
   */
  public void tick(double[] throughput, long[] waiting) {
    check(throughput);
    boolean isRight = waiting.length == served.size();
    for (long count : waiting) {
      isRight &= count >= 0;
    }
    if (!isRight) {
      throw new IllegalArgumentException(
          "waiting requests must be numbers, 0 or more, for each machine with a target");
    }
    tickWith(throughput, waiting);
  }

  private void tickWith(double[] throughput, long[] waiting) {
    ++ticks;
    long since = (ticks - 1) % lag + 1;
    int slot = (int) ((ticks - 1) % lag);
    boolean estimates = ticks - lag >= law.full;
    long least = Math.max(lag, law.full);
    for (int i = 0; i < throughput.length; ++i) {
      Served one = served.get(i);
      hadPpm[i] = grantedPpm[places[i]];
      double level = Math.min(throughput[i] / one.target(), LARGEST_LEVEL);
      boolean isSample = one.isSample(waiting.length == 0 || waiting[i] > 0, least);
      if (estimates && isSample) {
        long shares = since * hadPpm[i] + (lag - since) * beforePpm[places[i]];
        double share = Served.quotient(shares, lag * Controller.PPM);
        one.estimate(forgetting, one.levelBefore(slot), share, level);
      }
      one.remember(slot, level);
    }
    if (ticks % lag == 0 && ticks >= law.full) {
      step();
    }
  }

  /** By machine. */
  public long grantedPpm(int machine) {
    return grantedPpm[machine];
  }

  /**
   * Of a machine of {@code served}, whether a lasting shortage means that its target is too high. Under a
   * policy with caps, of one that was capped after a trial; and where one that is short needs more
   * than the whole host, only of such machines.
   */
  public boolean cannotMeet(int number) {
    Served one = served.get(number);
    if (!rule.hasCaps()) {
      return isShort(one);
    }
    boolean hasCause = served.stream().anyMatch(this::isCause);
    return one.isCapped() || (hasCause ? isCause(one) : isShort(one));
  }

  private boolean isShort(Served one) {
    return one.shortSteps() >= shortageSteps;
  }

  private boolean isCause(Served one) {
    return isShort(one) && one.needsMore(Served.quotient(hostPpm, Controller.PPM));
  }

  public List<Machine> machines() {
    return machines;
  }

  /** Those with a target, in the order of {@code machines}. */
  public List<Served> served() {
    return served;
  }

  public long windowUs() {
    return windowUs;
  }

  public long estimateUs() {
    return estimateUs;
  }

  public long stepUs() {
    return stepUs;
  }

  public long enforceUs() {
    return enforceUs;
  }

  public long hostPpm() {
    return hostPpm;
  }

  public long leastPpm() {
    return leastPpm;
  }

  private void check(double[] throughput) {
    boolean isRight = throughput.length == served.size();
    for (double workPerS : throughput) {
      isRight &= workPerS >= 0.0;
    }
    if (!isRight) {
      throw new IllegalArgumentException(
          "throughputs must be numbers, 0 or more, one for each machine with a target");
    }
  }

  /** New shares for all machines; {@code hadPpm} is what those served have had. */
  private void step() {
    for (int i = 0; i < askedPpm.length; ++i) {
      askedPpm[i] = served.get(i).ask(law, rule, forgetting, hadPpm[i]);
    }
    System.arraycopy(grantedPpm, 0, beforePpm, 0, grantedPpm.length);
    shareOut();
    for (int i = 0; i < askedPpm.length; ++i) {
      long given = grantedPpm[places[i]];
      served.get(i).step(given < askedPpm[i] || given == hostPpm);
    }
  }

  private void shareOut() {
    long left = hostPpm;
    for (long ppm : askedPpm) {
      left -= ppm;
    }
    int others = grantedPpm.length - askedPpm.length;
    long[] given = left < 0 ? cut() : askedPpm;
    Arrays.fill(grantedPpm, others > 0 ? Math.max(left, 0) / others : 0);
    for (int i = 0; i < given.length; ++i) {
      grantedPpm[places[i]] = given[i];
    }
  }

  /** The host in proportion to the requested shares, with the minimum for each. */
  private long[] cut() {
    long among = 0;
    long rest = hostPpm;
    for (long ppm : askedPpm) {
      among += ppm;
    }
    boolean[] hasLeast = new boolean[askedPpm.length];
    long[] parts = new long[askedPpm.length];
    for (boolean isCut = true; isCut; ) {
      for (int i = 0; i < parts.length; ++i) {
        parts[i] = hasLeast[i] ? leastPpm : askedPpm[i] * rest / among;
      }
      isCut = false;
      for (int i = 0; i < parts.length; ++i) {
        if (parts[i] < leastPpm) {
          isCut = hasLeast[i] = true;
          among -= askedPpm[i];
          rest -= leastPpm;
        }
      }
    }
    return parts;
  }
}
