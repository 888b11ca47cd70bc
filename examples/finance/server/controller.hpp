// The policy's controller: once an epoch it sets what share of its age threshold holds.
//
// Whole numbers throughout, as docs/artifact-format.md says, so that it steps as the replay does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

using Whole = std::int64_t;
constexpr Whole kPpm = 1'000'000;
constexpr Whole kLargestError = (Whole{1} << 31) - 1;  // microseconds

struct GainRow {
  Whole first_rate_mrps, kp, ki, kd;
};

struct Controller {
  Whole percentile_ppm = 990'000, target_us = 1, epoch_requests = 0, window_requests = 0;
  Whole first_ppm = kPpm, least_ppm = kPpm, most_ppm = kPpm, fraction_bits = 16;
  std::vector<GainRow> gains;
};

class Control {
 public:
  explicit Control(const Controller& law) : law_(law), output_(fixed(law.first_ppm)) {}

  // The age at which a request climbs under the output of now.
  Whole scaled_us(Whole age_us) const { return age_us * output_ppm() / kPpm; }

  Whole output_ppm() const {
    const Whole half = Whole{1} << (law_.fraction_bits - 1);
    return (output_ * kPpm + half) >> law_.fraction_bits;
  }

  void arrived(double now_us) {
    if (last_step_us_ == 0) last_step_us_ = now_us;
    ++arrivals_;
  }

  void completed(Whole latency_us, double now_us) {
    if (law_.epoch_requests == 0) return;
    window_.push_back(latency_us);
    if (static_cast<Whole>(window_.size()) > law_.window_requests) window_.pop_front();
    if (++completions_ % law_.epoch_requests == 0) end_epoch(now_us);
  }

  void step(Whole measured_us, Whole rate_mrps) {
    const Whole error = std::clamp(law_.target_us - measured_us, -kLargestError, kLargestError);
    if (!has_stepped_) before_ = earlier_ = error;
    has_stepped_ = true;
    const GainRow& g = gains_at(rate_mrps);
    output_ += g.kp * (error - before_) + g.ki * error + g.kd * (error - 2 * before_ + earlier_);
    output_ = std::clamp(output_, fixed(law_.least_ppm), fixed(law_.most_ppm));
    earlier_ = before_;
    before_ = error;
  }

 private:
  Whole fixed(Whole share_ppm) const { return (share_ppm << law_.fraction_bits) / kPpm; }

  void end_epoch(double now_us) {
    const double passed_us = now_us - last_step_us_;
    step(tail_us(), static_cast<Whole>(1e9 * static_cast<double>(arrivals_) / passed_us));
    arrivals_ = 0;
    last_step_us_ = now_us;
  }

  Whole tail_us() const {
    std::vector<Whole> sorted(window_.begin(), window_.end());
    const Whole count = static_cast<Whole>(sorted.size());
    const Whole rank = (law_.percentile_ppm * count + kPpm - 1) / kPpm;
    std::nth_element(sorted.begin(), sorted.begin() + (rank - 1), sorted.end());
    return sorted[static_cast<std::size_t>(rank - 1)];
  }

  const GainRow& gains_at(Whole rate_mrps) const {
    const auto after = [](Whole rate, const GainRow& row) { return rate < row.first_rate_mrps; };
    return *(std::upper_bound(law_.gains.begin(), law_.gains.end(), rate_mrps, after) - 1);
  }

  Controller law_;
  Whole output_, before_ = 0, earlier_ = 0, arrivals_ = 0, completions_ = 0;
  bool has_stepped_ = false;
  double last_step_us_ = 0;
  std::deque<Whole> window_;
};
