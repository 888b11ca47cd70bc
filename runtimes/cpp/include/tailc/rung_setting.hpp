// What a rung is: its speed and costs, and what a server sets for a request on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "_generated/policy_generated.h"

namespace tailc {

// Whether a request shares its cores with batch work (SHARED) or has them alone (ALONE).
using policy::Lane;

// A setting without a value is not determined by the rung.
struct RungSetting {
  std::string name;
  std::int64_t speed_ppm = 0;
  std::vector<std::int64_t> cost_ppm;  // by cost unit
  std::optional<std::int64_t> move_us, threads, frequency_khz;
  std::optional<std::string> core_type;
  std::optional<Lane> lane;
  std::optional<std::int64_t> one_thread_ppm;  // speed of one thread with the other settings
};

namespace detail {

inline RungSetting setting_of(const policy::Rung& rung) {
  RungSetting setting;
  setting.name = rung.name()->str();
  setting.speed_ppm = rung.speed_ppm();
  setting.cost_ppm.assign(rung.cost_ppm()->begin(), rung.cost_ppm()->end());
  setting.move_us = rung.move_us();
  setting.threads = rung.threads();
  setting.frequency_khz = rung.frequency_khz();
  if (rung.core_type() != nullptr) setting.core_type = rung.core_type()->str();
  setting.lane = rung.lane();
  setting.one_thread_ppm = rung.one_thread_ppm();
  return setting;
}

}  // namespace detail

}  // namespace tailc
