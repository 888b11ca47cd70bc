package dev.tailc.runtime;

import static dev.tailc.runtime.PolicyException.require;

import dev.tailc.policy.AdmissionKind;
import dev.tailc.policy.Boost;
import dev.tailc.policy.Climb;
import dev.tailc.policy.CostUnit;
import dev.tailc.policy.Guard;
import dev.tailc.policy.Ladder;
import dev.tailc.policy.Outside;
import dev.tailc.policy.Power;
import dev.tailc.policy.Row;
import dev.tailc.policy.Rung;

/** A ladder that contradicts itself is refused. Ages, delays and loads of rows have no sign. */
final class LadderMeaning {
  private static final long LARGEST_SCALED_AGE_US = 1L << 43;

  private LadderMeaning() {}

  static void check(Ladder form) {
    boolean isAxis =
        form.loadAxis() == dev.tailc.policy.LoadAxis.IN_SYSTEM
            || form.loadAxis() == dev.tailc.policy.LoadAxis.RATE;
    require(isAxis, "the load axis is not known here");
    checkGuard(form.guard());
    checkRules(form);
    require(form.quantumUs() > 0, "the quantum must be positive");
    require(form.rungsLength() > 0 && form.rowsLength() > 0, "a ladder needs a rung and a row");
    checkRows(form);
    checkRungs(form);
    checkBoost(form);
    Overload.check(form);
    Sharing.check(form);
    checkCores(form);
  }

  /** Refuses ages that a controller cannot scale. */
  static void checkScaled(Ladder form) {
    for (int i = 0; i < form.climbsLength(); ++i) {
      boolean isScaled =
          Long.compareUnsigned(form.climbs(i).ageUs(), LARGEST_SCALED_AGE_US) <= 0;
      require(isScaled, "a controller scales no age beyond 2^43 us");
    }
  }

  static boolean has(Ladder form, Rule rule) {
    for (int i = 0; i < form.rulesLength(); ++i) {
      if (Rule.of(form.rules(i)) == rule) {
        return true;
      }
    }
    return false;
  }

  /** The cost unit of a rung's core: the only one with a capacity in which it costs, one core. */
  static int coreUnitOf(Ladder form, Rung rung) {
    int found = -1;
    for (int n = 0; n < form.costUnitsLength(); ++n) {
      long cost = rung.costPpm(n);
      if (form.costUnits(n).hasCapacityPpm() && cost != 0) {
        require(found < 0 && cost == Controller.PPM, "a rung is not one core of one kind");
        found = n;
      }
    }
    require(found >= 0, "a rung is not one core of one kind");
    return found;
  }

  private static void checkGuard(Guard guard) {
    boolean isGuard =
        guard.outside() == Outside.CLAMP || guard.outside() == Outside.FIRST_RUNG;
    require(isGuard, "the guard is not known here");
    boolean ascends = 0 <= guard.minLoad() && guard.minLoad() <= guard.maxLoad();
    require(ascends, "a guard's range must ascend");
  }

  private static void checkRules(Ladder form) {
    for (int i = 1; i < form.rulesLength(); ++i) {
      String before = Rule.of(form.rules(i - 1)).word();
      boolean ascends = before.compareTo(Rule.of(form.rules(i)).word()) < 0;
      require(ascends, "rules must be sorted and stand once");
    }
    require(
        !has(form, Rule.AGE_FROM_ARRIVAL) || !has(form, Rule.BUSY_PERIOD_AGE),
        "ages count from arrival, or over the busy period of a core");
  }

  private static void checkRows(Ladder form) {
    for (int i = 0; i < form.rowsLength(); ++i) {
      Row row = form.rows(i);
      boolean ascends =
          i == 0 || Long.compareUnsigned(form.rows(i - 1).firstLoad(), row.firstLoad()) < 0;
      require(ascends, "rows must ascend");
      checkAdmission(row);
      checkClimbs(form, (int) row.firstClimb(), (int) row.climbCount());
    }
  }

  private static void checkAdmission(Row row) {
    boolean delays = row.admission() == AdmissionKind.DELAY;
    boolean isKnown =
        delays
            || row.admission() == AdmissionKind.AT_ONCE
            || row.admission() == AdmissionKind.ON_EXIT;
    require(isKnown, "an admission is not known here");
    require(delays == (row.delayUs() != 0), "only a delay has a length");
  }

  private static void checkClimbs(Ladder form, int first, int count) {
    require(
        count > 0 && form.climbs(first).ageUs() == 0, "a row's first rung must begin at age 0");
    for (int i = first + 1; i < first + count; ++i) {
      Climb before = form.climbs(i - 1);
      Climb climb = form.climbs(i);
      boolean ascends = Long.compareUnsigned(before.ageUs(), climb.ageUs()) < 0;
      require(ascends, "a row's ages must ascend");
      require(before.rung() < climb.rung(), "a row's rungs must ascend");
    }
    boolean isRung = form.climbs(first + count - 1).rung() < form.rungsLength();
    require(isRung, "a row climbs to no rung");
  }

  private static void checkRungs(Ladder form) {
    for (int i = 0; i < form.rungsLength(); ++i) {
      Rung rung = form.rungs(i);
      boolean isPriced = rung.costPpmLength() == form.costUnitsLength();
      require(isPriced, "every rung must state a cost in every cost unit");
      boolean isMove = !rung.hasMoveUs() || rung.moveUs() > 0;
      require(isMove, "only a move that takes time states it");
    }
  }

  private static void checkBoost(Ladder form) {
    Boost boost = form.boost();
    boolean boosts = has(form, Rule.BOOST_LAST_RUNG);
    require(boosts == (boost != null), "the boost rule and its limit go together");
    if (boost != null) {
      boolean isUnit = 0 <= boost.unit() && boost.unit() < form.costUnitsLength();
      require(isUnit, "the boost names no cost unit");
      require(boost.belowPpm() > 0, "a boost needs a limit");
    }
  }

  private static void checkCores(Ladder form) {
    boolean takesOver = has(form, Rule.BUSY_PERIOD_AGE) || has(form, Rule.WAITED_START_LAST);
    if (!has(form, Rule.CORE_PER_REQUEST)) {
      checkNoCores(form, takesOver);
      return;
    }
    require(form.power() != null, "a ladder of cores needs its power");
    checkPower(form, form.power());
    require(form.boost() == null, "a request with a core of its own needs no boost");
    require(form.sharing() == null, "a request with a core of its own shares none");
    int first = coreUnitOf(form, form.rungs(0));
    for (int i = 0; i < form.rungsLength(); ++i) {
      boolean isAlike = coreUnitOf(form, form.rungs(i)) == first;
      require(isAlike || !takesOver, "rules of taking over a core need cores of one kind");
    }
  }

  private static void checkNoCores(Ladder form, boolean takesOver) {
    require(!has(form, Rule.MAKE_ROOM), "only requests with a core make room");
    require(!takesOver, "only requests with a core take one over");
    require(form.power() == null, "power is told of rungs that are cores");
    for (int i = 0; i < form.rungsLength(); ++i) {
      require(!form.rungs(i).hasMoveUs(), "only a move to another core takes time");
    }
  }

  private static void checkPower(Ladder form, Power power) {
    int units = form.costUnitsLength();
    require(power.idlePpmLength() == units, "power is told by cost unit");
    require(0 <= power.unit() && power.unit() < units, "power names no cost unit");
    boolean isLimited = form.costUnits((int) power.unit()).hasCapacityPpm();
    require(!isLimited, "power is no capacity that requests share");
    for (int n = 0; n < units; ++n) {
      CostUnit unit = form.costUnits(n);
      boolean isWhole = unit.capacityPpm() > 0 && unit.capacityPpm() % Controller.PPM == 0;
      require(!unit.hasCapacityPpm() || isWhole, "cores are counted in whole numbers");
      long idle = power.idlePpm(n);
      require(
          idle == 0 || (idle > 0 && unit.hasCapacityPpm()), "only free cores draw power");
    }
  }
}
