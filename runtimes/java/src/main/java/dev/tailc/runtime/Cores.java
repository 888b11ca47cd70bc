package dev.tailc.runtime;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Rungs that are cores, under the rule CORE_PER_REQUEST. */
public final class Cores {
  /** By rung the number of the cost unit of its core. */
  public final List<Integer> coreUnit;

  /** By rung how long a climb to it takes [us]. */
  public final List<Long> moveUs;

  /** By cost unit the number of cores; 0 for power. */
  public final List<Long> coreCount;

  Cores(dev.tailc.policy.Ladder form) {
    List<Integer> units = new ArrayList<>();
    List<Long> moves = new ArrayList<>();
    for (int i = 0; i < form.rungsLength(); ++i) {
      units.add(LadderMeaning.coreUnitOf(form, form.rungs(i)));
      // An absent one reads as 0: a climb there takes no time.
      moves.add(form.rungs(i).moveUs());
    }
    List<Long> counts = new ArrayList<>();
    for (int i = 0; i < form.costUnitsLength(); ++i) {
      counts.add(form.costUnits(i).capacityPpm() / Controller.PPM);
    }
    coreUnit = Collections.unmodifiableList(units);
    moveUs = Collections.unmodifiableList(moves);
    coreCount = Collections.unmodifiableList(counts);
  }
}
