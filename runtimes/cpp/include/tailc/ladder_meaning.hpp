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
          "an admission is not known here");
  require(delays == (row.delay_us() > 0), "only a delay has a length");
  const auto& climbs = *form.climbs();
  const Index first = row.first_climb(), end = first + row.climb_count();
  require(first < end && climbs.Get(first)->age_us() == 0,
          "a row's first rung must begin at age 0");
  for (Index i = first + 1; i < end; ++i) {
    require(climbs.Get(i - 1)->age_us() < climbs.Get(i)->age_us(), "a row's ages must ascend");
    require(climbs.Get(i - 1)->rung() < climbs.Get(i)->rung(), "a row's rungs must ascend");
  }
  require(climbs.Get(end - 1)->rung() < form.rungs()->size(), "a row climbs to no rung");
}

inline void check_boost(const policy::Ladder& form) {
  const policy::Boost* boost = form.boost();
  require(has_rule(form, Rule::BOOST_LAST_RUNG) == (boost != nullptr),
          "the boost rule and its limit go together");
  if (boost == nullptr) return;
  require(0 <= boost->unit() && boost->unit() < std::int64_t{form.cost_units()->size()},
          "the boost names no cost unit");
  require(boost->below_ppm() > 0, "a boost needs a limit");
}

inline void check_degraded(const policy::Overload& told) {
  const auto from = told.degrade_from(), work_ppm = told.work_ppm(), shed_from = told.shed_from();
  require(from.has_value() == work_ppm.has_value(),
          "from where requests are degraded and to what go together");
  if (!from.has_value()) return;
  require(*from >= 0, "a number in the system cannot be negative");
  require(0 < *work_ppm && *work_ppm < kPpm, "a degraded request does a part of its work");
  require(!shed_from.has_value() || *from < *shed_from,
          "a request that is refused cannot be degraded");
}

inline void check_overload(const policy::Ladder& form) {
  const policy::Overload* told = form.overload();
  const auto goes_with = [&](Rule rule, bool is_told) {
    require(has_rule(form, rule) == is_told, "a rule for overload and what it needs go together");
    return is_told;
  };
  const bool sheds = goes_with(Rule::SHED, told != nullptr && told->shed_from().has_value());
  const bool cuts = goes_with(Rule::CUT_OFF, told != nullptr && told->cut_off_us().has_value());
  const bool degrades =
      goes_with(Rule::DEGRADE, told != nullptr && told->degrade_from().has_value());
  require((sheds || cuts || degrades) == (told != nullptr),
          "what is said of overload needs a rule");
  if (told == nullptr) return;
  require(!sheds || *told->shed_from() > 0, "a server that sheds all serves none");
  require(!cuts || *told->cut_off_us() > 0, "a cut-off leaves time to run");
  check_degraded(*told);
}

inline void check_starts(const policy::Ladder& form, const policy::Sharing& told) {
  require(*told.start_below_ppm() > 0, "nobody starts below nothing in use");
  const std::int64_t unit = *told.start_unit();
  require(0 <= unit && unit < std::int64_t{form.cost_units()->size()}, "starts count no cost unit");
  for (const policy::Row* row : *form.rows())
    require(row->admission() == policy::AdmissionKind::AT_ONCE,
            "where starts go by what is in use, no row makes a request wait");
}

inline void check_sharing(const policy::Ladder& form) {
  const policy::Sharing* told = form.sharing();
  const bool starts = told != nullptr && told->start_below_ppm().has_value();
  const bool gives_up = told != nullptr && told->give_up_us().has_value();
  require(has_rule(form, Rule::START_BELOW) == starts && has_rule(form, Rule::GIVE_UP) == gives_up,
          "a rule for sharing and what it needs go together");
  require((starts || gives_up) == (told != nullptr), "what is said of sharing needs a rule");
  if (told == nullptr) return;
  require(!gives_up || *told->give_up_us() > 0, "`give_up_us` must be at least 1");
  require(told->start_unit().has_value() == starts,
          "what is counted at starts and its limit go together");
  if (starts) check_starts(form, *told);
}

// The cost unit of the rung's core: the only one with a capacity in which it costs, one whole core.
inline Index core_unit_of(const policy::Ladder& form, const policy::Rung& rung) {
  const auto& units = *form.cost_units();
  Index found = units.size();
  for (Index n = 0; n < units.size(); ++n) {
    const std::int64_t cost = rung.cost_ppm()->Get(n);
    if (!units.Get(n)->capacity_ppm().has_value() || cost == 0) continue;
    require(found == units.size() && cost == kPpm, "a rung is not one core of one kind");
    found = n;
  }
  require(found < units.size(), "a rung is not one core of one kind");
  return found;
}

inline void check_no_cores(const policy::Ladder& form, bool takes_over) {
  require(!has_rule(form, Rule::MAKE_ROOM), "only requests with a core make room");
  require(!takes_over, "only requests with a core take one over");
  require(form.power() == nullptr, "power is told of rungs that are cores");
  for (const policy::Rung* rung : *form.rungs())
    require(!rung->move_us().has_value(), "only a move to another core takes time");
}

inline void check_power(const policy::Ladder& form) {
  require(form.power() != nullptr, "a ladder of cores needs its power");
  const auto& units = *form.cost_units();
  const auto& idle_ppm = *form.power()->idle_ppm();
  const std::int64_t unit = form.power()->unit();
  require(idle_ppm.size() == units.size(), "power is told by cost unit");
  require(0 <= unit && unit < std::int64_t{units.size()}, "power names no cost unit");
  require(!units.Get(static_cast<Index>(unit))->capacity_ppm().has_value(),
          "power is no capacity that requests share");
  for (Index n = 0; n < units.size(); ++n) {
    const auto limit = units.Get(n)->capacity_ppm();
    require(!limit.has_value() || (*limit > 0 && *limit % kPpm == 0),
            "cores are counted in whole numbers");
    require(idle_ppm.Get(n) == 0 || (idle_ppm.Get(n) > 0 && limit.has_value()),
            "only free cores draw power");
  }
}

inline void check_cores(const policy::Ladder& form) {
  const bool takes_over =
      has_rule(form, Rule::BUSY_PERIOD_AGE) || has_rule(form, Rule::WAITED_START_LAST);
  if (!has_rule(form, Rule::CORE_PER_REQUEST)) return check_no_cores(form, takes_over);
  check_power(form);
  require(form.boost() == nullptr, "a request with a core of its own needs no boost");
  require(form.sharing() == nullptr, "a request with a core of its own shares none");
  const Index first = core_unit_of(form, *form.rungs()->Get(0));
  for (const policy::Rung* rung : *form.rungs()) {
    const bool is_alike = core_unit_of(form, *rung) == first;
    require(is_alike || !takes_over, "rules of taking over a core need cores of one kind");
  }
}

inline void check_rungs(const policy::Ladder& form) {
  for (const policy::Rung* rung : *form.rungs()) {
    require(rung->cost_ppm()->size() == form.cost_units()->size(),
            "every rung must state a cost in every cost unit");
    require(!rung->move_us().has_value() || *rung->move_us() > 0,
            "only a move that takes time states it");
  }
}

inline void check_rows(const policy::Ladder& form) {
  const auto& rows = *form.rows();
  for (Index i = 0; i < rows.size(); ++i) {
    require(i == 0 || rows.Get(i - 1)->first_load() < rows.Get(i)->first_load(),
            "rows must ascend");
    check_row(form, *rows.Get(i));
  }
}

inline void check_ladder(const policy::Ladder& form) {
  const bool is_axis =
      form.load_axis() == LoadAxis::IN_SYSTEM || form.load_axis() == LoadAxis::RATE;
  require(is_axis, "the load axis is not known here");
  const policy::Guard& guard = *form.guard();
  const bool is_guard = guard.outside() == policy::Outside::CLAMP ||
                        guard.outside() == policy::Outside::FIRST_RUNG;
  require(is_guard, "the guard is not known here");
  const auto& rules = *form.rules();
  for (Index i = 1; i < rules.size(); ++i) {
    const std::string_view before = kRuleNames[static_cast<std::size_t>(rules.Get(i - 1))];
    require(before < kRuleNames[static_cast<std::size_t>(rules.Get(i))],
            "rules must be sorted and stand once");
  }
  require(!has_rule(form, Rule::AGE_FROM_ARRIVAL) || !has_rule(form, Rule::BUSY_PERIOD_AGE),
          "ages count from arrival, or over the busy period of a core");
  require(form.quantum_us() > 0, "the quantum must be positive");
  require(form.rungs()->size() > 0 && form.rows()->size() > 0, "a ladder needs a rung and a row");
  require(0 <= guard.min_load() && guard.min_load() <= guard.max_load(),
          "a guard's range must ascend");
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
    require(climb->age_us() <= kLargestAgeUs, "a controller scales no age beyond 2^43 us");
}

}  // namespace detail
}  // namespace tailc
