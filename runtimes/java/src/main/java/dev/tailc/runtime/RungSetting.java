package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import dev.tailc.policy.Rung;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a rung is: its speed, its costs by cost unit, and what a server sets for a request on it. The
 * rung does not determine a setting that is empty.
 */
public final class RungSetting {
  public final String name;
  public final long speedPpm;
  public final List<Long> costPpm;
  public final OptionalLong moveUs;
  public final OptionalLong threads;
  public final OptionalLong frequencyKhz;
  public final Optional<String> coreType;
  public final Optional<Lane> lane;

  /** Speed of one thread with the other settings; empty: unknown. */
  public final OptionalLong oneThreadPpm;

  RungSetting(Rung rung) {
    name = rung.name();
    speedPpm = rung.speedPpm();
    List<Long> costs = new ArrayList<>();
    for (int i = 0; i < rung.costPpmLength(); ++i) {
      costs.add(rung.costPpm(i));
    }
    costPpm = Collections.unmodifiableList(costs);
    moveUs = optional(rung.hasMoveUs(), rung.moveUs());
    threads = optional(rung.hasThreads(), rung.threads());
    frequencyKhz = optional(rung.hasFrequencyKhz(), rung.frequencyKhz());
    coreType = Optional.ofNullable(rung.coreType());
    lane = rung.hasLane() ? Optional.of(Lane.of(rung.lane())) : Optional.empty();
    oneThreadPpm = optional(rung.hasOneThreadPpm(), rung.oneThreadPpm());
  }

  static void check(Rung rung) {
    require(rung.speedPpm() > 0, "`speed_ppm` of a rung must be at least 1");
    for (int i = 0; i < rung.costPpmLength(); ++i) {
      require(rung.costPpm(i) >= 0, "`cost_ppm` of a rung must not be negative");
    }
    requirePositive(rung.hasMoveUs(), rung.moveUs(), "move_us");
    requirePositive(rung.hasThreads(), rung.threads(), "threads");
    requirePositive(rung.hasFrequencyKhz(), rung.frequencyKhz(), "frequency_khz");
    requirePositive(rung.hasOneThreadPpm(), rung.oneThreadPpm(), "one_thread_ppm");
    boolean hasType = rung.coreType() == null || !rung.coreType().isEmpty();
    require(hasType, "`core_type` must be absent or not empty");
    boolean isLane =
        !rung.hasLane()
            || rung.lane() == dev.tailc.policy.Lane.SHARED
            || rung.lane() == dev.tailc.policy.Lane.ALONE;
    require(isLane, "unknown value of `lane`");
  }

  private static void requirePositive(boolean isPresent, long number, String field) {
    require(!isPresent || number > 0, "`" + field + "` must be absent or at least 1");
  }

  private static OptionalLong optional(boolean isPresent, long number) {
    return isPresent ? OptionalLong.of(number) : OptionalLong.empty();
  }
}
