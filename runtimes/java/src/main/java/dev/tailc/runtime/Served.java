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

  Served(dev.tailc.policy.Machine form, Forgetting forgetting, int lag) {
    name = form.name();
    target = quotient(form.targetMilli(), 1_000);
    a = believedA = quotient(form.firstAPpm(), Controller.PPM);
    b = believedB = quotient(form.firstBMilli(), form.targetMilli());
    covarianceAa = covarianceBb = forgetting.firstCovariance;
    this.lag = lag;
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

  /** The share that pole placement asks for, whatever can be had. */
  double placed(double pole, double share) {
    double gain = (1.0 - pole) / believedB;
    double errorBefore = hasStepped ? 1.0 - levelAtStep : 0.0;
    return (share + gain * (1.0 - level)) - believedA * gain * errorBefore;
  }

  /** The share that the observer asks for. */
  double observed(double pole, double share) {
    double now = hasStepped ? level - (believedA * levelAtStep + believedB * share) : 0.0;
    double lasting = common(now, missed);
    missed = now;
    return (((1.0 - pole) + (pole - believedA) * level) - lasting) / believedB;
  }

  void step(boolean isLimited) {
    shortSteps = isLimited && level < 1.0 ? shortSteps + 1 : 0;
    levelAtStep = level;
    hasStepped = true;
  }

  /** The smaller of two errors, 0 where they are of two signs: a disturbance that may last. */
  private static double common(double one, double other) {
    if (one > 0.0 && other > 0.0) {
      return Math.min(one, other);
    }
    return one < 0.0 && other < 0.0 ? Math.max(one, other) : 0.0;
  }
}
