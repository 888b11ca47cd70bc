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
    require(isAxis, "unknown value of `load_axis`");
    checkGuard(form.guard());
    checkRules(form);
    require(form.quantumUs() > 0, "`quantum_us` must be at least 1");
    require(
        form.rungsLength() > 0 && form.rowsLength() > 0, "`rungs` and `rows` must not be empty");
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
      require(isScaled, "`age_us` of a climb must be at most 2^43 with a controller");
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
        require(
            found < 0 && cost == Controller.PPM,
            "`cost_ppm` of a rung must be 1,000,000 for one type of core and 0 for the others");
        found = n;
      }
    }
    require(
        found >= 0,
        "`cost_ppm` of a rung must be 1,000,000 for one type of core and 0 for the others");
    return found;
  }

  private static void checkGuard(Guard guard) {
    boolean isGuard =
        guard.outside() == Outside.CLAMP || guard.outside() == Outside.FIRST_RUNG;
    require(isGuard, "unknown value of `guard.outside`");
    boolean ascends = 0 <= guard.minLoad() && guard.minLoad() <= guard.maxLoad();
    require(ascends, "`guard` must have 0 <= `min_load` <= `max_load`");
  }

  private static void checkRules(Ladder form) {
    for (int i = 1; i < form.rulesLength(); ++i) {
      String before = Rule.of(form.rules(i - 1)).word();
      boolean ascends = before.compareTo(Rule.of(form.rules(i)).word()) < 0;
      require(ascends, "`rules` must be in ascending order without duplicates");
    }
    require(
        !has(form, Rule.AGE_FROM_ARRIVAL) || !has(form, Rule.BUSY_PERIOD_AGE),
        "rules `age-from-arrival` and `busy-period-age` exclude each other");
  }

  private static void checkRows(Ladder form) {
    for (int i = 0; i < form.rowsLength(); ++i) {
      Row row = form.rows(i);
      boolean ascends =
          i == 0 || Long.compareUnsigned(form.rows(i - 1).firstLoad(), row.firstLoad()) < 0;
      require(ascends, "`first_load` must increase from row to row");
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
    require(isKnown, "unknown value of `admission`");
    require(
        delays == (row.delayUs() != 0),
        "`delay_us` must be at least 1 for admission `delay`, and otherwise 0");
  }

  private static void checkClimbs(Ladder form, int first, int count) {
    require(
        count > 0 && form.climbs(first).ageUs() == 0,
        "`age_us` of the first climb of a row must be 0");
    for (int i = first + 1; i < first + count; ++i) {
      Climb before = form.climbs(i - 1);
      Climb climb = form.climbs(i);
      boolean ascends = Long.compareUnsigned(before.ageUs(), climb.ageUs()) < 0;
      require(ascends, "`age_us` must increase from climb to climb");
      require(before.rung() < climb.rung(), "`rung` must increase from climb to climb");
    }
    boolean isRung = form.climbs(first + count - 1).rung() < form.rungsLength();
    require(isRung, "`rung` of a climb must be the number of a rung, counted from 0");
  }

  private static void checkRungs(Ladder form) {
    for (int i = 0; i < form.rungsLength(); ++i) {
      Rung rung = form.rungs(i);
      boolean isPriced = rung.costPpmLength() == form.costUnitsLength();
      require(isPriced, "`cost_ppm` of a rung must have an entry for each cost unit");
      RungSetting.check(rung);
    }
  }

  private static void checkBoost(Ladder form) {
    Boost boost = form.boost();
    boolean boosts = has(form, Rule.BOOST_LAST_RUNG);
    require(
        boosts == (boost != null),
        "`boost` must be present with rule `boost-last-rung`, and otherwise absent");
    if (boost != null) {
      boolean isUnit = 0 <= boost.unit() && boost.unit() < form.costUnitsLength();
      require(isUnit, "`boost.unit` must be the number of a cost unit, counted from 0");
      require(boost.belowPpm() > 0, "`boost.below_ppm` must be at least 1");
    }
  }

  private static void checkCores(Ladder form) {
    boolean takesOver = has(form, Rule.BUSY_PERIOD_AGE) || has(form, Rule.WAITED_START_LAST);
    if (!has(form, Rule.CORE_PER_REQUEST)) {
      checkNoCores(form, takesOver);
      return;
    }
    require(form.power() != null, "`power` must be present with rule `core-per-request`");
    checkPower(form, form.power());
    require(
        form.boost() == null, "rules `boost-last-rung` and `core-per-request` exclude each other");
    require(form.sharing() == null, "`sharing` must be absent with rule `core-per-request`");
    int first = coreUnitOf(form, form.rungs(0));
    for (int i = 0; i < form.rungsLength(); ++i) {
      boolean isAlike = coreUnitOf(form, form.rungs(i)) == first;
      require(
          isAlike || !takesOver,
          "rules `busy-period-age` and `waited-start-last` need rungs on one type of core");
    }
  }

  private static void checkNoCores(Ladder form, boolean takesOver) {
    require(!has(form, Rule.MAKE_ROOM), "rule `make-room` needs rule `core-per-request`");
    require(
        !takesOver, "rules `busy-period-age` and `waited-start-last` need rule `core-per-request`");
    require(form.power() == null, "`power` must be absent without rule `core-per-request`");
    for (int i = 0; i < form.rungsLength(); ++i) {
      require(
          !form.rungs(i).hasMoveUs(), "`move_us` must be absent without rule `core-per-request`");
    }
  }

  private static void checkPower(Ladder form, Power power) {
    int units = form.costUnitsLength();
    require(power.idlePpmLength() == units, "`idle_ppm` must have an entry for each cost unit");
    require(
        0 <= power.unit() && power.unit() < units,
        "`power.unit` must be the number of a cost unit, counted from 0");
    boolean isLimited = form.costUnits((int) power.unit()).hasCapacityPpm();
    require(!isLimited, "`power.unit` must be a cost unit without `capacity_ppm`");
    for (int n = 0; n < units; ++n) {
      CostUnit unit = form.costUnits(n);
      boolean isWhole = unit.capacityPpm() > 0 && unit.capacityPpm() % Controller.PPM == 0;
      require(
          !unit.hasCapacityPpm() || isWhole,
          "`capacity_ppm` must be a multiple of 1,000,000 (whole cores)");
      long idle = power.idlePpm(n);
      require(
          idle == 0 || (idle > 0 && unit.hasCapacityPpm()),
          "`idle_ppm` must be 0 or more, and 0 for a cost unit without `capacity_ppm`");
    }
  }
}
