// One ladder, ready to be looked up: no allocation, no lock.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "_generated/policy_generated.h"
#include "controller.hpp"
#include "counters.hpp"
#include "ladder_meaning.hpp"
#include "overload.hpp"
#include "rung_setting.hpp"
#include "sharing.hpp"

namespace tailc {

enum class Start : std::uint8_t {
  now,      // it may start
  wait,     // look up again in `wait_us`, and at every arrival and exit
  on_exit,  // it starts when a request exits
};

// `start` and `wait_us` concern requests that have not started; `rung` is an index into `rungs`.
struct Answer {
  Start start;
  std::uint32_t rung;
  std::uint64_t wait_us;
};

// Boosted requests cost less than `below_ppm` in all, in cost unit number `unit`.
struct Boost {
  std::int64_t unit, below_ppm;
};

class Ladder {
 public:
  // `controller`: what scales the ages of climbs, or null.
  Ladder(const policy::Ladder& form, std::shared_ptr<const Controller> controller,
         std::shared_ptr<Counters> counters);

  // Under what the controller puts out at that moment, if there is one. Throws
  // std::invalid_argument for negative arguments.
  Answer lookup(std::int64_t load, std::int64_t waited_us, std::int64_t executed_us) const {
    const Answer found = peek(load, waited_us, executed_us);
    count_outside(load);
    return found;
  }

  // With ages of climbs scaled by `output_ppm` millionths, 0 to 1,000,000.
  Answer lookup_scaled(std::int64_t load, std::int64_t waited_us, std::int64_t executed_us,
                       std::int64_t output_ppm) const {
    if (output_ppm < 0 || output_ppm > kPpm)
      throw std::invalid_argument("the output must be 0 to 1,000,000");
    const Answer found = answer(load, waited_us, executed_us, output_ppm);
    count_outside(load);
    return found;
  }

  LoadAxis load_axis() const noexcept { return load_axis_; }
  // The class of requests that it is for; none: all without a ladder of their own.
  const std::optional<std::string>& request_class() const noexcept { return request_class_; }
  const std::vector<std::string>& cost_units() const noexcept { return cost_units_; }
  const std::vector<std::string>& rungs() const noexcept { return rungs_; }
  // What each rung is.
  const std::vector<RungSetting>& settings() const noexcept { return settings_; }
  // What the server must do beyond the look-up.
  const std::vector<Rule>& rules() const noexcept { return rules_; }
  std::int64_t quantum_us() const noexcept { return quantum_us_; }
  const std::optional<Boost>& boost() const noexcept { return boost_; }
  // Requests that the server refuses, degrades or cuts off; none without a rule for it.
  const Overload& overload() const noexcept { return overload_; }
  // Requests that must wait or release threads or cores because of the used amount; none without a
  // rule for it.
  const Sharing& sharing() const noexcept { return sharing_; }

  // Of rungs that are cores: by rung the cost unit of its core, and how long a climb to it takes;
  // by cost unit the number of cores, 0 for power. All empty for other rungs.
  const std::vector<std::uint32_t>& core_unit() const noexcept { return core_unit_; }
  const std::vector<std::int64_t>& move_us() const noexcept { return move_us_; }
  const std::vector<std::int64_t>& core_count() const noexcept { return core_count_; }

 private:
  friend class Schedule;

  // Like `lookup`, for a schedule that looks what a request would get: it counts nothing.
  Answer peek(std::int64_t load, std::int64_t waited_us, std::int64_t executed_us) const {
    return answer(load, waited_us, executed_us, controller_ ? controller_->output_ppm() : kPpm);
  }

  void count_outside(std::int64_t load) const noexcept {
    if (static_cast<std::uint64_t>(load) - min_load_ > loads_above_min_)
      counters_->outside.fetch_add(1, std::memory_order_relaxed);
  }

  struct Row {
    std::uint64_t delay_us;
    std::uint32_t first_climb, climb_count;
    Start start;
  };

  // Up to this many loads, each load has an entry; for more, rows are found by bisection.
  static constexpr std::uint64_t kMostEntries = 4096;
  // Rows have at least as many climbs; those beyond their own never come.
  static constexpr std::size_t kShortRow = 8;
  static constexpr std::uint64_t kNeverUs = ~std::uint64_t{0};
  // No age in a policy is as late.
  static constexpr std::uint64_t kEverUs = std::uint64_t{1} << 53;

  Answer answer(std::int64_t load, std::int64_t waited_us, std::int64_t executed_us,
                std::int64_t output_ppm) const {
    if ((load | waited_us | executed_us) < 0)
      throw std::invalid_argument(
          "the load and the times waited and executed must not be negative");
    const Row& row = row_at(static_cast<std::uint64_t>(load));
    const auto waited = static_cast<std::uint64_t>(waited_us);
    std::uint64_t age_us = static_cast<std::uint64_t>(executed_us) + (waited & counts_waiting_);
    if (output_ppm != kPpm) age_us = unscaled_us(age_us, static_cast<std::uint64_t>(output_ppm));
    const std::uint64_t left_us = row.delay_us > waited ? row.delay_us - waited : 0;
    return {left_us > 0 ? Start::wait : row.start, rung_at(row, age_us), left_us};
  }

  const Row& row_at(std::uint64_t load) const {
    if (load < row_of_load_.size()) return rows_[row_of_load_[load]];
    if (load >= first_loads_.back()) return rows_.back();
    const auto after = std::upper_bound(first_loads_.begin(), first_loads_.end(), load);
    return rows_[static_cast<std::size_t>(after - first_loads_.begin()) - 1];
  }

  // Bisection without branches: in which half the last climb is that has come cannot be predicted.
  std::uint32_t rung_at(const Row& row, std::uint64_t age_us) const noexcept {
    const std::uint64_t* ages = ages_us_.data() + row.first_climb;
    std::size_t at = 0;
    if (row.climb_count <= kShortRow) {
      at = ages[4] <= age_us ? 4 : 0;
      at += ages[at + 2] <= age_us ? 2 : 0;
      at += ages[at + 1] <= age_us ? 1 : 0;
    } else {
      for (std::size_t left = row.climb_count; left > 1; left -= left / 2)
        at += ages[at + left / 2] <= age_us ? left / 2 : 0;
    }
    return rung_of_climb_[row.first_climb + at];
  }

  // The last age as written that has come at `age_us`, all being scaled by z and rounded down:
  // floor(a z) <= t exactly if a z < t + 1; at z = 0 every climb has come.
  static std::uint64_t unscaled_us(std::uint64_t age_us, std::uint64_t output_ppm) noexcept {
    constexpr auto kUnit = static_cast<std::uint64_t>(kPpm);
    if (output_ppm == 0 || age_us >= kEverUs) return kEverUs > age_us ? kEverUs : age_us;
    const std::uint64_t whole = (age_us + 1) / output_ppm, rest = (age_us + 1) % output_ppm;
    if (whole > kEverUs / kUnit) return kEverUs;
    // No product leaves 64 bits: floor(((t + 1) 10^6 - 1) / z), in two parts.
    return rest > 0 ? whole * kUnit + (rest * kUnit - 1) / output_ppm : whole * kUnit - 1;
  }

  void read_rows(const policy::Ladder& form);
  void add_row(std::uint64_t first_load, std::uint64_t delay_us, Start start,
               const policy::Climb* climbs, std::uint32_t count);
  void read_cores(const policy::Ladder& form);

  LoadAxis load_axis_;
  std::optional<std::string> request_class_;
  std::vector<std::string> cost_units_, rungs_;
  std::vector<RungSetting> settings_;
  std::vector<Rule> rules_;
  std::int64_t quantum_us_ = 0;
  std::optional<Boost> boost_;
  Overload overload_;
  Sharing sharing_;
  std::vector<std::uint32_t> core_unit_;
  std::vector<std::int64_t> move_us_, core_count_;

  std::shared_ptr<const Controller> controller_;
  std::shared_ptr<Counters> counters_;
  std::uint64_t min_load_ = 0, loads_above_min_ = 0;
  std::uint64_t counts_waiting_ = 0;  // all bits, or none
  std::vector<std::uint16_t> row_of_load_;
  std::vector<std::uint64_t> first_loads_;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> ages_us_;
  std::vector<std::uint32_t> rung_of_climb_;
};

inline Ladder::Ladder(const policy::Ladder& form, std::shared_ptr<const Controller> controller,
                      std::shared_ptr<Counters> counters)
    : load_axis_(form.load_axis()),
      quantum_us_(form.quantum_us()),
      overload_(form.overload(), detail::has_rule(form, Rule::AGE_FROM_ARRIVAL)),
      sharing_(form.sharing(), detail::has_rule(form, Rule::AGE_FROM_ARRIVAL)),
      controller_(std::move(controller)),
      counters_(std::move(counters)) {
  detail::check_ladder(form);
  if (controller_) detail::check_scaled(form);
  if (form.request_class() != nullptr) request_class_ = form.request_class()->str();
  for (const policy::CostUnit* unit : *form.cost_units())
    cost_units_.push_back(unit->name()->str());
  for (const policy::Rung* rung : *form.rungs()) {
    rungs_.push_back(rung->name()->str());
    settings_.push_back(detail::setting_of(*rung));
  }
  for (const auto rule : *form.rules()) rules_.push_back(static_cast<Rule>(rule));
  if (form.boost() != nullptr) boost_ = Boost{form.boost()->unit(), form.boost()->below_ppm()};
  if (detail::has_rule(form, Rule::AGE_FROM_ARRIVAL)) counts_waiting_ = ~std::uint64_t{0};
  if (detail::has_rule(form, Rule::CORE_PER_REQUEST)) read_cores(form);
  read_rows(form);
}

// Rows from load 0 on, each to the first load of the next; the guard's first rung outside.
inline void Ladder::read_rows(const policy::Ladder& form) {
  // The rows of the policy and one on either side.
  const std::size_t count = form.rows()->size() + std::size_t{2};
  rows_.reserve(count);
  first_loads_.reserve(count);
  ages_us_.reserve(form.climbs()->size() + count * kShortRow);
  rung_of_climb_.reserve(form.climbs()->size() + count * kShortRow);

  const bool clamps = form.guard()->outside() == policy::Outside::CLAMP;
  min_load_ = static_cast<std::uint64_t>(form.guard()->min_load());
  const auto max_load = static_cast<std::uint64_t>(form.guard()->max_load());
  // The last row of a ladder by requests in the system is compiled for all larger loads.
  const std::uint64_t last_load = form.rows()->Get(form.rows()->size() - 1)->first_load();
  const bool has_no_end = clamps && load_axis_ == LoadAxis::IN_SYSTEM && last_load <= max_load;
  loads_above_min_ = (has_no_end ? ~std::uint64_t{0} : max_load) - min_load_;
  const std::uint64_t low = clamps ? 0 : min_load_;
  const std::uint64_t end = clamps ? ~std::uint64_t{0} : max_load + 1;
  const policy::Climb first_rung(0, 0);
  if (low > 0) add_row(0, 0, Start::now, &first_rung, 1);
  for (const policy::Row* row : *form.rows()) {
    const bool is_first = row == form.rows()->Get(0);
    if (row->first_load() >= end && !is_first) break;
    const Start start =
        row->admission() == policy::AdmissionKind::ON_EXIT ? Start::on_exit : Start::now;
    add_row(is_first ? low : std::max(row->first_load(), low), row->delay_us(), start,
            form.climbs()->Get(row->first_climb()), row->climb_count());
  }
  if (!clamps) add_row(end, 0, Start::now, &first_rung, 1);

  const std::uint64_t dense = std::min(first_loads_.back(), kMostEntries);
  row_of_load_.reserve(dense);
  std::uint16_t row = 0;
  for (std::uint64_t load = 0; load < dense; ++load) {
    if (first_loads_[row + std::size_t{1}] == load) ++row;
    row_of_load_.push_back(row);
  }
}

// A row that begins where the one before does takes its place.
inline void Ladder::add_row(std::uint64_t first_load, std::uint64_t delay_us, Start start,
                            const policy::Climb* climbs, std::uint32_t count) {
  if (!rows_.empty() && first_loads_.back() == first_load) {
    rows_.pop_back();
    first_loads_.pop_back();
  }
  first_loads_.push_back(first_load);
  rows_.push_back({delay_us, static_cast<std::uint32_t>(ages_us_.size()), count, start});
  for (std::uint32_t i = 0; i < count; ++i) {
    ages_us_.push_back(climbs[i].age_us());
    rung_of_climb_.push_back(climbs[i].rung());
  }
  const std::size_t padded = ages_us_.size() - count + std::max(std::size_t{count}, kShortRow);
  ages_us_.resize(padded, kNeverUs);
  rung_of_climb_.resize(padded);
}

inline void Ladder::read_cores(const policy::Ladder& form) {
  for (const policy::CostUnit* unit : *form.cost_units())
    core_count_.push_back(unit->capacity_ppm().value_or(0) / kPpm);
  for (const policy::Rung* rung : *form.rungs()) {
    core_unit_.push_back(detail::core_unit_of(form, *rung));
    move_us_.push_back(rung->move_us().value_or(0));
  }
}

}  // namespace tailc
