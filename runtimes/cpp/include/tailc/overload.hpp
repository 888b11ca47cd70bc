// What requests lose by rule where a server has more of them than it can serve in time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "_generated/policy_generated.h"
#include "controller.hpp"

namespace tailc {

// Called once at a request's arrival, before the request is counted, and at each of its ticks.
// Without a rule for it in the ladder, no request is refused, degraded or cut off.
class Overload {
 public:
  // `fields`: the fields of the ladder for overload, or null.
  Overload(const policy::Overload* fields, bool counts_waiting) : counts_waiting_(counts_waiting) {
    if (fields == nullptr) return;
    shed_from_ = fields->shed_from().value_or(kNever);
    cut_off_us_ = fields->cut_off_us().value_or(kNever);
    degrade_from_ = fields->degrade_from().value_or(kNever);
    work_ppm_ = fields->work_ppm().value_or(kPpm);
  }

  // Whether a request is refused that arrives when so many others are in the system.
  bool refuses(std::int64_t in_system) const noexcept {
    return shed_from_ != kNever && in_system >= shed_from_;
  }

  // How many millionths of its work are to be done of one that arrives then.
  std::int64_t work_ppm(std::int64_t in_system) const noexcept {
    return in_system >= degrade_from_ ? work_ppm_ : kPpm;
  }

  // When a request that starts leaves at the latest; none: at no time.
  std::optional<std::int64_t> cut_ns(std::int64_t arrived_ns, std::int64_t started_ns) const {
    if (cut_off_us_ == kNever) return std::nullopt;
    const std::int64_t begun_ns = counts_waiting_ ? arrived_ns : started_ns;
    return std::max(begun_ns + cut_off_us_ * 1'000, started_ns);
  }

  // Whether a request that runs leaves now, with what it has.
  bool cuts_off(std::int64_t waited_us, std::int64_t executed_us) const noexcept {
    const auto counted = static_cast<std::uint64_t>(counts_waiting_ ? waited_us : 0);
    const std::uint64_t age_us = static_cast<std::uint64_t>(executed_us) + counted;
    return cut_off_us_ != kNever && age_us >= static_cast<std::uint64_t>(cut_off_us_);
  }

 private:
  // No number in a policy is as large.
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  bool counts_waiting_;
  std::int64_t shed_from_ = kNever, cut_off_us_ = kNever;
  std::int64_t degrade_from_ = kNever, work_ppm_ = kPpm;
};

}  // namespace tailc
