// Rungs that are cores: who holds which, and the rung on which a request may run. Haque et al., MICRO
// 2017, algorithm 1, for any number of types of core; docs/artifact-format.md defines the rules.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ladder.hpp"

namespace tailc {
namespace detail {

constexpr int kNowhere = -1;

template <class Values>
auto& at(Values& values, int index) {
  return values[static_cast<std::size_t>(index)];
}

// `wants` are the rungs that running requests want, and `rungs` those on which they are, the oldest
// first.
class CorePlaces {
 public:
  explicit CorePlaces(const Ladder& ladder) {
    for (const std::uint32_t unit : ladder.core_unit()) unit_of_.push_back(static_cast<int>(unit));
    counts_ = ladder.core_count();
    free_.resize(counts_.size());
    spent_ns_.resize(counts_.size());
    lowest_.assign(counts_.size(), kNowhere);
    short_.assign(counts_.size(), 0);
    for (int rung = 0; rung < rungs(); ++rung) {
      const int unit = unit_of(rung);
      if (at(lowest_, unit) == kNowhere) add_type(unit, rung);
      below_.push_back(cores_of([&](int type) { return at(lowest_, type) <= rung; }));
    }
    for (int rung = 0; rung < rungs(); ++rung) {
      above_.push_back(cores_of([&](int type) { return has_rung(type, rung); }));
      beyond_.push_back(cores_of([&](int type) { return at(lowest_, type) > rung; }));
      int next = rung + 1;
      while (next < rungs() && at(lowest_, unit_of(next)) <= rung) ++next;
      next_.push_back(next < rungs() ? next : kNowhere);
    }
  }

  bool is_same(const Ladder& ladder) const {
    return counts_ == ladder.core_count() &&
           std::equal(unit_of_.begin(), unit_of_.end(), ladder.core_unit().begin(),
                      ladder.core_unit().end(), [](int a, std::uint32_t b) { return a == static_cast<int>(b); });
  }

  // The time spent below the last rung on the core that a request takes next; it is 0 from now on if
  // the request has not waited.
  std::int64_t start(int rung, bool has_waited) {
    const int unit = unit_of(rung);
    std::int64_t& spent = at(at(spent_ns_, unit), at(free_, unit).back());
    if (!has_waited) spent = 0;
    return spent;
  }

  // The same for a request that has waited, on the lowest type; 0 if no core is free.
  std::int64_t next_spent_ns() const {
    const int unit = unit_of(0);
    return is_free(0) ? at(at(spent_ns_, unit), at(free_, unit).back()) : 0;
  }

  // Takes the core of the rung's type that became free last.
  int take(int rung) {
    std::vector<int>& free = at(free_, unit_of(rung));
    const int core = free.back();
    free.pop_back();
    return core;
  }

  // Returns a core that a request held on the rung for `held_ns`.
  void give_back(int rung, int core, std::int64_t held_ns) {
    const int unit = unit_of(rung);
    at(free_, unit).push_back(core);
    if (rung < rungs() - 1) at(at(spent_ns_, unit), core) += held_ns;
  }

  // The rung on which the first waiting request starts; nowhere: it waits.
  int rung_to_start(int wanted, const std::vector<int>& wants, std::int64_t in_system,
                    bool makes_room) const {
    int driven = kNowhere;
    for (int rung = wanted; makes_room && is_too_many(wants.size(), rung, in_system);) {
      rung = at(next_, rung);
      if (is_free(rung)) driven = rung;
    }
    if (driven != kNowhere) return driven;
    for (int rung = wanted; rung >= 0; --rung) {
      const bool is_lowest_type = unit_of(rung) == unit_of(0);
      if ((is_lowest_type && is_free(rung)) || is_open(rung, wants, wants.size())) return rung;
    }
    return kNowhere;
  }

  // The rung to which the request at a place moves at its tick; nowhere: it stays. `first_wants`: the
  // rung that the first waiting request wants; nowhere if none waits.
  int rung_to_move(std::size_t place, const std::vector<int>& rungs, const std::vector<int>& wants,
                   int first_wants, std::int64_t in_system, bool makes_room) {
    const int own = rungs[place];
    for (int rung = wants[place]; rung > own; --rung)
      if (unit_of(rung) == unit_of(own) || is_open(rung, wants, place)) return rung;
    const int up = at(next_, own);
    if (!makes_room || up == kNowhere) return kNowhere;
    if (is_too_many(place, own, in_system) && is_free(up)) return up;
    const bool moves = is_open(up, wants, place) && is_asked(place, rungs, wants, first_wants);
    return moves ? up : kNowhere;
  }

 private:
  int rungs() const { return static_cast<int>(unit_of_.size()); }
  int unit_of(int rung) const { return at(unit_of_, rung); }
  bool is_free(int rung) const { return !at(free_, unit_of(rung)).empty(); }

  void add_type(int unit, int rung) {
    at(lowest_, unit) = rung;
    types_.push_back(unit);
    const auto count = static_cast<std::size_t>(at(counts_, unit));
    at(spent_ns_, unit).assign(count, 0);
    for (std::size_t core = count; core > 0; --core)
      at(free_, unit).push_back(static_cast<int>(core) - 1);
  }

  bool has_rung(int unit, int least) const {
    return std::find(unit_of_.begin() + least, unit_of_.end(), unit) != unit_of_.end();
  }

  template <class Holds>
  std::int64_t cores_of(Holds holds) const {
    std::int64_t cores = 0;
    for (const int type : types_) cores += holds(type) ? at(counts_, type) : 0;
    return cores;
  }

  // Whether the rung has a free core, and a turn for the request after the `older` ones.
  bool is_open(int rung, const std::vector<int>& wants, std::size_t older) const {
    const auto end = wants.begin() + static_cast<std::ptrdiff_t>(older);
    const auto wanting = std::count_if(wants.begin(), end, [&](int want) { return want >= rung; });
    return is_free(rung) && wanting < at(above_, rung);
  }

  bool is_too_many(std::size_t older, int rung, std::int64_t in_system) const {
    const std::int64_t excess = std::min(in_system - at(below_, rung), at(beyond_, rung));
    return static_cast<std::int64_t>(older) < excess;
  }

  // Whether the request is the oldest on a type that is short.
  bool is_asked(std::size_t place, const std::vector<int>& rungs, const std::vector<int>& wants,
                int first_wants) {
    for (const int unit : types_) {
      bool is_wanted = first_wants != kNowhere && unit_of(first_wants) == unit;
      for (std::size_t i = 0; i < rungs.size(); ++i)
        is_wanted = is_wanted || claims(unit, rungs[i], wants[i]);
      for (const int other : types_) {
        if (other == unit) break;
        is_wanted = is_wanted || passes_on(unit, other, rungs);
      }
      at(short_, unit) = is_wanted && !is_free(at(lowest_, unit));
    }
    const int own = unit_of(rungs[place]);
    return at(short_, own) && oldest_on(own, rungs) == static_cast<int>(place);
  }

  // Whether a running request wants a type that begins above its own.
  bool claims(int unit, int rung, int wants) const {
    return rung < wants && at(lowest_, unit_of(rung)) < at(lowest_, unit) && unit_of(wants) == unit;
  }

  // Whether the oldest request on a lower type that is short has this as its next type.
  bool passes_on(int unit, int other, const std::vector<int>& rungs) const {
    const int oldest = at(short_, other) ? oldest_on(other, rungs) : kNowhere;
    return oldest != kNowhere && at(next_, at(rungs, oldest)) == at(lowest_, unit);
  }

  int oldest_on(int unit, const std::vector<int>& rungs) const {
    for (std::size_t i = 0; i < rungs.size(); ++i)
      if (unit_of(rungs[i]) == unit) return static_cast<int>(i);
    return kNowhere;
  }

  std::vector<int> unit_of_, types_, lowest_, next_, short_;
  // Cores of the types of a rung and those above, and below, and of types only above.
  std::vector<std::int64_t> counts_, above_, below_, beyond_;
  std::vector<std::vector<int>> free_;  // by type; the last one is taken first
  std::vector<std::vector<std::int64_t>> spent_ns_;  // by type and core, see `start`
};

}  // namespace detail
}  // namespace tailc
