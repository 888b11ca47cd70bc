// Power and energy of a battery by epoch, within its limits and the energy that servers leave.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "controller.hpp"
#include "error.hpp"
#include "plan_data.hpp"
#include "plan_meaning.hpp"

namespace tailc {

// In an epoch battery_mj go in, below 0 come out; stored_mj at its end.
struct Stored {
  std::int64_t battery_mj, stored_mj;
};

namespace detail {

// By epoch, then by pool.
using Servers = std::vector<std::vector<std::int64_t>>;

inline std::size_t place(std::int64_t number) noexcept { return static_cast<std::size_t>(number); }

// Of what is not negative, and 2^53 where it is that or more.
inline std::int64_t capped_product(std::int64_t one, std::int64_t other) {
  const bool is_within = other == 0 || one <= kLargestWhole / other;
  return is_within ? one * other : kLargestWhole + 1;
}

inline std::int64_t capped_sum(std::int64_t one, std::int64_t other) {
  return one > kLargestWhole - std::min(other, kLargestWhole) ? kLargestWhole + 1 : one + other;
}

// The largest energy that an epoch may use, receive, or charge to or discharge from a battery.
inline std::int64_t largest_mj(const PlanData& data, const Battery& battery) {
  std::int64_t drawn_mj = 0;
  for (const Pool& pool : data.pools) {
    const std::int64_t busy_mj = capped_product(pool.busy_mw, data.epoch_s);
    const std::int64_t moves_mj = capped_product(pool.migration_mj, 2);
    drawn_mj = capped_sum(drawn_mj, capped_product(capped_sum(busy_mj, moves_mj), pool.servers));
  }
  std::int64_t most_mw = std::max(battery.charge_mw, battery.discharge_mw);
  for (const Epoch& epoch : data.epochs) most_mw = std::max(most_mw, epoch.green_mw);
  return std::max(drawn_mj, capped_product(most_mw, data.epoch_s));
}

inline void check_battery(const PlanData& data, const Battery& battery) {
  require(battery.capacity_mj > 0, "`capacity_mj` must be at least 1");
  require(std::min(battery.charge_mw, battery.discharge_mw) > 0,
          "`charge_mw` and `discharge_mw` must be at least 1");
  require(0 < battery.kept_ppm && battery.kept_ppm <= kPpm,
          "`kept_ppm` must be 1 to 1,000,000");
  require(0 <= battery.first_mj && battery.first_mj <= battery.capacity_mj,
          "`first_mj` must be 0 to `capacity_mj`");
  require(largest_mj(data, battery) <= kLargestWhole,
          "the energy of an epoch must be below 2^53 mJ");
}

// Servers of a job by epoch, from its first to its last, then by pool.
inline Servers places_of(const PlanData& data, const PlannedJob& job) {
  const std::int64_t start = job.spans[0].first_epoch;
  std::int64_t end = start;
  for (const Span& span : job.spans) end = std::max(end, span.first_epoch + span.epochs);
  Servers places(place(end - start), std::vector<std::int64_t>(data.pools.size(), 0));
  for (const Span& span : job.spans)
    for (std::int64_t i = 0; i < span.epochs; ++i)
      places[place(span.first_epoch - start + i)][place(span.pool)] = span.servers;
  return places;
}

// Servers by pool whose work moves; for a malleable job that shrinks, the servers that it releases.
inline std::vector<std::int64_t> moves(const std::vector<std::int64_t>& before,
                                       const std::vector<std::int64_t>& now, bool is_malleable) {
  std::vector<std::int64_t> taken, given;
  std::int64_t more = 0;
  for (std::size_t pool = 0; pool < now.size(); ++pool) {
    taken.push_back(std::max(std::int64_t{0}, now[pool] - before[pool]));
    given.push_back(std::max(std::int64_t{0}, before[pool] - now[pool]));
    more += given.back() - taken.back();
  }
  return is_malleable && more > 0 ? given : taken;
}

inline void add(std::vector<std::int64_t>& row, const std::vector<std::int64_t>& more) {
  for (std::size_t i = 0; i < row.size(); ++i) row[i] += more[i];
}

inline std::int64_t drawn_mj(const PlanData& data, const std::vector<std::int64_t>& busy,
                             const std::vector<std::int64_t>& moved) {
  std::int64_t drawn = 0;
  for (std::size_t i = 0; i < data.pools.size(); ++i) {
    const Pool& pool = data.pools[i];
    const std::int64_t asleep = pool.servers - busy[i];
    drawn += (busy[i] * pool.busy_mw + asleep * pool.asleep_mw) * data.epoch_s;
    drawn += moved[i] * pool.migration_mj;
  }
  return drawn;
}

// Green energy minus the energy of servers, by epoch.
inline std::vector<std::int64_t> spare_mj(const PlanData& data) {
  Servers busy(data.epochs.size(), std::vector<std::int64_t>(data.pools.size(), 0));
  Servers moved = busy;
  for (const PlannedJob& job : data.jobs) {
    const Servers places = places_of(data, job);
    const std::size_t first = place(job.spans[0].first_epoch);
    for (std::size_t i = 0; i < places.size(); ++i) {
      add(busy[first + i], places[i]);
      // A job that starts or ends moves nothing; the first epoch has no epoch before it.
      const auto& now = places[i];
      const bool runs = std::any_of(now.begin(), now.end(), [](auto count) { return count > 0; });
      if (i > 0 && runs) add(moved[first + i], moves(places[i - 1], places[i], !data.terms));
    }
  }
  std::vector<std::int64_t> spare;
  for (std::size_t i = 0; i < data.epochs.size(); ++i)
    spare.push_back(data.epochs[i].green_mw * data.epoch_s - drawn_mj(data, busy[i], moved[i]));
  return spare;
}

// Of what goes in, in two parts, since the whole product may leave 64 bits; all of what comes out.
inline std::int64_t kept_mj(const Battery& battery, std::int64_t flow_mj) {
  if (flow_mj <= 0) return flow_mj;
  return flow_mj / kPpm * battery.kept_ppm + flow_mj % kPpm * battery.kept_ppm / kPpm;
}

inline void check_flow(const PlanData& data, const Battery& battery, std::int64_t flow_mj,
                       std::int64_t spare) {
  require(-battery.discharge_mw * data.epoch_s <= flow_mj &&
              flow_mj <= battery.charge_mw * data.epoch_s,
          "`battery_mj` must be at most `charge_mw` or `discharge_mw` times `epoch_s`");
  constexpr std::int64_t kNone = 0;
  require(std::min(spare, kNone) <= flow_mj && flow_mj <= std::max(spare, kNone),
          "`battery_mj` may only charge unused green energy or replace brown energy");
}

// By epoch; none where the plan has no battery. Jobs have no server twice.
inline std::vector<Stored> stored_by_epoch(const PlanData& data) {
  for (const Epoch& epoch : data.epochs)
    require(epoch.battery_mj.has_value() == data.battery.has_value(),
            "`battery_mj` must be present in every epoch with a `battery`, and otherwise in none");
  if (!data.battery) return {};
  const Battery& battery = *data.battery;
  check_battery(data, battery);
  const std::vector<std::int64_t> spare = spare_mj(data);
  std::vector<Stored> states;
  std::int64_t stored_mj = battery.first_mj;
  for (std::size_t i = 0; i < data.epochs.size(); ++i) {
    const std::int64_t flow_mj = *data.epochs[i].battery_mj;
    check_flow(data, battery, flow_mj, spare[i]);
    const std::int64_t kept = kept_mj(battery, flow_mj);
    require(-stored_mj <= kept && kept <= battery.capacity_mj - stored_mj,
            "`battery_mj` must leave the stored energy at 0 to `capacity_mj`");
    stored_mj += kept;
    states.push_back({flow_mj, stored_mj});
  }
  return states;
}

}  // namespace detail
}  // namespace tailc
