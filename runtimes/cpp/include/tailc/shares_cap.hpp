// Caps of machines whose throughput does not follow their share, one step after another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "_generated/policy_generated.h"
#include "controller.hpp"
#include "shares_numbers.hpp"

namespace tailc::detail {

// What one machine may have.
struct Limits {
  std::int64_t least_ppm, host_ppm;

  // A share cut to these, in whole millionths rounded down.
  std::int64_t asked_ppm(double request) const {
    const double ppm = rounded(request * static_cast<double>(kPpm));
    if (ppm >= static_cast<double>(host_ppm)) return host_ppm;
    return ppm > static_cast<double>(least_ppm) ? static_cast<std::int64_t>(ppm) : least_ppm;
  }
};

// When a machine whose throughput does not follow its share gets a cap.
struct CapRule {
  std::int64_t steps, probe_steps, factor_ppm;
  std::int64_t settling;  // steps after which a window still has throughput of the share before
  Limits limits;

  static std::optional<CapRule> of(const policy::Shares& form) {
    const policy::ShareCap* cap = form.cap();
    if (cap == nullptr) return std::nullopt;
    return CapRule{cap->steps(),
                   cap->probe_steps(),
                   kPpm + cap->headroom_ppm(),
                   (form.window_us() - 1) / form.step_us(),
                   {form.least_ppm(), form.host_ppm()}};
  }

  // The share that the first model needs for the level, and the headroom.
  std::int64_t with_headroom_ppm(double need, double level) const {
    return limits.asked_ppm(rounded(quotient(factor_ppm, kPpm) * rounded(level * need)));
  }
};

// A machine at a step, and the share that it had.
struct AtStep {
  double level;
  std::int64_t had_ppm;
  bool is_met;    // at its target at this step and the last
  bool is_short;  // short of share at the last step, and below its target
};

// The cap of one machine, and what is measured to decide on the next.
struct Cap {
  enum class Mode { kFree, kTrial, kCapped, kProbe };

  double need;                // the share that the first model needs for the target
  std::int64_t ppm;           // what it asks for; the whole host while it is free
  Mode mode = Mode::kFree;
  std::int64_t count = 0;     // steps that count in this mode, below 0 while none does
  double levels = 0.0;
  std::int64_t shares_ppm = 0;
  // Means over the steps of the mode before.
  double level_before = 0.0, share_before = 0.0;

  // Whether the machine is in a trial, or settles after a test of its share.
  bool is_tested() const noexcept { return mode == Mode::kTrial || count < 0; }

  void begin(Mode next, std::int64_t its_ppm, std::int64_t counted) noexcept {
    mode = next;
    ppm = its_ppm;
    count = counted;
    levels = 0.0;
    shares_ppm = 0;
  }

  // Whether a trial begins.
  bool step(const CapRule& rule, const AtStep& now) {
    const bool is_low = now.is_short && now.level < 1.0;
    const bool has_too_much = is_low && now.had_ppm > rule.with_headroom_ppm(need, now.level);
    if (now.is_met) {
      begin(Mode::kFree, rule.limits.host_ppm, 0);
    } else if (count < 0) {
      ++count;
    } else if (mode == Mode::kFree && !has_too_much) {
      begin(Mode::kFree, rule.limits.host_ppm, 0);
    } else {
      ++count;
      levels += now.level;
      shares_ppm += now.had_ppm;
      return count >= (mode == Mode::kCapped ? rule.probe_steps : rule.steps) && decide(rule);
    }
    return false;
  }

 private:
  // Whether throughput changes by more than half of what is proportional to the share.
  static bool follows(double low_level, double low_share, double high_level, double high_share) {
    return rounded(low_level * high_share) <
           rounded(high_level * rounded(0.5 * (low_share + high_share)));
  }

  // Begins the mode after one that is over; whether that is a trial.
  bool decide(const CapRule& rule) {
    const std::int64_t target_ppm = rule.limits.asked_ppm(need);
    const double level = levels / static_cast<double>(count);
    const double share = quotient(shares_ppm, count * kPpm);
    const bool is_following = mode == Mode::kProbe
                                  ? follows(level_before, share_before, level, share)
                                  : follows(level, share, level_before, share_before);
    level_before = level;
    share_before = share;
    if (mode == Mode::kFree) {
      const std::int64_t trial_ppm = shares_ppm * kPpm / (count * rule.factor_ppm);
      begin(Mode::kTrial, std::max(trial_ppm, rule.limits.least_ppm), -rule.settling);
      return true;
    }
    if (mode == Mode::kCapped) {
      const std::int64_t probe_ppm =
          std::max(ppm * rule.factor_ppm / kPpm, target_ppm * kPpm / rule.factor_ppm);
      begin(Mode::kProbe, std::min(probe_ppm, rule.limits.host_ppm), -rule.settling);
    } else if (is_following) {
      begin(Mode::kFree, rule.limits.host_ppm, -rule.probe_steps);
    } else {
      const std::int64_t cap_ppm = std::min(rule.with_headroom_ppm(need, level), target_ppm);
      begin(Mode::kCapped, cap_ppm, -rule.settling);
    }
    return false;
  }
};

}  // namespace tailc::detail
