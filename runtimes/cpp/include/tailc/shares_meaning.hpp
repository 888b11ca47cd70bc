// Shares that contradict themselves are refused.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "_generated/policy_generated.h"
#include "controller.hpp"
#include "error.hpp"

namespace tailc::detail {

inline std::int64_t check_machines(const policy::Shares& form) {
  std::int64_t served = 0;
  std::set<std::string_view> names;
  for (const policy::Machine* machine : *form.machines()) {
    require(machine->name()->size() > 0, "a machine needs a name");
    require(names.insert(machine->name()->string_view()).second, "two machines have one name");
    const auto target_milli = machine->target_milli();
    require(!target_milli.has_value() || *target_milli > 0, "a target is positive");
    require(-kPpm < machine->first_a_ppm() && machine->first_a_ppm() < kPpm,
            "a model with |a| >= 1 is not stable");
    require(machine->first_b_milli() > 0, "more share gives more throughput");
    served += target_milli.has_value() ? 1 : 0;
  }
  return served;
}

inline void check_cap(const policy::ShareCap& cap) {
  constexpr std::int64_t kMostSteps = 1'000'000, kLargestHeadroomPpm = 10 * kPpm;
  const auto is_number = [](std::int64_t steps) { return 0 < steps && steps <= kMostSteps; };
  require(is_number(cap.steps()) && is_number(cap.probe_steps()),
          "a cap is decided on one step at least, and on a million at most");
  require(0 < cap.headroom_ppm() && cap.headroom_ppm() <= kLargestHeadroomPpm,
          "the headroom of a cap is above 0 and at most ten times the share");
}

inline void check_shares(const policy::Shares& form) {
  constexpr std::int64_t kLargestCovariance = 1'000'000, kLargestLag = 1'000'000;
  const bool is_law = form.law() == policy::ShareLaw::POLE_PLACEMENT ||
                      form.law() == policy::ShareLaw::OBSERVER;
  require(is_law, "the law is not known here");
  require(0 <= form.pole_ppm() && form.pole_ppm() < kPpm, "a pole lies from 0 to 1");
  require(form.window_us() > 0 && form.estimate_us() > 0 && form.step_us() > 0 &&
              form.enforce_us() > 0,
          "times are positive");
  require(form.step_us() % form.estimate_us() == 0, "a step is a whole number of estimates");
  require(form.step_us() / form.estimate_us() <= kLargestLag,
          "a step is a million estimates at most");
  require(0 < form.forgetting_ppm() && form.forgetting_ppm() <= kPpm,
          "forgetting lies between 0 and 1");
  require(0 < form.first_covariance() && form.first_covariance() <= kLargestCovariance,
          "a first covariance is positive and at most a million");
  require(form.least_b_ppm() > 0, "the least b is positive");
  require(0 < form.host_ppm() && form.host_ppm() <= kPpm, "a host gives no more than itself");
  require(form.shortage_steps() > 0, "a shortage lasts a step at least");
  require(form.tolerance_ppm() > 0, "no throughput is exactly on its target");
  const std::int64_t served = check_machines(form);
  require(served > 0, "a host needs a machine with a target");
  require(0 <= form.least_ppm() && form.least_ppm() <= form.host_ppm() / served,
          "the least shares are more than the host");
  if (form.cap() != nullptr) check_cap(*form.cap());
}

}  // namespace tailc::detail
