package dev.tailc.runtime;

import java.util.Arrays;

/**
 * A machine with a target, and what is remembered of it: its model, by recursive least squares with
 * forgetting in stated double arithmetic.
 */
public final class Served {
  static final class Forgetting {
    private final double factor;
    private final double firstCovariance;
    private final double leastB;

    Forgetting(dev.tailc.policy.Shares form) {
      factor = quotient(form.forgettingPpm(), Controller.PPM);
      firstCovariance = form.firstCovariance();
      leastB = quotient(form.leastBPpm(), Controller.PPM);
    }
  }

  private final String name;
  private final double target;
  private double a;
  private double b;
  private double believedA;
  private double believedB;
  private long shortSteps;
  private double covarianceAa;
  private double covarianceAb;
  private double covarianceBb;
  // Of the last ticks, as many as a step has, in a ring that grows.
  private double[] levels = new double[1];
  private final int lag;
  // Throughput relative to the target, now, and at the last step.
  private double level;
  private double levelAtStep;
  private boolean hasStepped;
  // What the model was off at the last step.
  private double missed;
  // Since the last at which it had no request waiting.
  private long busyTicks;
  private final double firstA;
  private final double firstB;
  private final ShareCap cap;

  Served(
      dev.tailc.policy.Machine form,
      Forgetting forgetting,
      ShareCap.Rule rule,
      int lag,
      long busyTicks) {
    name = form.name();
    target = quotient(form.targetMilli(), 1_000);
    firstA = quotient(form.firstAPpm(), Controller.PPM);
    firstB = quotient(form.firstBMilli(), form.targetMilli());
    begin(forgetting);
    this.lag = lag;
    this.busyTicks = busyTicks;
    cap = new ShareCap(rule, (1.0 - firstA) / firstB);
  }

  /** Begins the estimate with the first model. */
  private void begin(Forgetting forgetting) {
    a = believedA = firstA;
    b = believedB = firstB;
    covarianceAa = covarianceBb = forgetting.firstCovariance;
    covarianceAb = 0.0;
  }

  static double quotient(long dividend, long divisor) {
    return (double) dividend / (double) divisor;
  }

  public String name() {
    return name;
  }

  /** Work per second. */
  public double target() {
    return target;
  }

  /** The estimate of its model, in units of its target. */
  public double a() {
    return a;
  }

  public double b() {
    return b;
  }

  /** The last a that was believed. */
  public double believedA() {
    return believedA;
  }

  public double believedB() {
    return believedB;
  }

  /** Steps in a row with too little, and below the target. */
  public long shortSteps() {
    return shortSteps;
  }

  /** Cap of its share if its throughput does not follow its share, else the whole host. */
  public long capPpm() {
    return cap.ppm();
  }

  boolean isCapped() {
    return cap.isCapped();
  }

  /** Whether the model that is believed needs more than the host for the target. */
  boolean needsMore(double host) {
    return 1.0 - believedA > believedB * host;
  }

  /** Whether throughput says something of the share: work waited for {@code least} ticks, no cap. */
  boolean isSample(boolean isBusy, long least) {
    busyTicks = isBusy ? busyTicks + 1 : 0;
    return cap.isFree() && busyTicks >= least;
  }

  double levelBefore(int slot) {
    return levels[slot];
  }

  void remember(int slot, double now) {
    if (slot == levels.length) {
      levels = Arrays.copyOf(levels, Math.min(2 * slot, lag));
    }
    levels[slot] = level = now;
  }

  /**
   * One more sample, in this order of operations.
   *
   * @param x the level a lag ago
   * @param u the mean share since
   * @param y the level now
   */
  void estimate(Forgetting forgetting, double x, double u, double y) {
    double ha = covarianceAa * x + covarianceAb * u;
    double hb = covarianceAb * x + covarianceBb * u;
    double weight = forgetting.factor + (x * ha + u * hb);
    double ka = ha / weight;
    double kb = hb / weight;
    double error = y - (a * x + b * u);
    a += ka * error;
    b += kb * error;
    covarianceAa -= ka * ha;
    covarianceAb -= ka * hb;
    covarianceBb -= kb * hb;
    // Without this limit a machine whose share never changes would wind them up.
    if (covarianceAa + covarianceBb <= 2.0 * forgetting.firstCovariance * forgetting.factor) {
      covarianceAa /= forgetting.factor;
      covarianceAb /= forgetting.factor;
      covarianceBb /= forgetting.factor;
    }
    if (Math.abs(a) < 1.0 && b > forgetting.leastB) {
      believedA = a;
      believedB = b;
    }
  }

  /** The share of a machine at a step, by the law or its cap. */
  long ask(Shares.Law law, ShareCap.Rule rule, Forgetting forgetting, long hadPpm) {
    boolean ranOut = busyTicks < law.full;
    if (ranOut) {
      // At its target at least: it has no more work to do.
      level = Math.max(level, 1.0);
    }
    boolean isMet = level >= 1.0 && hasStepped && levelAtStep >= 1.0;
    if (rule.hasCaps() && cap.step(level, hadPpm, isMet, shortSteps > 0)) {
      begin(forgetting);
    }
    double share = quotient(hadPpm, Controller.PPM);
    double request = ranOut ? outOfWork(share) : requested(law, share);
    levelAtStep = level;
    hasStepped = true;
    return cap.isFree() ? rule.askedPpm(request) : cap.ppm();
  }

  private double outOfWork(double share) {
    missed = 0.0;
    return Math.min(share, (1.0 - believedA) / believedB);
  }

  /** The share by the control law, before limits are applied. */
  private double requested(Shares.Law law, double share) {
    double now = hasStepped ? level - (believedA * levelAtStep + believedB * share) : 0.0;
    double lasting = common(now, missed);
    missed = now;
    if (law.isObserver) {
      return (((1.0 - law.pole) + (law.pole - believedA) * level) - lasting) / believedB;
    }
    double gain = (1.0 - law.pole) / believedB;
    double errorBefore = hasStepped ? 1.0 - levelAtStep : 0.0;
    return (share + gain * (1.0 - level)) - believedA * gain * errorBefore;
  }

  /** Ends a step; `isLimited`: the share was less than requested, or the whole host. */
  void step(boolean isLimited) {
    if (level < 1.0 && isLimited) {
      ++shortSteps;
    } else if (level >= 1.0 || !cap.isTested()) {
      shortSteps = 0;
    }
  }

  /** The smaller of two errors, 0 where they are of two signs: a disturbance that may last. */
  private static double common(double one, double other) {
    if (one > 0.0 && other > 0.0) {
      return Math.min(one, other);
    }
    return one < 0.0 && other < 0.0 ? Math.max(one, other) : 0.0;
  }
}
