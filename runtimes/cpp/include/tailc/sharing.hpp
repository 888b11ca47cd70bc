// How requests share threads, cores or power by a rule, if the rows by requests in the system do
// not determine it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "_generated/policy_generated.h"

namespace tailc {

// Called whenever the used amount may have decreased, and at each tick of a request. Without a rule
// for it in the ladder, all requests may start and none releases its threads or cores.
class Sharing {
 public:
  // `fields`: the fields of the ladder for sharing, or null.
  Sharing(const policy::Sharing* fields, bool counts_waiting) : counts_waiting_(counts_waiting) {
    if (fields == nullptr) return;
    if (fields->start_unit().has_value()) start_unit_ = *fields->start_unit();
    start_below_ppm_ = fields->start_below_ppm().value_or(kNever);
    give_up_us_ = fields->give_up_us().value_or(kNever);
  }

  // The cost unit that is counted at starts, where they go by what is in use.
  std::optional<std::int64_t> start_unit() const noexcept { return start_unit_; }

  // Whether the request that came first of those that wait may start while all that run take so
  // much of that unit.
  bool starts(std::int64_t in_use_ppm) const noexcept {
    return start_below_ppm_ == kNever || in_use_ppm < start_below_ppm_;
  }

  // Whether a request is on the first rung from now on, and boosted no longer.
  bool gives_up(std::int64_t waited_us, std::int64_t executed_us) const noexcept {
    const auto counted = static_cast<std::uint64_t>(counts_waiting_ ? waited_us : 0);
    const std::uint64_t age_us = static_cast<std::uint64_t>(executed_us) + counted;
    return give_up_us_ != kNever && age_us >= static_cast<std::uint64_t>(give_up_us_);
  }

 private:
  // No number in a policy is as large.
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  bool counts_waiting_;
  std::optional<std::int64_t> start_unit_;
  std::int64_t start_below_ppm_ = kNever, give_up_us_ = kNever;
};

}  // namespace tailc
