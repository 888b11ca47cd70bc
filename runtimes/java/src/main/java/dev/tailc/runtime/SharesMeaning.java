package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import dev.tailc.policy.Machine;
import dev.tailc.policy.ShareLaw;
import dev.tailc.policy.Shares;
import java.util.HashSet;
import java.util.Set;

/** Shares that contradict themselves are refused. */
final class SharesMeaning {
  private static final long LARGEST_COVARIANCE = 1_000_000;
  private static final long LARGEST_LAG = 1_000_000;
  private static final long MOST_CAP_STEPS = 1_000_000;
  private static final long LARGEST_HEADROOM_PPM = 10 * Controller.PPM;

  private SharesMeaning() {}

  static void check(Shares form) {
    boolean isLaw = form.law() == ShareLaw.POLE_PLACEMENT || form.law() == ShareLaw.OBSERVER;
    require(isLaw, "unknown value of `law`");
    require(
        0 <= form.polePpm() && form.polePpm() < Controller.PPM, "`pole_ppm` must be 0 to 999,999");
    checkTimes(form);
    checkEstimate(form);
    boolean isHost = 0 < form.hostPpm() && form.hostPpm() <= Controller.PPM;
    require(isHost, "`host_ppm` must be 1 to 1,000,000");
    require(form.shortageSteps() > 0, "`shortage_steps` must be at least 1");
    require(form.tolerancePpm() > 0, "`tolerance_ppm` must be at least 1");
    long served = checkMachines(form);
    require(served > 0, "at least one machine must have `target_milli`");
    boolean isLeast = 0 <= form.leastPpm() && form.leastPpm() <= form.hostPpm() / served;
    require(isLeast, "`least_ppm` times the machines with `target_milli` must be 0 to `host_ppm`");
    if (form.cap() != null) {
      checkCap(form.cap());
    }
  }

  private static void checkCap(dev.tailc.policy.ShareCap cap) {
    long fewest = Math.min(cap.steps(), cap.probeSteps());
    long most = Math.max(cap.steps(), cap.probeSteps());
    boolean isNumber = 0 < fewest && most <= MOST_CAP_STEPS;
    require(isNumber, "`steps` and `probe_steps` of `cap` must be 1 to 1,000,000");
    boolean isBounded = 0 < cap.headroomPpm() && cap.headroomPpm() <= LARGEST_HEADROOM_PPM;
    require(isBounded, "`headroom_ppm` of `cap` must be 1 to 10,000,000");
  }

  private static void checkTimes(Shares form) {
    boolean isPositive =
        form.windowUs() > 0
            && form.estimateUs() > 0
            && form.stepUs() > 0
            && form.enforceUs() > 0;
    require(
        isPositive, "`window_us`, `estimate_us`, `step_us` and `enforce_us` must be at least 1");
    boolean isWhole = form.stepUs() % form.estimateUs() == 0;
    require(isWhole, "`step_us` must be a multiple of `estimate_us`");
    boolean isFew = form.stepUs() / form.estimateUs() <= LARGEST_LAG;
    require(isFew, "`step_us` must be at most 1,000,000 times `estimate_us`");
  }

  private static void checkEstimate(Shares form) {
    boolean isPart = 0 < form.forgettingPpm() && form.forgettingPpm() <= Controller.PPM;
    require(isPart, "`forgetting_ppm` must be 1 to 1,000,000");
    boolean isFirst =
        0 < form.firstCovariance() && form.firstCovariance() <= LARGEST_COVARIANCE;
    require(isFirst, "`first_covariance` must be 1 to 1,000,000");
    require(form.leastBPpm() > 0, "`least_b_ppm` must be at least 1");
  }

  /** How many have a target. */
  private static long checkMachines(Shares form) {
    long served = 0;
    Set<String> names = new HashSet<>();
    for (int i = 0; i < form.machinesLength(); ++i) {
      Machine machine = form.machines(i);
      require(!machine.name().isEmpty(), "`name` of a machine must not be empty");
      require(names.add(machine.name()), "two machines have the same `name`");
      boolean isTarget = !machine.hasTargetMilli() || machine.targetMilli() > 0;
      require(isTarget, "`target_milli` must be at least 1");
      long a = machine.firstAPpm();
      require(
          -Controller.PPM < a && a < Controller.PPM, "`first_a_ppm` must be -999,999 to 999,999");
      require(machine.firstBMilli() > 0, "`first_b_milli` must be at least 1");
      served += machine.hasTargetMilli() ? 1 : 0;
    }
    return served;
  }
}
