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
    require(machine->name()->size() > 0, "`name` of a machine must not be empty");
    require(names.insert(machine->name()->string_view()).second,
            "two machines have the same `name`");
    const auto target_milli = machine->target_milli();
    require(!target_milli.has_value() || *target_milli > 0, "`target_milli` must be at least 1");
    require(-kPpm < machine->first_a_ppm() && machine->first_a_ppm() < kPpm,
            "`first_a_ppm` must be -999,999 to 999,999");
    require(machine->first_b_milli() > 0, "`first_b_milli` must be at least 1");
    served += target_milli.has_value() ? 1 : 0;
  }
  return served;
}

inline void check_cap(const policy::ShareCap& cap) {
  constexpr std::int64_t kMostSteps = 1'000'000, kLargestHeadroomPpm = 10 * kPpm;
  const auto is_number = [](std::int64_t steps) { return 0 < steps && steps <= kMostSteps; };
  require(is_number(cap.steps()) && is_number(cap.probe_steps()),
          "`steps` and `probe_steps` of `cap` must be 1 to 1,000,000");
  require(0 < cap.headroom_ppm() && cap.headroom_ppm() <= kLargestHeadroomPpm,
          "`headroom_ppm` of `cap` must be 1 to 10,000,000");
}

inline void check_shares(const policy::Shares& form) {
  constexpr std::int64_t kLargestCovariance = 1'000'000, kLargestLag = 1'000'000;
  const bool is_law = form.law() == policy::ShareLaw::POLE_PLACEMENT ||
                      form.law() == policy::ShareLaw::OBSERVER;
  require(is_law, "unknown value of `law`");
  require(0 <= form.pole_ppm() && form.pole_ppm() < kPpm, "`pole_ppm` must be 0 to 999,999");
  require(form.window_us() > 0 && form.estimate_us() > 0 && form.step_us() > 0 &&
              form.enforce_us() > 0,
          "`window_us`, `estimate_us`, `step_us` and `enforce_us` must be at least 1");
  require(form.step_us() % form.estimate_us() == 0,
          "`step_us` must be a multiple of `estimate_us`");
  require(form.step_us() / form.estimate_us() <= kLargestLag,
          "`step_us` must be at most 1,000,000 times `estimate_us`");
  require(0 < form.forgetting_ppm() && form.forgetting_ppm() <= kPpm,
          "`forgetting_ppm` must be 1 to 1,000,000");
  require(0 < form.first_covariance() && form.first_covariance() <= kLargestCovariance,
          "`first_covariance` must be 1 to 1,000,000");
  require(form.least_b_ppm() > 0, "`least_b_ppm` must be at least 1");
  require(0 < form.host_ppm() && form.host_ppm() <= kPpm, "`host_ppm` must be 1 to 1,000,000");
  require(form.shortage_steps() > 0, "`shortage_steps` must be at least 1");
  require(form.tolerance_ppm() > 0, "`tolerance_ppm` must be at least 1");
  const std::int64_t served = check_machines(form);
  require(served > 0, "at least one machine must have `target_milli`");
  require(0 <= form.least_ppm() && form.least_ppm() <= form.host_ppm() / served,
          "`least_ppm` times the machines with `target_milli` must be 0 to `host_ppm`");
  if (form.cap() != nullptr) check_cap(*form.cap());
}

}  // namespace tailc::detail
