// The last latencies of a server, and the step of a controller at each end of an epoch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "controller.hpp"

namespace tailc {

// A step of a controller, with what it was stepped with.
struct ControlStep {
  std::int64_t now_ns, measured_us, rate_mrps, output_ppm;
};

namespace detail {

class LatencyWindow {
 public:
  LatencyWindow(Controller& controller, std::int64_t now_ns)
      : controller_(controller), stepped_ns_(now_ns) {
    latencies_us_.reserve(static_cast<std::size_t>(controller.window_requests()));
    sorted_.reserve(latencies_us_.capacity());
  }

  void count_arrival() noexcept { ++arrived_; }

  // The step of the controller, if this exit ends an epoch.
  std::optional<ControlStep> count_exit(std::int64_t latency_ns, std::int64_t now_ns) {
    const std::int64_t latency_us = (latency_ns + 500) / 1'000;
    const std::int64_t size = controller_.window_requests();
    if (completed_ < size) {
      latencies_us_.push_back(latency_us);
    } else {
      latencies_us_[static_cast<std::size_t>(completed_ % size)] = latency_us;
    }
    ++completed_;
    if (completed_ % controller_.epoch_requests() != 0) return std::nullopt;
    const std::int64_t passed_us = std::max<std::int64_t>((now_ns - stepped_ns_) / 1'000, 1);
    ControlStep step{now_ns, tail_us(), arrived_ * 1'000'000'000 / passed_us, 0};
    step.output_ppm = controller_.step(step.measured_us, step.rate_mrps);
    arrived_ = 0;
    stepped_ns_ = now_ns;
    return step;
  }

 private:
  std::int64_t tail_us() {
    sorted_ = latencies_us_;
    std::sort(sorted_.begin(), sorted_.end());
    const auto count = static_cast<std::int64_t>(sorted_.size());
    const std::int64_t rank = (controller_.percentile_ppm() * count + kPpm - 1) / kPpm;
    return sorted_[static_cast<std::size_t>(rank - 1)];
  }

  Controller& controller_;
  std::vector<std::int64_t> latencies_us_, sorted_;
  std::int64_t completed_ = 0, arrived_ = 0, stepped_ns_;
};

}  // namespace detail
}  // namespace tailc
