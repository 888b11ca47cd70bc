// A plan that contradicts itself is refused, but for servers that jobs have twice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "controller.hpp"
#include "error.hpp"
#include "plan_data.hpp"

namespace tailc::detail {

constexpr std::int64_t kMostServers = std::int64_t{1} << 20;
constexpr std::int64_t kLargestUdollars = std::int64_t{1} << 28;
constexpr std::int64_t kLargestWhole = (std::int64_t{1} << 53) - 1;

// The number of pools, epochs or jobs, to compare with numbers of the artifact.
template <class List>
std::int64_t count_of(const List& list) {
  return static_cast<std::int64_t>(list.size());
}

template <class List>
bool has_names_apart(const List& named) {
  std::set<std::string_view> names;
  return std::all_of(named.begin(), named.end(),
                     [&](const auto& one) { return names.insert(one.name).second; });
}

inline void check_times(const PlanData& data) {
  constexpr std::int64_t kLatestUnixS = 253'402'300'799, kMostEpochs = std::int64_t{1} << 14;
  require(data.epoch_s > 0, "`epoch_s` must be at least 1");
  require(!data.pools.empty() && !data.epochs.empty(), "`pools` and `epochs` must not be empty");
  const std::int64_t epochs = count_of(data.epochs);
  require(epochs <= kMostEpochs, "`epochs` must have at most 2^14 entries");
  require(data.start_unix_s >= 0 && data.start_unix_s <= kLatestUnixS &&
              data.epoch_s <= (kLatestUnixS - data.start_unix_s) / epochs,
          "`start_unix_s` and the end of the last epoch must be in the years 1970 to 9999");
}

inline void check_pools(const PlanData& data) {
  std::int64_t servers = 0;
  for (const Pool& pool : data.pools) {
    require(!pool.name.empty(), "`name` of a pool must not be empty");
    require(0 < pool.servers && pool.servers <= kMostServers,
            "`servers` of a pool must be 1 to 2^20");
    require(0 <= pool.asleep_mw && pool.asleep_mw <= pool.busy_mw && pool.busy_mw > 0,
            "`busy_mw` of a pool must be at least 1, and `asleep_mw` 0 to `busy_mw`");
    require(pool.migration_mj >= 0, "`migration_mj` of a pool must not be negative");
    require(!pool.racks || (*pool.racks > 0 && pool.servers % *pool.racks == 0),
            "`servers` of a pool must be a multiple of `racks`, which must be at least 1");
    require(pool.racks.has_value() == data.pools[0].racks.has_value(),
            "`racks` must be present in every pool or in none");
    servers += pool.servers;
  }
  require(servers <= kMostServers, "`pools` must have at most 2^20 servers in total");
  require(has_names_apart(data.pools), "two pools have the same `name`");
}

inline void check_epochs(const PlanData& data) {
  const bool has_buses = data.epochs[0].first_green_pool.has_value();
  for (const Epoch& epoch : data.epochs) {
    require(epoch.green_mw >= 0 && epoch.brown_mg_per_kwh >= 0,
            "`green_mw` and `brown_mg_per_kwh` must not be negative");
    require(epoch.brown_udollars_per_kwh >= 0 || data.grid_mw,
            "`brown_udollars_per_kwh` is negative only with `grid_mw`");
    require(epoch.first_green_pool.has_value() == has_buses,
            "`first_green_pool` must be present in every epoch or in none");
    const std::int64_t first = epoch.first_green_pool.value_or(0);
    require(0 <= first && first <= count_of(data.pools),
            "`first_green_pool` must be 0 to the number of pools");
  }
}

// Divides, since a product may not fit into 64 bits.
inline void check_grid(const PlanData& data) {
  if (!data.grid_mw) return;
  std::int64_t left = *data.grid_mw;
  for (const Pool& pool : data.pools) {
    require(pool.busy_mw <= left / pool.servers,
            "`grid_mw` must be at least the power of all servers");
    left -= pool.servers * pool.busy_mw;
  }
}

inline std::vector<std::int64_t> amounts_of(const PlanData& data) {
  std::vector<std::int64_t> amounts;
  for (const auto& one : data.prices) amounts.insert(amounts.end(), one.begin(), one.end());
  if (data.terms) {
    const auto& [green, brown, penalty] = *data.terms;
    amounts.insert(amounts.end(), {green, brown, penalty});
  }
  return amounts;
}

inline void check_money(const PlanData& data) {
  require(data.prices.size() == data.pools.size(),
          "`prices` must have an entry for each pool, with a price for each epoch");
  for (const auto& one : data.prices)
    require(one.size() == data.epochs.size(),
            "`prices` must have an entry for each pool, with a price for each epoch");
  require(data.terms.has_value() != data.malleable.has_value(),
          "exactly one of `terms` and `malleable` must be present");
  const std::vector<std::int64_t> amounts = amounts_of(data);
  const auto [least, most] = std::minmax_element(amounts.begin(), amounts.end());
  require(0 <= *least && *most <= kLargestUdollars,
          "amounts of `prices` and `terms` must be 0 to 2^28");
  std::int64_t slots = 0;
  for (const Pool& pool : data.pools) slots += pool.servers * count_of(data.epochs);
  require(slots * *most <= kLargestWhole,
          "servers times epochs times the largest price must be below 2^53");
  if (!data.malleable) return;
  const auto [delay_udollars, slowdown_ppm] = *data.malleable;
  require(0 <= delay_udollars && delay_udollars <= kLargestUdollars,
          "`delay_udollars` must be 0 to 2^28");
  require(slowdown_ppm >= kPpm, "`slowdown_ppm` must be at least 1,000,000");
}

inline void check_spans(const PlanData& data, const PlannedJob& job) {
  std::vector<std::int64_t> ends(data.pools.size(), 0);
  const Span* before = nullptr;
  for (const Span& span : job.spans) {
    require(0 <= span.pool && span.pool < count_of(data.pools) && span.first_epoch >= 0 &&
                span.epochs > 0 && span.servers > 0,
            "a span needs an existing `pool`, `first_epoch` >= 0, `epochs` > 0 and `servers` > 0");
    require(span.epochs <= count_of(data.epochs) &&
                span.first_epoch <= count_of(data.epochs) - span.epochs,
            "a span must end within the plan");
    const auto pool = static_cast<std::size_t>(span.pool);
    require(span.servers <= data.pools[pool].servers,
            "`servers` of a span must be at most those of its pool");
    require(span.first_epoch >= ends[pool], "spans of a job in one pool must not overlap");
    ends[pool] = span.first_epoch + span.epochs;
    require(before == nullptr || before->first_epoch < span.first_epoch ||
                (before->first_epoch == span.first_epoch && before->pool <= span.pool),
            "`spans` must be in order of `first_epoch`, then of `pool`");
    before = &span;
  }
}

inline void check_job(const PlanData& data, const PlannedJob& job) {
  require(!job.name.empty() && !job.spans.empty(), "`name` and `spans` of a job must not be empty");
  check_spans(data, job);
  std::int64_t slots = 0;
  for (const Span& span : job.spans) slots += span.servers * span.epochs;
  require(0 <= job.green_slots && job.green_slots <= slots,
          "`green_slots` must be 0 to the number of server-epochs of the job");
  require(data.terms.has_value() || job.green_slots == 0,
          "`green_slots` of malleable jobs must be 0");
}

inline void check_plan(const PlanData& data) {
  check_times(data);
  require(0 <= data.violations_ppm && data.violations_ppm <= kPpm,
          "`violations_ppm` must be 0 to 1,000,000");
  check_pools(data);
  check_epochs(data);
  check_grid(data);
  require(!data.later_jobs || !data.later_jobs->empty(), "`later_jobs` must not be empty");
  check_money(data);
  require(has_names_apart(data.jobs), "two jobs have the same `name`");
  for (const PlannedJob& job : data.jobs) check_job(data, job);
}

}  // namespace tailc::detail
