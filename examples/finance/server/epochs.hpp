// What the policy's controller is stepped with: the tail of the last latencies, and the rate of
// arrivals.
#pragma once

#include <tailc/tailc.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

struct Step {
  double at_us;
  std::int64_t measured_us, rate_mrps, output_ppm;
};

class Epochs {
 public:
  void arrived(double now_us) {
    if (last_step_us_ == 0) last_step_us_ = now_us;
    ++arrivals_;
  }

  // Steps the controller if this completion ends an epoch.
  void completed(std::int64_t latency_us, double now_us, tailc::Controller& controller) {
    window_.push_back(latency_us);
    const auto most = static_cast<std::size_t>(controller.window_requests());
    while (window_.size() > most) window_.pop_front();
    if (++completions_ % controller.epoch_requests() != 0) return;
    const double passed_us = std::max(now_us - last_step_us_, 1.0);
    const auto rate_mrps = static_cast<std::int64_t>(1e9 * arrivals_ / passed_us);
    const std::int64_t measured_us = tail_us(controller.percentile_ppm());
    steps_.push_back({now_us, measured_us, rate_mrps, controller.step(measured_us, rate_mrps)});
    arrivals_ = 0;
    last_step_us_ = now_us;
  }

  // All that were taken, for people.
  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::int64_t tail_us(std::int64_t percentile_ppm) const {
    std::vector<std::int64_t> sorted(window_.begin(), window_.end());
    const auto count = static_cast<std::int64_t>(sorted.size());
    const std::int64_t rank = (percentile_ppm * count + tailc::kPpm - 1) / tailc::kPpm;
    std::nth_element(sorted.begin(), sorted.begin() + (rank - 1), sorted.end());
    return sorted[static_cast<std::size_t>(rank - 1)];
  }

  double arrivals_ = 0, last_step_us_ = 0;
  std::int64_t completions_ = 0;
  std::deque<std::int64_t> window_;
  std::vector<Step> steps_;
};
