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
    require(isLaw, "the law is not known here");
    require(0 <= form.polePpm() && form.polePpm() < Controller.PPM, "a pole lies from 0 to 1");
    checkTimes(form);
    checkEstimate(form);
    boolean isHost = 0 < form.hostPpm() && form.hostPpm() <= Controller.PPM;
    require(isHost, "a host gives no more than itself");
    require(form.shortageSteps() > 0, "a shortage lasts a step at least");
    require(form.tolerancePpm() > 0, "no throughput is exactly on its target");
    long served = checkMachines(form);
    require(served > 0, "a host needs a machine with a target");
    boolean isLeast = 0 <= form.leastPpm() && form.leastPpm() <= form.hostPpm() / served;
    require(isLeast, "the least shares are more than the host");
    if (form.cap() != null) {
      checkCap(form.cap());
    }
  }

  private static void checkCap(dev.tailc.policy.ShareCap cap) {
    long fewest = Math.min(cap.steps(), cap.probeSteps());
    long most = Math.max(cap.steps(), cap.probeSteps());
    boolean isNumber = 0 < fewest && most <= MOST_CAP_STEPS;
    require(isNumber, "a cap is decided on one step at least, and on a million at most");
    boolean isBounded = 0 < cap.headroomPpm() && cap.headroomPpm() <= LARGEST_HEADROOM_PPM;
    require(isBounded, "the headroom of a cap is above 0 and at most ten times the share");
  }

  private static void checkTimes(Shares form) {
    boolean isPositive =
        form.windowUs() > 0
            && form.estimateUs() > 0
            && form.stepUs() > 0
            && form.enforceUs() > 0;
    require(isPositive, "times are positive");
    boolean isWhole = form.stepUs() % form.estimateUs() == 0;
    require(isWhole, "a step is a whole number of estimates");
    boolean isFew = form.stepUs() / form.estimateUs() <= LARGEST_LAG;
    require(isFew, "a step is a million estimates at most");
  }

  private static void checkEstimate(Shares form) {
    boolean isPart = 0 < form.forgettingPpm() && form.forgettingPpm() <= Controller.PPM;
    require(isPart, "forgetting lies between 0 and 1");
    boolean isFirst =
        0 < form.firstCovariance() && form.firstCovariance() <= LARGEST_COVARIANCE;
    require(isFirst, "a first covariance is positive and at most a million");
    require(form.leastBPpm() > 0, "the least b is positive");
  }

  /** How many have a target. */
  private static long checkMachines(Shares form) {
    long served = 0;
    Set<String> names = new HashSet<>();
    for (int i = 0; i < form.machinesLength(); ++i) {
      Machine machine = form.machines(i);
      require(!machine.name().isEmpty(), "a machine needs a name");
      require(names.add(machine.name()), "two machines have one name");
      boolean isTarget = !machine.hasTargetMilli() || machine.targetMilli() > 0;
      require(isTarget, "a target is positive");
      long a = machine.firstAPpm();
      require(-Controller.PPM < a && a < Controller.PPM, "a model with |a| >= 1 is not stable");
      require(machine.firstBMilli() > 0, "more share gives more throughput");
      served += machine.hasTargetMilli() ? 1 : 0;
    }
    return served;
  }
}
