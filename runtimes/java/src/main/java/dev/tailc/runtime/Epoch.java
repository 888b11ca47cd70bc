package dev.tailc.runtime;

import java.util.OptionalLong;

/** What an epoch of a plan is expected to bring. */
public final class Epoch {
  public final long greenMw;
  public final long brownUdollarsPerKwh;
  public final long brownMgPerKwh;

  /** Empty: there is one bus. */
  public final OptionalLong firstGreenPool;

  /** What goes into the battery, below 0 what it gives; empty: there is none. */
  public final OptionalLong batteryMj;

  Epoch(dev.tailc.policy.Epoch form) {
    greenMw = form.greenMw();
    brownUdollarsPerKwh = form.brownUdollarsPerKwh();
    brownMgPerKwh = form.brownMgPerKwh();
    firstGreenPool =
        form.hasFirstGreenPool()
            ? OptionalLong.of(form.firstGreenPool())
            : OptionalLong.empty();
    batteryMj =
        form.hasBatteryMj() ? OptionalLong.of(form.batteryMj()) : OptionalLong.empty();
  }
}
