// What jobs and energy of a datacentre do, epoch by epoch, and the free servers left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "_generated/policy_generated.h"
#include "counters.hpp"
#include "error.hpp"
#include "plan_battery.hpp"
#include "plan_data.hpp"
#include "plan_meaning.hpp"
#include "plan_pricing.hpp"

namespace tailc {

enum class Bus { green, brown, mixed };

struct Allocation {
  std::int64_t pool, servers;
};

// Pools and epochs are numbered from 0; times are Unix seconds. `admit`, `take` and `release`
// change only this object; a plan that is opened again contains only its own jobs. One thread at a
// time changes, while none reads. Methods throw std::invalid_argument for numbers that are no job,
// before they change anything.
class Plan {
 public:
  Plan(const policy::Plan& form, std::shared_ptr<Counters> counters);

  // The epoch of a moment; none outside the plan.
  std::optional<std::int64_t> epoch_at(std::int64_t unix_s) const;
  // Which bus a pool hangs on at a moment; none outside the plan.
  std::optional<Bus> source(std::int64_t pool, std::int64_t unix_s) const;
  // Power of the battery in the epoch of a time, and its energy at the end of the epoch; none
  // without a battery, and outside the plan.
  std::optional<Stored> stored(std::int64_t unix_s) const;
  // What a job has at a moment, in order of pool; none: the plan does not say, since it has no such
  // job, or the moment is outside it.
  std::optional<std::vector<Allocation>> allocation(std::string_view job,
                                                    std::int64_t unix_s) const;
  // Servers of each pool that no job has.
  const std::vector<std::int64_t>& free(std::size_t epoch) const { return free_.at(epoch); }

  // What a rigid job of `width` servers for so many epochs would pay, and be worth; `green_ppm` is
  // the share of its server-epochs that shall be green. Ties go to the earlier epoch, then the
  // lower pool. Takes O(pools epochs log epochs).
  Quote quote(std::int64_t first_epoch, std::int64_t epochs, std::int64_t width,
              std::int64_t green_ppm = 0) const;
  // The quote of a job, which has its places from now on if it is admitted.
  Quote admit(const std::string& job, std::int64_t first_epoch, std::int64_t epochs,
              std::int64_t width, std::int64_t green_ppm = 0);
  // Of the widths of a malleable job, each with the epochs that it then takes, the one whose places
  // and epochs cost least; of equal costs the smallest; none has room: none.
  std::optional<std::int64_t> cheapest_width(
      std::int64_t first_epoch, const std::map<std::int64_t, std::int64_t>& epochs_of) const;
  // The cheapest places of a job, which has them from now on; none: there is no room.
  std::optional<std::vector<Span>> take(const std::string& job, std::int64_t first_epoch,
                                        std::int64_t epochs, std::int64_t width);
  // The job is done: its places from an epoch on are free.
  void release(std::string_view job, std::int64_t epoch);

  const std::vector<Pool>& pools() const noexcept { return data_.pools; }
  const std::vector<Epoch>& epochs() const noexcept { return data_.epochs; }
  const std::optional<Terms>& terms() const noexcept { return data_.terms; }
  const std::optional<Malleable>& malleable() const noexcept { return data_.malleable; }
  const std::optional<Battery>& battery() const noexcept { return data_.battery; }
  // Power that is bought at negative prices; none: no price is negative.
  const std::optional<std::int64_t>& grid_mw() const noexcept { return data_.grid_mw; }
  // The rule that decides about other jobs; none: the prices of the plan.
  const std::optional<std::string>& later_jobs() const noexcept { return data_.later_jobs; }

 private:
  static void check_job(std::int64_t first_epoch, std::int64_t epochs, std::int64_t width);
  void check_new(const std::string& job) const;
  void give(const std::string& job, const std::vector<Span>& spans);
  // Adds a span's servers to the free ones, or takes them away.
  void move(const Span& span, std::int64_t sign);

  detail::PlanData data_;
  std::shared_ptr<Counters> counters_;
  std::optional<detail::Pricing> pricing_;
  std::map<std::string, std::vector<Span>, std::less<>> places_;
  detail::Servers free_;
  std::vector<Stored> stored_;
};

inline Plan::Plan(const policy::Plan& form, std::shared_ptr<Counters> counters)
    : data_(detail::plan_data_of(form)), counters_(std::move(counters)) {
  detail::check_plan(data_);
  pricing_.emplace(data_);
  std::vector<std::int64_t> servers;
  for (const Pool& pool : data_.pools) servers.push_back(pool.servers);
  free_.assign(data_.epochs.size(), servers);
  for (const detail::PlannedJob& job : data_.jobs) give(job.name, job.spans);
  for (const auto& row : free_)
    detail::require(*std::min_element(row.begin(), row.end()) >= 0,
                    "the jobs of an epoch use more servers of a pool than it has");
  stored_ = detail::stored_by_epoch(data_);
}

inline std::optional<std::int64_t> Plan::epoch_at(std::int64_t unix_s) const {
  const bool has_begun = unix_s >= data_.start_unix_s;
  const std::int64_t epoch = has_begun ? (unix_s - data_.start_unix_s) / data_.epoch_s : -1;
  if (has_begun && epoch < detail::count_of(data_.epochs)) return epoch;
  counters_->outside.fetch_add(1, std::memory_order_relaxed);
  return std::nullopt;
}

inline std::optional<Bus> Plan::source(std::int64_t pool, std::int64_t unix_s) const {
  const auto epoch = epoch_at(unix_s);
  if (!epoch || pool < 0 || pool >= detail::count_of(data_.pools)) return std::nullopt;
  const auto first = data_.epochs[detail::place(*epoch)].first_green_pool;
  if (!first) return Bus::mixed;
  return pool >= *first ? Bus::green : Bus::brown;
}

inline std::optional<Stored> Plan::stored(std::int64_t unix_s) const {
  const auto epoch = epoch_at(unix_s);
  if (!epoch || stored_.empty()) return std::nullopt;
  return stored_[detail::place(*epoch)];
}

inline std::optional<std::vector<Allocation>> Plan::allocation(std::string_view job,
                                                               std::int64_t unix_s) const {
  const auto epoch = epoch_at(unix_s);
  const auto held = places_.find(job);
  if (!epoch || held == places_.end()) return std::nullopt;
  std::vector<Allocation> found;
  for (const Span& span : held->second) {
    const bool is_held = span.first_epoch <= *epoch && *epoch < span.first_epoch + span.epochs;
    if (is_held) found.push_back({span.pool, span.servers});
  }
  std::sort(found.begin(), found.end(), [](const Allocation& one, const Allocation& other) {
    return one.pool < other.pool;
  });
  return found;
}

inline Quote Plan::quote(std::int64_t first_epoch, std::int64_t epochs, std::int64_t width,
                         std::int64_t green_ppm) const {
  if (!data_.terms)
    throw std::invalid_argument(
        "jobs of this plan are malleable: use the cheapest width, not a quote");
  check_job(first_epoch, epochs, width);
  if (green_ppm < 0 || green_ppm > kPpm)
    throw std::invalid_argument("the share of green energy must be 0 to 1,000,000 (millionths)");
  return pricing_->quote(free_, first_epoch, epochs, width, green_ppm);
}

inline Quote Plan::admit(const std::string& job, std::int64_t first_epoch, std::int64_t epochs,
                         std::int64_t width, std::int64_t green_ppm) {
  check_new(job);
  Quote answer = quote(first_epoch, epochs, width, green_ppm);
  if (answer.is_admitted()) give(job, *answer.places);
  return answer;
}

inline std::optional<std::int64_t> Plan::cheapest_width(
    std::int64_t first_epoch, const std::map<std::int64_t, std::int64_t>& epochs_of) const {
  if (!data_.malleable)
    throw std::invalid_argument("jobs of this plan are rigid: use a quote, not the cheapest width");
  std::optional<std::int64_t> best;
  std::int64_t least_udollars = 0;
  for (const auto& [width, epochs] : epochs_of) {
    check_job(first_epoch, epochs, width);
    const auto within = pricing_->within(free_, first_epoch, epochs, width);
    if (!within) continue;
    const detail::Servers places = pricing_->filled(free_, *within, width);
    const std::int64_t udollars =
        pricing_->worth(*within, places) + epochs * data_.malleable->delay_udollars;
    if (best && udollars >= least_udollars) continue;
    best = width;
    least_udollars = udollars;
  }
  return best;
}

inline std::optional<std::vector<Span>> Plan::take(const std::string& job, std::int64_t first_epoch,
                                                   std::int64_t epochs, std::int64_t width) {
  check_new(job);
  check_job(first_epoch, epochs, width);
  const auto within = pricing_->within(free_, first_epoch, epochs, width);
  if (!within) return std::nullopt;
  std::vector<Span> spans = detail::spans_of(*within, pricing_->filled(free_, *within, width));
  give(job, spans);
  return spans;
}

inline void Plan::release(std::string_view job, std::int64_t epoch) {
  const auto held = places_.find(job);
  if (held == places_.end()) throw std::invalid_argument("the plan has no job of that name");
  std::vector<Span> kept;
  for (Span span : held->second) {
    const std::int64_t end = span.first_epoch + span.epochs;
    const std::int64_t from = std::clamp(epoch, span.first_epoch, end);
    move({span.pool, from, end - from, span.servers}, 1);
    span.epochs = from - span.first_epoch;
    if (span.epochs > 0) kept.push_back(span);
  }
  if (kept.empty()) {
    places_.erase(held);
  } else {
    held->second = std::move(kept);
  }
}

inline void Plan::check_job(std::int64_t first_epoch, std::int64_t epochs, std::int64_t width) {
  constexpr std::int64_t kLargestJob = std::int64_t{1} << 20;
  if (first_epoch < 0 || std::min(epochs, width) < 1 || std::max(epochs, width) > kLargestJob)
    throw std::invalid_argument("a job must start in epoch 0 or later, with 1 to 2^20 epochs and servers");
}

inline void Plan::check_new(const std::string& job) const {
  if (job.empty() || places_.count(job) > 0)
    throw std::invalid_argument("a job must have a name that no other job of the plan has");
}

inline void Plan::give(const std::string& job, const std::vector<Span>& spans) {
  for (const Span& span : spans) move(span, -1);
  places_.emplace(job, spans);
}

inline void Plan::move(const Span& span, std::int64_t sign) {
  for (std::int64_t i = 0; i < span.epochs; ++i)
    free_[detail::place(span.first_epoch + i)][detail::place(span.pool)] += sign * span.servers;
}

}  // namespace tailc
