// A ladder that contradicts itself is refused, and one with a rule that is unknown to this version.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "_generated/policy_generated.h"
#include "controller.hpp"
#include "error.hpp"

namespace tailc {

using policy::LoadAxis;
using policy::Rule;

namespace detail {

using Index = flatbuffers::uoffset_t;

// By number; 0 is never written.
constexpr std::array<const char*, 14> kRuleNames = {
    "",
    "reread-row",
    "never-descend",
    "boost-last-rung",
    "age-from-arrival",
    "core-per-request",
    "make-room",
    "waited-start-last",
    "busy-period-age",
    "shed",
    "cut-off",
    "degrade",
    "start-below",
    "give-up",
};

inline bool has_rule(const policy::Ladder& form, Rule rule) {
  const auto& rules = *form.rules();
  return std::any_of(rules.begin(), rules.end(), [&](auto held) {
    return static_cast<Rule>(held) == rule;
  });
}

inline void check_row(const policy::Ladder& form, const policy::Row& row) {
  const bool delays = row.admission() == policy::AdmissionKind::DELAY;
  require(delays || row.admission() == policy::AdmissionKind::AT_ONCE ||
              row.admission() == policy::AdmissionKind::ON_EXIT,
          "unknown value of `admission`");
  require(delays == (row.delay_us() > 0),
          "`delay_us` must be at least 1 for admission `delay`, and otherwise 0");
  const auto& climbs = *form.climbs();
  const Index first = row.first_climb(), end = first + row.climb_count();
  require(first < end && climbs.Get(first)->age_us() == 0,
          "`age_us` of the first climb of a row must be 0");
  for (Index i = first + 1; i < end; ++i) {
    require(climbs.Get(i - 1)->age_us() < climbs.Get(i)->age_us(),
            "`age_us` must increase from climb to climb");
    require(climbs.Get(i - 1)->rung() < climbs.Get(i)->rung(),
            "`rung` must increase from climb to climb");
  }
  require(climbs.Get(end - 1)->rung() < form.rungs()->size(),
          "`rung` of a climb must be the number of a rung, counted from 0");
}

inline void check_boost(const policy::Ladder& form) {
  const policy::Boost* boost = form.boost();
  require(has_rule(form, Rule::BOOST_LAST_RUNG) == (boost != nullptr),
          "`boost` must be present with rule `boost-last-rung`, and otherwise absent");
  if (boost == nullptr) return;
  require(0 <= boost->unit() && boost->unit() < std::int64_t{form.cost_units()->size()},
          "`boost.unit` must be the number of a cost unit, counted from 0");
  require(boost->below_ppm() > 0, "`boost.below_ppm` must be at least 1");
}

inline void check_degraded(const policy::Overload& overload) {
  const auto from = overload.degrade_from(), work_ppm = overload.work_ppm();
  const auto shed_from = overload.shed_from();
  require(from.has_value() == work_ppm.has_value(),
          "`degrade_from` and `work_ppm` must both be present or both be absent");
  if (!from.has_value()) return;
  require(*from >= 0, "`degrade_from` must not be negative");
  require(0 < *work_ppm && *work_ppm < kPpm, "`work_ppm` must be 1 to 999,999");
  require(!shed_from.has_value() || *from < *shed_from,
          "`degrade_from` must be below `shed_from`");
}

inline void check_overload(const policy::Ladder& form) {
  const policy::Overload* overload = form.overload();
  const auto goes_with = [&](Rule rule, bool is_present) {
    require(has_rule(form, rule) == is_present,
            "each rule for overload must have its field in `overload`, and each field its rule");
    return is_present;
  };
  const bool sheds =
      goes_with(Rule::SHED, overload != nullptr && overload->shed_from().has_value());
  const bool cuts =
      goes_with(Rule::CUT_OFF, overload != nullptr && overload->cut_off_us().has_value());
  const bool degrades =
      goes_with(Rule::DEGRADE, overload != nullptr && overload->degrade_from().has_value());
  require((sheds || cuts || degrades) == (overload != nullptr),
          "`overload` must be absent without rule `shed`, `cut-off` or `degrade`");
  if (overload == nullptr) return;
  require(!sheds || *overload->shed_from() > 0, "`shed_from` must be at least 1");
  require(!cuts || *overload->cut_off_us() > 0, "`cut_off_us` must be at least 1");
  check_degraded(*overload);
}

inline void check_starts(const policy::Ladder& form, const policy::Sharing& sharing) {
  require(*sharing.start_below_ppm() > 0, "`start_below_ppm` must be at least 1");
  const std::int64_t unit = *sharing.start_unit();
  require(0 <= unit && unit < std::int64_t{form.cost_units()->size()},
          "`start_unit` must be the number of a cost unit, counted from 0");
  for (const policy::Row* row : *form.rows())
    require(row->admission() == policy::AdmissionKind::AT_ONCE,
            "`admission` of every row must be `at-once` with rule `start-below`");
}

inline void check_sharing(const policy::Ladder& form) {
  const policy::Sharing* sharing = form.sharing();
  const bool starts = sharing != nullptr && sharing->start_below_ppm().has_value();
  const bool gives_up = sharing != nullptr && sharing->give_up_us().has_value();
  require(has_rule(form, Rule::START_BELOW) == starts && has_rule(form, Rule::GIVE_UP) == gives_up,
          "each rule for sharing must have its fields in `sharing`, and each field its rule");
  require((starts || gives_up) == (sharing != nullptr),
          "`sharing` must be absent without rule `start-below` or `give-up`");
  if (sharing == nullptr) return;
  require(!gives_up || *sharing->give_up_us() > 0, "`give_up_us` must be at least 1");
  require(sharing->start_unit().has_value() == starts,
          "`start_unit` and `start_below_ppm` must both be present or both be absent");
  if (starts) check_starts(form, *sharing);
}

// The cost unit of the rung's core: the only one with a capacity in which it costs, one whole core.
inline Index core_unit_of(const policy::Ladder& form, const policy::Rung& rung) {
  const auto& units = *form.cost_units();
  Index found = units.size();
  for (Index n = 0; n < units.size(); ++n) {
    const std::int64_t cost = rung.cost_ppm()->Get(n);
    if (!units.Get(n)->capacity_ppm().has_value() || cost == 0) continue;
    require(found == units.size() && cost == kPpm,
            "`cost_ppm` of a rung must be 1,000,000 for one type of core and 0 for the others");
    found = n;
  }
  require(found < units.size(),
          "`cost_ppm` of a rung must be 1,000,000 for one type of core and 0 for the others");
  return found;
}

inline void check_no_cores(const policy::Ladder& form, bool takes_over) {
  require(!has_rule(form, Rule::MAKE_ROOM), "rule `make-room` needs rule `core-per-request`");
  require(!takes_over,
          "rules `busy-period-age` and `waited-start-last` need rule `core-per-request`");
  require(form.power() == nullptr, "`power` must be absent without rule `core-per-request`");
  for (const policy::Rung* rung : *form.rungs())
    require(!rung->move_us().has_value(),
            "`move_us` must be absent without rule `core-per-request`");
}

inline void check_power(const policy::Ladder& form) {
  require(form.power() != nullptr, "`power` must be present with rule `core-per-request`");
  const auto& units = *form.cost_units();
  const auto& idle_ppm = *form.power()->idle_ppm();
  const std::int64_t unit = form.power()->unit();
  require(idle_ppm.size() == units.size(), "`idle_ppm` must have an entry for each cost unit");
  require(0 <= unit && unit < std::int64_t{units.size()},
          "`power.unit` must be the number of a cost unit, counted from 0");
  require(!units.Get(static_cast<Index>(unit))->capacity_ppm().has_value(),
          "`power.unit` must be a cost unit without `capacity_ppm`");
  for (Index n = 0; n < units.size(); ++n) {
    const auto limit = units.Get(n)->capacity_ppm();
    require(!limit.has_value() || (*limit > 0 && *limit % kPpm == 0),
            "`capacity_ppm` must be a multiple of 1,000,000 (whole cores)");
    require(idle_ppm.Get(n) == 0 || (idle_ppm.Get(n) > 0 && limit.has_value()),
            "`idle_ppm` must be 0 or more, and 0 for a cost unit without `capacity_ppm`");
  }
}

inline void check_cores(const policy::Ladder& form) {
  const bool takes_over =
      has_rule(form, Rule::BUSY_PERIOD_AGE) || has_rule(form, Rule::WAITED_START_LAST);
  if (!has_rule(form, Rule::CORE_PER_REQUEST)) return check_no_cores(form, takes_over);
  check_power(form);
  require(form.boost() == nullptr,
          "rules `boost-last-rung` and `core-per-request` exclude each other");
  require(form.sharing() == nullptr, "`sharing` must be absent with rule `core-per-request`");
  const Index first = core_unit_of(form, *form.rungs()->Get(0));
  for (const policy::Rung* rung : *form.rungs()) {
    const bool is_alike = core_unit_of(form, *rung) == first;
    require(is_alike || !takes_over,
            "rules `busy-period-age` and `waited-start-last` need rungs on one type of core");
  }
}

inline void check_rung(const policy::Rung& rung) {
  require(rung.speed_ppm() > 0, "`speed_ppm` of a rung must be at least 1");
  for (const std::int64_t cost : *rung.cost_ppm())
    require(cost >= 0, "`cost_ppm` of a rung must not be negative");
  require(rung.move_us().value_or(1) > 0, "`move_us` must be absent or at least 1");
  require(rung.threads().value_or(1) > 0, "`threads` must be absent or at least 1");
  require(rung.frequency_khz().value_or(1) > 0, "`frequency_khz` must be absent or at least 1");
  require(rung.one_thread_ppm().value_or(1) > 0, "`one_thread_ppm` must be absent or at least 1");
  require(rung.core_type() == nullptr || rung.core_type()->size() > 0,
          "`core_type` must be absent or not empty");
  const auto lane = rung.lane();
  require(!lane.has_value() || *lane == policy::Lane::SHARED || *lane == policy::Lane::ALONE,
          "unknown value of `lane`");
}

inline void check_rungs(const policy::Ladder& form) {
  for (const policy::Rung* rung : *form.rungs()) {
    require(rung->cost_ppm()->size() == form.cost_units()->size(),
            "`cost_ppm` of a rung must have an entry for each cost unit");
    check_rung(*rung);
  }
}

inline void check_rows(const policy::Ladder& form) {
  const auto& rows = *form.rows();
  for (Index i = 0; i < rows.size(); ++i) {
    require(i == 0 || rows.Get(i - 1)->first_load() < rows.Get(i)->first_load(),
            "`first_load` must increase from row to row");
    check_row(form, *rows.Get(i));
  }
}

inline void check_ladder(const policy::Ladder& form) {
  const bool is_axis =
      form.load_axis() == LoadAxis::IN_SYSTEM || form.load_axis() == LoadAxis::RATE;
  require(is_axis, "unknown value of `load_axis`");
  const policy::Guard& guard = *form.guard();
  const bool is_guard = guard.outside() == policy::Outside::CLAMP ||
                        guard.outside() == policy::Outside::FIRST_RUNG;
  require(is_guard, "unknown value of `guard.outside`");
  const auto& rules = *form.rules();
  for (Index i = 1; i < rules.size(); ++i) {
    const std::string_view before = kRuleNames[static_cast<std::size_t>(rules.Get(i - 1))];
    require(before < kRuleNames[static_cast<std::size_t>(rules.Get(i))],
            "`rules` must be in ascending order without duplicates");
  }
  require(!has_rule(form, Rule::AGE_FROM_ARRIVAL) || !has_rule(form, Rule::BUSY_PERIOD_AGE),
          "rules `age-from-arrival` and `busy-period-age` exclude each other");
  require(form.quantum_us() > 0, "`quantum_us` must be at least 1");
  require(form.rungs()->size() > 0 && form.rows()->size() > 0,
          "`rungs` and `rows` must not be empty");
  require(0 <= guard.min_load() && guard.min_load() <= guard.max_load(),
          "`guard` must have 0 <= `min_load` <= `max_load`");
  check_rows(form);
  check_rungs(form);
  check_boost(form);
  check_overload(form);
  check_sharing(form);
  check_cores(form);
}

// Refuses ages that a controller cannot scale.
inline void check_scaled(const policy::Ladder& form) {
  constexpr std::uint64_t kLargestAgeUs = std::uint64_t{1} << 43;
  for (const policy::Climb* climb : *form.climbs())
    require(climb->age_us() <= kLargestAgeUs,
            "`age_us` of a climb must be at most 2^43 with a controller");
}

}  // namespace detail
}  // namespace tailc
