package dev.tailc.runtime;

/**
 * The cap of a machine whose throughput does not follow its share, and what is measured to decide on
 * the next, one step after another.
 */
final class ShareCap {
  enum Mode {
    FREE,
    TRIAL,
    CAPPED,
    PROBE
  }

  /** What one machine may have, and, where the policy has caps, when it gets one. */
  static final class Rule {
    private final long leastPpm;
    private final long hostPpm;
    private final boolean hasCaps;
    private final long steps;
    private final long probeSteps;
    private final long factorPpm;
    // Steps after which a window still has throughput of the share before.
    private final long settling;

    Rule(dev.tailc.policy.Shares form) {
      leastPpm = form.leastPpm();
      hostPpm = form.hostPpm();
      settling = (form.windowUs() - 1) / form.stepUs();
      dev.tailc.policy.ShareCap cap = form.cap();
      hasCaps = cap != null;
      steps = hasCaps ? cap.steps() : 0;
      probeSteps = hasCaps ? cap.probeSteps() : 0;
      factorPpm = Controller.PPM + (hasCaps ? cap.headroomPpm() : 0);
    }

    boolean hasCaps() {
      return hasCaps;
    }

    /** A share cut to the limits, in whole millionths rounded down. */
    long askedPpm(double request) {
      double ppm = request * Controller.PPM;
      if (ppm >= hostPpm) {
        return hostPpm;
      }
      return ppm > leastPpm ? (long) ppm : leastPpm;
    }

    /** The share that the first model needs for the level, and the headroom. */
    private long withHeadroomPpm(double need, double level) {
      double factor = Served.quotient(factorPpm, Controller.PPM);
      return askedPpm(factor * (level * need));
    }
  }

  private final Rule rule;
  // The share that the first model needs for the target.
  private final double need;
  private Mode mode;
  private long ppm;
  // Steps that count in this mode, below 0 while none does.
  private long count;
  private double levels;
  private long sharesPpm;
  // Means over the steps of the mode before.
  private double levelBefore;
  private double shareBefore;

  ShareCap(Rule rule, double need) {
    this.rule = rule;
    this.need = need;
    begin(Mode.FREE, rule.hostPpm, 0);
  }

  private void begin(Mode next, long capPpm, long counted) {
    mode = next;
    ppm = capPpm;
    count = counted;
    levels = 0.0;
    sharesPpm = 0;
  }

  boolean isFree() {
    return mode == Mode.FREE;
  }

  /** Whether a trial has shown that throughput does not follow the share. */
  boolean isCapped() {
    return mode == Mode.CAPPED || mode == Mode.PROBE;
  }

  /** Whether the machine is in a trial, or settles after a test of its share. */
  boolean isTested() {
    return mode == Mode.TRIAL || count < 0;
  }

  /** The cap of the machine; the whole host while its share is determined by the law. */
  long ppm() {
    return ppm;
  }

  /**
   * Takes a step after a share of {@code hadPpm} brought {@code level}; returns whether a trial begins.
   *
   * @param isMet at its target at this step and the last
   * @param isShort short of share at the last step, and below its target
   */
  boolean step(double level, long hadPpm, boolean isMet, boolean isShort) {
    boolean isLow = isShort && level < 1.0;
    boolean hasTooMuch = isLow && hadPpm > rule.withHeadroomPpm(need, level);
    if (isMet) {
      begin(Mode.FREE, rule.hostPpm, 0);
    } else if (count < 0) {
      ++count;
    } else if (mode == Mode.FREE && !hasTooMuch) {
      begin(Mode.FREE, rule.hostPpm, 0);
    } else {
      ++count;
      levels += level;
      sharesPpm += hadPpm;
      return count >= (mode == Mode.CAPPED ? rule.probeSteps : rule.steps) && decide();
    }
    return false;
  }

  /** Begins the mode after one that is over; returns whether it is a trial. */
  private boolean decide() {
    long targetPpm = rule.askedPpm(need);
    double level = levels / count;
    double share = Served.quotient(sharesPpm, count * Controller.PPM);
    boolean follows =
        mode == Mode.PROBE
            ? follows(levelBefore, shareBefore, level, share)
            : follows(level, share, levelBefore, shareBefore);
    levelBefore = level;
    shareBefore = share;
    if (mode == Mode.FREE) {
      long trialPpm = sharesPpm * Controller.PPM / (count * rule.factorPpm);
      begin(Mode.TRIAL, Math.max(trialPpm, rule.leastPpm), -rule.settling);
      return true;
    }
    if (mode == Mode.CAPPED) {
      long raisedPpm = ppm * rule.factorPpm / Controller.PPM;
      long probePpm = Math.max(raisedPpm, targetPpm * Controller.PPM / rule.factorPpm);
      begin(Mode.PROBE, Math.min(probePpm, rule.hostPpm), -rule.settling);
    } else if (follows) {
      begin(Mode.FREE, rule.hostPpm, -rule.probeSteps);
    } else {
      long capPpm = Math.min(rule.withHeadroomPpm(need, level), targetPpm);
      begin(Mode.CAPPED, capPpm, -rule.settling);
    }
    return false;
  }

  /** Whether throughput changes by more than half of what is proportional to the share. */
  private static boolean follows(
      double lowLevel, double lowShare, double highLevel, double highShare) {
    return lowLevel * highShare < highLevel * (0.5 * (lowShare + highShare));
  }
}
