// What a schedule has counted, as OpenMetrics text.
#pragma once

#include <chrono>
#include <cstdint>
#include <locale>
#include <sstream>
#include <string>
#include <utility>

#include "schedule.hpp"

namespace tailc::detail {

inline std::string escaped(const std::string& text) {
  std::string made;
  for (const char character : text) {
    if (character == '\\' || character == '"') made += '\\';
    made += character == '\n' ? "\\n" : std::string(1, character);
  }
  return made;
}

inline std::string metric(const std::string& name, const char* kind, const std::string& sample) {
  return "# TYPE tailc_" + name + " " + kind + "\ntailc_" + name + sample + "\n";
}

// With a point whatever the locale of the process, unlike std::to_string.
inline std::string decimal(double value) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::fixed << value;
  return text.str();
}

// Days until the signature of a policy expires, if it does.
inline std::string days_left(const Policy& policy) {
  if (policy.signature_expires_s() == 0) return "";
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  const double left_s = static_cast<double>(policy.signature_expires_s()) - now.count();
  return metric("signature_days_left", "gauge", " " + decimal(left_s / 86'400));
}

inline std::string open_metrics(const Schedule& schedule, std::int64_t reload_age_ns) {
  const ScheduleCounts& counts = schedule.counts();
  const Policy& policy = *schedule.policy();
  const Counters& counters = *policy.counters();
  const std::pair<const char*, std::int64_t> totals[] = {
      {"requests", counts.arrived},
      {"refused", counts.refused},
      {"degraded", counts.degraded},
      {"starts", counts.started},
      {"waits", counts.waited},
      {"climbs", counts.climbs},
      {"descents", counts.descents},
      {"boosts", counts.boosts},
      {"give_ups", counts.gave_up},
      {"cut_offs", counts.cut_off},
      {"exits", counts.exits},
      {"reloads", counts.reloads},
      {"refused_reloads", static_cast<std::int64_t>(counters.refused_reloads.load())},
      {"lookups_outside", static_cast<std::int64_t>(counters.outside.load())},
  };
  std::string text;
  for (const auto& [name, value] : totals)
    text += metric(name, "counter", "_total " + std::to_string(value));
  text += "# TYPE tailc_lookups counter\n";
  for (const auto& [rung, count] : schedule.lookups())
    text += "tailc_lookups_total{rung=\"" + escaped(rung) + "\"} " + std::to_string(count) + "\n";
  const char* refusal = counters.last_refusal.load();
  return text + "# TYPE tailc_tick_lateness_seconds summary\ntailc_tick_lateness_seconds_count " +
         std::to_string(counts.ticks) + "\ntailc_tick_lateness_seconds_sum " +
         decimal(static_cast<double>(counts.late_ns) / 1e9) + "\n" +
         metric("in_system", "gauge", " " + std::to_string(schedule.in_system())) +
         metric("running", "gauge", " " + std::to_string(schedule.running())) +
         metric("reload_age_seconds", "gauge",
                " " + decimal(static_cast<double>(reload_age_ns) / 1e9)) +
         days_left(policy) +
         metric("policy", "info",
                "_info{name=\"" + escaped(policy.name()) + "\",generation=\"" +
                    std::to_string(policy.generation()) + "\",digest=\"" + policy.policy_digest() +
                    "\",last_refusal=\"" + (refusal == nullptr ? "" : refusal) + "\"} 1") +
         "# EOF\n";
}

}  // namespace tailc::detail
