// Requests, decisions, counts and timers of a schedule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "demand_log.hpp"
#include "policy.hpp"
#include "request_queue.hpp"

namespace tailc {

// A policy that a schedule cannot apply.
class ScheduleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

struct Queue;
constexpr std::int64_t kUnset = -1;

}  // namespace detail

// In the system from its arrival to its exit, after which the schedule uses it again.
struct Request {
  std::int64_t number = 0;  // from 1 in order of arrival, refused requests included
  std::int64_t work_ppm = 0;  // millionths of its work to do
  bool has_started = false, is_boosted = false;
  std::uint32_t rung = 0;
  int core = -1;  // its number among those of its rung's type; -1 unless rungs are cores

  // Threads of its rung, 1 if the rung does not determine them, and 0 while it waits.
  int threads() const noexcept;

  // What its rung is; it must have started.
  const RungSetting& setting() const noexcept;

  // Its times, if it exits now and its threads worked for `thread_ns` in all.
  RequestTimes times(std::int64_t now_ns, std::int64_t thread_ns) const noexcept;

 private:
  friend class Schedule;

  // Threads of its rungs times time, until now.
  std::int64_t granted_until(std::int64_t now_ns) const noexcept {
    return granted_ns + (now_ns - granted_since_ns) * threads();
  }

  std::string request_class;
  std::shared_ptr<detail::Queue> queue;
  std::int64_t arrived_ns = 0, started_ns = 0, waited_us = 0, load_at_start = 0;
  std::int64_t tick_ns = detail::kUnset, cut_ns = detail::kUnset;
  // On its core since, and the time below the last rung that its core had when it started.
  std::int64_t since_ns = 0, spent_ns = 0;
  // Threads times time on earlier rungs, since when it has its rung, and by how much ticks were late.
  std::int64_t granted_ns = 0, granted_since_ns = 0, late_ns = 0;
  bool has_given_up = false;
};

enum class DecisionKind : std::uint8_t {
  start,    // the server runs the request on its rung
  climb,    // it moves the request up to its rung
  descend,  // it moves the request down to its rung
  cut_off,  // it ends the request, unfinished
};

inline const char* name_of(DecisionKind kind) noexcept {
  constexpr const char* kNames[] = {"start", "climb", "descend", "cut-off"};
  return kNames[static_cast<std::size_t>(kind)];
}

struct Decision {
  DecisionKind kind;
  Request* request;
  std::uint32_t rung;
  bool is_boosted;
  int core;
};

// Counts since the schedule was made; `late_ns`: by how much ticks were late, in all.
struct ScheduleCounts {
  std::int64_t arrived = 0, refused = 0, degraded = 0, started = 0, waited = 0, climbs = 0;
  std::int64_t descents = 0, boosts = 0, gave_up = 0, cut_off = 0, exits = 0, reloads = 0;
  std::int64_t ticks = 0, late_ns = 0;
};

namespace detail {

// The waiting requests of a ladder, in order of arrival. It keeps the policy of its requests.
struct Queue {
  Queue(std::shared_ptr<Policy> held, const Ladder& of, std::size_t first)
      : policy(std::move(held)), ladder(of), first_lookup(first) {
    rereads = has(Rule::REREAD_ROW);
    never_descends = has(Rule::NEVER_DESCEND);
    makes_room = has(Rule::MAKE_ROOM);
    ages_from_arrival = has(Rule::AGE_FROM_ARRIVAL);
    waited_start_last = has(Rule::WAITED_START_LAST);
    ages_by_core = has(Rule::BUSY_PERIOD_AGE);
    start_unit = ladder.sharing().start_unit();
  }

  bool has(Rule rule) const {
    const auto& rules = ladder.rules();
    return std::find(rules.begin(), rules.end(), rule) != rules.end();
  }

  std::shared_ptr<Policy> policy;
  const Ladder& ladder;
  std::size_t first_lookup;
  RequestQueue waiting;
  bool rereads = false, never_descends = false, makes_room = false;
  bool ages_from_arrival = false, waited_start_last = false, ages_by_core = false;
  std::optional<std::int64_t> start_unit;
};

// At the same time cut-offs come before arrivals, and ends of delays before ticks.
enum class Phase : std::uint8_t { cut, start, tick };

struct Timer {
  std::int64_t due_ns;
  Phase phase;
  std::int64_t number;
  Request* request;

  bool operator>(const Timer& other) const noexcept {
    return std::tie(due_ns, phase, number) > std::tie(other.due_ns, other.phase, other.number);
  }
};

}  // namespace detail

inline int Request::threads() const noexcept {
  if (!has_started) return 0;
  return static_cast<int>(setting().threads.value_or(1));
}

inline RequestTimes Request::times(std::int64_t now_ns, std::int64_t thread_ns) const noexcept {
  const std::int64_t overdue_ns =
      tick_ns == detail::kUnset ? 0 : std::max<std::int64_t>(now_ns - tick_ns, 0);
  return {arrived_ns / 1'000,
          (started_ns - arrived_ns) / 1'000,
          (now_ns - started_ns) / 1'000,
          thread_ns / 1'000,
          granted_until(now_ns) / 1'000,
          (late_ns + overdue_ns) / 1'000};
}

inline const RungSetting& Request::setting() const noexcept { return queue->ladder.settings()[rung]; }

}  // namespace tailc
