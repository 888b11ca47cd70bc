// The lowest frequency at which all requests on a core end in time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "_generated/policy_generated.h"
#include "controller.hpp"
#include "counters.hpp"
#include "error.hpp"

namespace tailc {

// What a core without requests does: it sleeps, and needs `wake_ns` to begin again.
struct Sleep {
  std::int64_t power_mw, wake_ns;
};

// Batch work of a core without requests; those run at `least_khz` at least.
struct Batch {
  std::int64_t least_khz, frequency_khz, power_mw;
};

// What a change of frequency costs; the entries of a table include halts.
struct Transition {
  std::int64_t halt_ns, energy_nj;
};

class TailTable {
 public:
  // `controller`: what scales the bound, or null.
  TailTable(const policy::TailTable& form, std::shared_ptr<const Controller> controller,
            std::shared_ptr<Counters> counters);

  // The number of the level that a core runs at until its next arrival or completion.
  //
  // ages_ns: the time since each request of the core arrived, `count` of them, that of the running
  // one first; the other two are what that one has had. Throws std::invalid_argument for negative
  // arguments, and where the core has no requests.
  std::size_t level(const std::int64_t* ages_ns, std::size_t count, std::int64_t elapsed_cycles,
                    std::int64_t elapsed_memory_ns) const {
    const std::int64_t scale_ppm = controller_ ? controller_->output_ppm() : kPpm;
    return level_scaled(ages_ns, count, elapsed_cycles, elapsed_memory_ns, scale_ppm);
  }

  // Ages in anything contiguous: an array, a vector, a braced list.
  template <class Ages>
  std::size_t level(const Ages& ages_ns, std::int64_t elapsed_cycles,
                    std::int64_t elapsed_memory_ns) const {
    return level(std::data(ages_ns), std::size(ages_ns), elapsed_cycles, elapsed_memory_ns);
  }

  // With the bound scaled by `scale_ppm` millionths, 0 to 2,000,000.
  std::size_t level_scaled(const std::int64_t* ages_ns, std::size_t count,
                           std::int64_t elapsed_cycles, std::int64_t elapsed_memory_ns,
                           std::int64_t scale_ppm) const;

  template <class Ages>
  std::int64_t frequency_khz(const Ages& ages_ns, std::int64_t elapsed_cycles,
                             std::int64_t elapsed_memory_ns) const {
    return frequencies_khz_[level(ages_ns, elapsed_cycles, elapsed_memory_ns)];
  }

  // By level.
  const std::vector<std::int64_t>& frequencies_khz() const noexcept { return frequencies_khz_; }
  const std::vector<std::int64_t>& power_mw() const noexcept { return power_mw_; }
  std::int64_t percentile_ppm() const noexcept { return percentile_ppm_; }
  std::int64_t bound_us() const noexcept { return bound_us_; }
  std::int64_t cores() const noexcept { return cores_; }
  // A core with more requests runs at the last level.
  std::size_t positions() const noexcept { return positions_; }
  const Sleep& sleep() const noexcept { return sleep_; }
  const std::optional<Batch>& batch() const noexcept { return batch_; }
  const std::optional<Transition>& transition() const noexcept { return transition_; }

 private:
  using Rows = flatbuffers::Vector<flatbuffers::Offset<policy::TailRow>>;

  // What is left, `positions_` entries for each row.
  struct Left {
    std::vector<std::int64_t> from_elapsed, entries;

    const std::int64_t* at(std::int64_t elapsed) const {
      const auto after = std::upper_bound(from_elapsed.begin(), from_elapsed.end(), elapsed);
      const auto row = static_cast<std::size_t>(after - from_elapsed.begin()) - 1;
      return entries.data() + row * (entries.size() / from_elapsed.size());
    }
  };

  static void check(const policy::TailTable& form);
  static void check_levels(const policy::TailTable& form);
  static void check_batch(const policy::TailTable& form);
  static void check_rows(const Rows& rows, std::int64_t most);
  static Left left_in(const Rows& rows, std::int64_t parts);
  void read_levels(const policy::TailTable& form);

  static constexpr std::int64_t kLargestKhz = std::int64_t{1} << 23;
  // One kHz for one ns is a millionth of a cycle.
  static constexpr std::int64_t kPartsPerCycle = 1'000'000;

  std::vector<std::int64_t> frequencies_khz_, power_mw_;
  std::int64_t percentile_ppm_, bound_us_, cores_;
  Sleep sleep_;
  std::optional<Batch> batch_;
  std::optional<Transition> transition_;
  std::size_t least_ = 0, positions_ = 0;
  Left parts_, memory_ns_;
  std::shared_ptr<const Controller> controller_;
  std::shared_ptr<Counters> counters_;
};

inline std::size_t TailTable::level_scaled(const std::int64_t* ages_ns, std::size_t count,
                                           std::int64_t elapsed_cycles,
                                           std::int64_t elapsed_memory_ns,
                                           std::int64_t scale_ppm) const {
  constexpr std::int64_t kNsPerUs = 1'000;
  const auto is_negative = [](std::int64_t age_ns) { return age_ns < 0; };
  if (count == 0 || scale_ppm < 0 || scale_ppm > 2 * kPpm)
    throw std::invalid_argument("the ages must not be empty, and the scale must be 0 to 2,000,000");
  if ((elapsed_cycles | elapsed_memory_ns) < 0 ||
      std::any_of(ages_ns, ages_ns + count, is_negative))
    throw std::invalid_argument("ages and elapsed work must not be negative");
  const std::size_t top = frequencies_khz_.size() - 1;
  if (count > positions_) {
    counters_->outside.fetch_add(1, std::memory_order_relaxed);
    return top;
  }
  const std::int64_t* parts = parts_.at(elapsed_cycles);
  const std::int64_t* memory_ns = memory_ns_.at(elapsed_memory_ns);
  const std::int64_t bound_ns = bound_us_ * scale_ppm / kNsPerUs;
  std::size_t level = least_;
  for (std::size_t i = 0; i < count; ++i) {
    // Compared before the subtraction, so that no value exceeds 64 bits.
    if (ages_ns[i] >= bound_ns || bound_ns - ages_ns[i] <= memory_ns[i]) return top;
    const std::int64_t slack_ns = bound_ns - ages_ns[i] - memory_ns[i];
    while (level < top && frequencies_khz_[level] * slack_ns < parts[i]) ++level;
  }
  return level;
}

inline TailTable::TailTable(const policy::TailTable& form,
                            std::shared_ptr<const Controller> controller,
                            std::shared_ptr<Counters> counters)
    : percentile_ppm_(form.percentile_ppm()),
      bound_us_(form.bound_us()),
      cores_(form.cores()),
      sleep_{form.sleep()->power_mw(), form.sleep()->wake_ns()},
      controller_(std::move(controller)),
      counters_(std::move(counters)) {
  check(form);
  read_levels(form);
  if (const policy::Transition* change = form.transition())
    transition_ = Transition{change->halt_ns(), change->energy_nj()};
  positions_ = form.cycles()->Get(0)->left()->size();
  parts_ = left_in(*form.cycles(), kPartsPerCycle);
  memory_ns_ = left_in(*form.memory_ns(), 1);
}

inline void TailTable::read_levels(const policy::TailTable& form) {
  for (const policy::Level* level : *form.levels()) {
    frequencies_khz_.push_back(level->frequency_khz());
    power_mw_.push_back(level->power_mw());
  }
  if (form.batch() == nullptr) return;
  const policy::Batch& batch = *form.batch();
  batch_ = Batch{batch.least_khz(), batch.frequency_khz(), batch.power_mw()};
  const auto least = std::find(frequencies_khz_.begin(), frequencies_khz_.end(), batch_->least_khz);
  least_ = static_cast<std::size_t>(least - frequencies_khz_.begin());
}

inline TailTable::Left TailTable::left_in(const Rows& rows, std::int64_t parts) {
  Left left;
  for (const policy::TailRow* row : rows) {
    left.from_elapsed.push_back(row->from_elapsed());
    for (const std::int64_t entry : *row->left()) left.entries.push_back(entry * parts);
  }
  return left;
}

// Limits such that neither side of the comparison of levels leaves 64 bits.
inline void TailTable::check(const policy::TailTable& form) {
  using detail::require;
  constexpr std::int64_t kLargestBoundUs = std::int64_t{1} << 28;
  constexpr std::int64_t kLargestCycles = std::int64_t{1} << 43;
  constexpr std::int64_t kLargestNs = (std::int64_t{1} << 53) - 1;
  require(0 < form.percentile_ppm() && form.percentile_ppm() < kPpm,
          "`percentile_ppm` must be 1 to 999,999");
  require(0 < form.bound_us() && form.bound_us() <= kLargestBoundUs,
          "`bound_us` must be 1 to 2^28");
  require(form.cores() > 0, "`cores` must be at least 1");
  const std::int64_t reference_khz = form.reference_khz().value_or(1);
  require(0 < reference_khz && reference_khz <= kLargestKhz, "`reference_khz` must be 1 to 2^23");
  check_levels(form);
  require(form.sleep()->power_mw() >= 0 && form.sleep()->wake_ns() >= 0,
          "`power_mw` and `wake_ns` must not be negative");
  if (form.batch() != nullptr) check_batch(form);
  if (const policy::Transition* change = form.transition())
    require(change->halt_ns() >= 0 && change->energy_nj() >= 0,
            "`halt_ns` and `energy_nj` of `transition` must not be negative");
  check_rows(*form.cycles(), kLargestCycles);
  check_rows(*form.memory_ns(), kLargestNs);
  require(form.cycles()->Get(0)->left()->size() == form.memory_ns()->Get(0)->left()->size(),
          "rows of `cycles` and `memory_ns` must have the same number of positions");
}

inline void TailTable::check_levels(const policy::TailTable& form) {
  using detail::require;
  std::int64_t before_khz = 0;
  for (const policy::Level* level : *form.levels()) {
    require(before_khz < level->frequency_khz(),
            "`frequency_khz` must be at least 1 and increase from level to level");
    require(level->frequency_khz() <= kLargestKhz, "`frequency_khz` must be at most 2^23");
    require(level->power_mw() >= 0, "`power_mw` must not be negative");
    before_khz = level->frequency_khz();
  }
  require(before_khz > 0, "`levels` must not be empty, and `frequency_khz` must be at least 1");
}

inline void TailTable::check_batch(const policy::TailTable& form) {
  using detail::require;
  const auto is_level = [&](std::int64_t khz) {
    const auto& levels = *form.levels();
    return std::any_of(levels.begin(), levels.end(),
                       [&](const policy::Level* level) { return level->frequency_khz() == khz; });
  };
  require(is_level(form.batch()->least_khz()) && is_level(form.batch()->frequency_khz()),
          "`least_khz` and `frequency_khz` of `batch` must be frequencies of `levels`");
  require(form.batch()->power_mw() >= 0, "`power_mw` must not be negative");
}

inline void TailTable::check_rows(const Rows& rows, std::int64_t most) {
  using detail::require;
  require(rows.size() > 0 && rows.Get(0)->from_elapsed() == 0,
          "`from_elapsed` of the first row must be 0");
  for (flatbuffers::uoffset_t i = 0; i < rows.size(); ++i) {
    const auto& left = *rows.Get(i)->left();
    require(i == 0 || rows.Get(i - 1)->from_elapsed() < rows.Get(i)->from_elapsed(),
            "`from_elapsed` must increase from row to row");
    require(left.size() == rows.Get(0)->left()->size(),
            "all rows must have the same number of positions");
    require(left.size() > 0, "`left` of a row must not be empty");
    require(left.Get(0) >= 0 && left.Get(left.size() - 1) <= most,
            "`left` of a row must be 0 to 2^43 cycles or 2^53 - 1 ns");
    require(std::is_sorted(left.begin(), left.end()),
            "`left` of a row must not decrease with the position");
  }
}

}  // namespace tailc
