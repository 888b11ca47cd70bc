// The controller: once an epoch from a measured tail to what scales ages or a bound.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "_generated/policy_generated.h"
#include "error.hpp"

namespace tailc {

using policy::Actuator;

constexpr std::int64_t kPpm = 1'000'000;

// What a server steps once in `epoch_requests` completions, and what it remembers.
//
// The tail is that of the last `window_requests` latencies, at `percentile_ppm`. Steps are for one
// thread at a time; `output_ppm` may be read by any at any time.
class Controller {
 public:
  explicit Controller(const policy::Controller& form);

  // The new `output_ppm`, after an epoch with that tail [us] and that rate of arrivals [thousandths
  // of a request per second]. Throws std::invalid_argument for negative ones, and then remembers
  // what it did.
  std::int64_t step(std::int64_t measured_us, std::int64_t rate_mrps);

  // What ages of climbs, or the bound of a tail table, are scaled by, in millionths.
  std::int64_t output_ppm() const noexcept { return output_ppm_.load(std::memory_order_relaxed); }
  // The same exactly, in units of 2^-`fraction_bits`; for the thread that steps.
  std::int64_t output() const noexcept { return output_; }

  Actuator acts_on() const noexcept { return acts_on_; }
  std::int64_t percentile_ppm() const noexcept { return percentile_ppm_; }
  std::int64_t target_us() const noexcept { return target_us_; }
  std::int64_t epoch_requests() const noexcept { return epoch_requests_; }
  std::int64_t window_requests() const noexcept { return window_requests_; }
  std::int64_t fraction_bits() const noexcept { return fraction_bits_; }

 private:
  struct Gains {
    std::int64_t first_rate_mrps, kp, ki, kd;
  };

  static void check(const policy::Controller& form);
  static void check_gains(const policy::Controller& form);

  std::int64_t fixed_point(std::int64_t share_ppm) const noexcept {
    return (share_ppm << fraction_bits_) / kPpm;
  }

  const Gains& gains_at(std::int64_t rate_mrps) const {
    const auto after = [](std::int64_t rate, const Gains& row) {
      return rate < row.first_rate_mrps;
    };
    return *(std::upper_bound(gains_.begin(), gains_.end(), rate_mrps, after) - 1);
  }

  Actuator acts_on_;
  std::int64_t percentile_ppm_, target_us_, epoch_requests_, window_requests_, fraction_bits_;
  std::int64_t least_ = 0, most_ = 0, output_ = 0;
  std::vector<Gains> gains_;
  bool has_stepped_ = false;
  std::int64_t before_us_ = 0, earlier_us_ = 0;  // errors of the last step and the one before
  std::atomic<std::int64_t> output_ppm_;
};

inline Controller::Controller(const policy::Controller& form)
    : acts_on_(form.acts_on()),
      percentile_ppm_(form.percentile_ppm()),
      target_us_(form.target_us()),
      epoch_requests_(form.epoch_requests()),
      window_requests_(form.window_requests()),
      fraction_bits_(form.fraction_bits()),
      output_ppm_(form.first_ppm()) {
  check(form);
  least_ = fixed_point(form.least_ppm());
  most_ = fixed_point(form.most_ppm());
  output_ = fixed_point(form.first_ppm());
  for (const policy::GainRow* row : *form.gains())
    gains_.push_back({row->first_rate_mrps(), row->kp(), row->ki(), row->kd()});
}

inline std::int64_t Controller::step(std::int64_t measured_us, std::int64_t rate_mrps) {
  if (measured_us < 0 || rate_mrps < 0)
    throw std::invalid_argument("the measured tail and the rate must not be negative");
  constexpr std::int64_t kLargestErrorUs = (std::int64_t{1} << 31) - 1;
  const std::int64_t error_us = std::max(target_us_ - measured_us, -kLargestErrorUs);
  if (!has_stepped_) before_us_ = earlier_us_ = error_us;
  has_stepped_ = true;
  const auto& [first_rate_mrps, kp, ki, kd] = gains_at(rate_mrps);
  const std::int64_t moved = kp * (error_us - before_us_) + ki * error_us +
                             kd * (error_us - 2 * before_us_ + earlier_us_);
  output_ = std::max(std::min(output_ + moved, most_), least_);
  earlier_us_ = before_us_;
  before_us_ = error_us;
  const std::int64_t half = std::int64_t{1} << (fraction_bits_ - 1);
  const std::int64_t output_ppm = (output_ * kPpm + half) >> fraction_bits_;
  output_ppm_.store(output_ppm, std::memory_order_relaxed);
  return output_ppm;
}

inline void Controller::check(const policy::Controller& form) {
  using detail::require;
  constexpr std::int64_t kMostTargetUs = (std::int64_t{1} << 31) - 1, kMostWindow = 1'000'000;
  constexpr std::int64_t kFewestBits = 21, kMostBits = 40;
  const bool is_bound = form.acts_on() == Actuator::LATENCY_BOUND;
  require(is_bound || form.acts_on() == Actuator::CLIMB_AGES, "unknown value of `acts_on`");
  require(0 < form.percentile_ppm() && form.percentile_ppm() < kPpm,
          "`percentile_ppm` must be 1 to 999,999");
  require(0 < form.target_us() && form.target_us() <= kMostTargetUs,
          "`target_us` must be 1 to 2^31 - 1");
  require(0 < form.epoch_requests() && form.epoch_requests() <= form.window_requests() &&
              form.window_requests() <= kMostWindow,
          "`window_requests` must be `epoch_requests` to 1,000,000");
  require(0 <= form.least_ppm() && form.least_ppm() <= form.first_ppm() &&
              form.first_ppm() <= form.most_ppm() && form.most_ppm() <= (is_bound ? 2 : 1) * kPpm,
          "`least_ppm` <= `first_ppm` <= `most_ppm` must be 0 to 1,000,000 (a bound: 2,000,000)");
  require(kFewestBits <= form.fraction_bits() && form.fraction_bits() <= kMostBits,
          "`fraction_bits` must be 21 to 40");
  check_gains(form);
}

inline void Controller::check_gains(const policy::Controller& form) {
  using detail::require;
  constexpr std::int64_t kLargestGain = std::int64_t{1} << 29;
  const auto& rows = *form.gains();
  require(rows.size() > 0 && rows.Get(0)->first_rate_mrps() == 0,
          "`first_rate_mrps` of the first gains must be 0");
  const auto is_small = [](std::int64_t gain) {
    return -kLargestGain <= gain && gain <= kLargestGain;
  };
  for (flatbuffers::uoffset_t i = 0; i < rows.size(); ++i) {
    const policy::GainRow& row = *rows.Get(i);
    require(i == 0 || rows.Get(i - 1)->first_rate_mrps() < row.first_rate_mrps(),
            "`first_rate_mrps` must increase from gains to gains");
    require(is_small(row.kp()) && is_small(row.ki()) && is_small(row.kd()),
            "`kp`, `ki` and `kd` must be -2^29 to 2^29");
  }
}

}  // namespace tailc
