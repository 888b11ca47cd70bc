package dev.tailc.runtime;

import java.util.OptionalLong;

/** A machine on the host; without a target it gets what is left. */
public final class Machine {
  private final String name;
  private final OptionalLong targetMilli;

  Machine(dev.tailc.policy.Machine form) {
    name = form.name();
    targetMilli =
        form.hasTargetMilli() ? OptionalLong.of(form.targetMilli()) : OptionalLong.empty();
  }

  public String name() {
    return name;
  }

  /** Thousandths of a unit of work per second. */
  public OptionalLong targetMilli() {
    return targetMilli;
  }
}
