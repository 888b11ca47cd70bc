// A broker of one host: shares of its processor time by what virtual machines get done.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "_generated/policy_generated.h"
#include "controller.hpp"
#include "error.hpp"
#include "shares_cap.hpp"
#include "shares_estimate.hpp"
#include "shares_meaning.hpp"

namespace tailc {

// A machine on the host; without a target it gets what is left.
struct Machine {
  std::string name;
  std::optional<std::int64_t> target_milli;  // thousandths of a unit of work per second
  std::int64_t first_a_ppm, first_b_milli;
};

// Ticks are for one thread at a time. Doubles are rounded after each operation, so that all
// runtimes agree to the bit, whether the compiler fuses multiplications and additions or not.
class Shares {
 public:
  explicit Shares(const policy::Shares& form);

  // The new `granted_ppm`, by machine; to be called once in `estimate_us`.
  //
  // throughput: of each machine of `served` [work/s], its mean over the last `window_us`, or since
  // the start while that is shorter. Throws std::invalid_argument for one that is negative or no
  // number, and then remembers what it did.
  const std::vector<std::int64_t>& tick(const std::vector<double>& throughput);

  // `tick` where the host knows how many requests of each machine of `served` wait now; any number
  // above 0 where it does not.
  const std::vector<std::int64_t>& tick(const std::vector<double>& throughput,
                                        const std::vector<std::int64_t>& waiting);

  // Of each machine of `served`, whether a lasting shortage means that its target is too high. Under a
  // policy with caps, a machine that was capped after a trial; and where one that is short needs more
  // than the whole host, only such machines.
  std::vector<bool> cannot_meet() const;

  const std::vector<std::int64_t>& granted_ppm() const noexcept { return granted_ppm_; }
  const std::vector<Machine>& machines() const noexcept { return machines_; }
  // Those with a target, in the order of `machines`.
  const std::vector<Served>& served() const noexcept { return served_; }
  std::int64_t window_us() const noexcept { return window_us_; }
  std::int64_t estimate_us() const noexcept { return estimate_us_; }
  std::int64_t step_us() const noexcept { return step_us_; }
  std::int64_t enforce_us() const noexcept { return enforce_us_; }
  std::int64_t host_ppm() const noexcept { return limits_.host_ppm; }
  std::int64_t least_ppm() const noexcept { return limits_.least_ppm; }

 private:
  using Amounts = std::vector<std::int64_t>;

  void check(const std::vector<double>& throughput) const;
  void tick_checked(const std::vector<double>& throughput,
                    const std::vector<std::int64_t>* waiting);
  void step(const Amounts& had_ppm);
  std::int64_t asked_ppm(Served& one, std::int64_t had_ppm) const;
  double request(Served& one, double share) const;
  Amounts shared_out(const Amounts& asked_ppm) const;
  Amounts cut(const Amounts& asked_ppm) const;
  Amounts of_served(const Amounts& granted_ppm) const;

  policy::ShareLaw law_;
  std::int64_t window_us_, estimate_us_, step_us_, enforce_us_;
  detail::Limits limits_;
  std::int64_t shortage_steps_;
  std::optional<detail::CapRule> cap_;
  double pole_;
  detail::Forgetting forgetting_;
  std::int64_t lag_ = 0, full_ = 0, ticks_ = 0;  // in ticks
  std::vector<Machine> machines_;
  std::vector<Served> served_;
  Amounts granted_ppm_, granted_before_ppm_;
};

inline Shares::Shares(const policy::Shares& form)
    : law_(form.law()),
      window_us_(form.window_us()),
      estimate_us_(form.estimate_us()),
      step_us_(form.step_us()),
      enforce_us_(form.enforce_us()),
      limits_{form.least_ppm(), form.host_ppm()},
      shortage_steps_(form.shortage_steps()),
      pole_(detail::quotient(form.pole_ppm(), kPpm)),
      forgetting_{detail::quotient(form.forgetting_ppm(), kPpm),
                  static_cast<double>(form.first_covariance()),
                  detail::quotient(form.least_b_ppm(), kPpm)} {
  detail::check_shares(form);
  cap_ = detail::CapRule::of(form);
  lag_ = step_us_ / estimate_us_;
  full_ = window_us_ / estimate_us_ + (window_us_ % estimate_us_ > 0 ? 1 : 0);
  Amounts asked_ppm_now;
  for (const policy::Machine* machine : *form.machines()) {
    const auto target = machine->target_milli();
    machines_.push_back({machine->name()->str(),
                         target.has_value() ? std::optional(*target) : std::nullopt,
                         machine->first_a_ppm(), machine->first_b_milli()});
    if (!target.has_value()) continue;
    served_.emplace_back(machines_.back().name, *target, machine->first_a_ppm(),
                         machine->first_b_milli(), forgetting_.first_covariance,
                         limits_.host_ppm);
    served_.back().busy_ticks = std::max(full_, lag_);
    asked_ppm_now.push_back(limits_.asked_ppm((1.0 - served_.back().a) / served_.back().b));
  }
  granted_ppm_ = granted_before_ppm_ = shared_out(asked_ppm_now);
}

inline const std::vector<std::int64_t>& Shares::tick(const std::vector<double>& throughput) {
  check(throughput);
  tick_checked(throughput, nullptr);
  return granted_ppm_;
}

inline const std::vector<std::int64_t>& Shares::tick(const std::vector<double>& throughput,
                                                     const std::vector<std::int64_t>& waiting) {
  check(throughput);
  const auto is_number = [](std::int64_t count) { return count >= 0; };
  if (waiting.size() != served_.size() ||
      !std::all_of(waiting.begin(), waiting.end(), is_number))
    throw std::invalid_argument(
        "waiting requests must be numbers, 0 or more, for each machine with a target");
  tick_checked(throughput, &waiting);
  return granted_ppm_;
}

inline void Shares::check(const std::vector<double>& throughput) const {
  const auto is_measured = [](double work_per_s) { return work_per_s >= 0.0; };
  if (throughput.size() != served_.size() ||
      !std::all_of(throughput.begin(), throughput.end(), is_measured))
    throw std::invalid_argument(
        "throughputs must be numbers, 0 or more, one for each machine with a target");
}

// `waiting` null: unknown.
inline void Shares::tick_checked(const std::vector<double>& throughput,
                                 const std::vector<std::int64_t>* waiting) {
  constexpr double kLargestLevel = 1000.0;  // more counts as that
  ++ticks_;
  const std::int64_t since = (ticks_ - 1) % lag_ + 1;
  const Amounts now_ppm = of_served(granted_ppm_), before_ppm = of_served(granted_before_ppm_);
  const auto slot = static_cast<std::size_t>((ticks_ - 1) % lag_);
  for (std::size_t i = 0; i < served_.size(); ++i) {
    Served& one = served_[i];
    const double level = std::min(throughput[i] / one.target, kLargestLevel);
    one.busy_ticks = waiting == nullptr || (*waiting)[i] > 0 ? one.busy_ticks + 1 : 0;
    const bool is_sample =
        one.cap.mode == detail::Cap::Mode::kFree && one.busy_ticks >= std::max(full_, lag_);
    if (is_sample && ticks_ >= full_ + lag_) {
      const std::int64_t shares = since * now_ppm[i] + (lag_ - since) * before_ppm[i];
      detail::estimate(one, forgetting_, one.levels[slot], detail::quotient(shares, lag_ * kPpm),
                       level);
    }
    if (slot == one.levels.size()) one.levels.push_back(level);
    one.levels[slot] = one.level = level;
  }
  if (ticks_ % lag_ == 0 && ticks_ >= full_) step(now_ppm);
}

inline std::vector<bool> Shares::cannot_meet() const {
  const auto is_short = [this](const Served& one) { return one.short_steps >= shortage_steps_; };
  const double host = detail::quotient(limits_.host_ppm, kPpm);
  const auto is_cause = [&](const Served& one) {
    return cap_ && is_short(one) && one.needs_more(host);
  };
  const bool has_cause = std::any_of(served_.begin(), served_.end(), is_cause);
  std::vector<bool> found;
  for (const Served& one : served_) {
    const bool is_capped = one.cap.mode >= detail::Cap::Mode::kCapped;
    found.push_back(is_capped || (has_cause ? is_cause(one) : is_short(one)));
  }
  return found;
}

// New shares for all machines; `had_ppm` is what those served have had.
inline void Shares::step(const Amounts& had_ppm) {
  Amounts asked;
  for (std::size_t i = 0; i < served_.size(); ++i)
    asked.push_back(asked_ppm(served_[i], had_ppm[i]));
  granted_before_ppm_ = std::exchange(granted_ppm_, shared_out(asked));
  const Amounts given = of_served(granted_ppm_);
  for (std::size_t i = 0; i < served_.size(); ++i) {
    Served& one = served_[i];
    const bool is_below = one.level < 1.0;
    if (is_below && (given[i] < asked[i] || given[i] == limits_.host_ppm)) {
      ++one.short_steps;
    } else if (!is_below || !one.cap.is_tested()) {
      one.short_steps = 0;
    }
  }
}

// The share of a machine by its law or cap; sets its `level_before` to the level of this step.
inline std::int64_t Shares::asked_ppm(Served& one, std::int64_t had_ppm) const {
  const bool ran_out = one.busy_ticks < full_;
  // At its target at least: it has no more work to do.
  if (ran_out) one.level = std::max(one.level, 1.0);
  const bool is_met = one.level >= 1.0 && one.level_before && *one.level_before >= 1.0;
  if (cap_ && one.cap.step(*cap_, {one.level, had_ppm, is_met, one.short_steps > 0}))
    one.begin(forgetting_.first_covariance);
  const double share = detail::quotient(had_ppm, kPpm);
  double wanted = 0.0;
  if (ran_out) {
    one.missed = 0.0;
    wanted = std::min(share, (1.0 - one.believed.first) / one.believed.second);
  } else {
    wanted = request(one, share);
  }
  one.level_before = one.level;
  return one.cap.mode == detail::Cap::Mode::kFree ? limits_.asked_ppm(wanted) : one.cap.ppm;
}

// The share by the control law, before limits are applied.
inline double Shares::request(Served& one, double share) const {
  using detail::rounded;
  const auto [a, b] = one.believed;
  const double missed =
      one.level_before ? one.level - (rounded(a * *one.level_before) + rounded(b * share)) : 0.0;
  const double lasting = detail::common(missed, std::exchange(one.missed, missed));
  if (law_ == policy::ShareLaw::OBSERVER)
    return (((1.0 - pole_) + rounded((pole_ - a) * one.level)) - lasting) / b;
  const double gain = (1.0 - pole_) / b;
  const double error_before = one.level_before ? 1.0 - *one.level_before : 0.0;
  return (share + rounded(gain * (1.0 - one.level))) - rounded(rounded(a * gain) * error_before);
}

inline Shares::Amounts Shares::shared_out(const Amounts& asked_ppm) const {
  const Amounts given = cut(asked_ppm);
  std::int64_t left = limits_.host_ppm;
  for (const std::int64_t ppm : asked_ppm) left -= ppm;
  const auto others = static_cast<std::int64_t>(machines_.size() - asked_ppm.size());
  left = others > 0 ? std::max(left, std::int64_t{0}) / others : 0;
  Amounts shares;
  auto next = given.begin();
  for (const Machine& machine : machines_) shares.push_back(machine.target_milli ? *next++ : left);
  return shares;
}

// The requested shares; if their sum exceeds the host, in proportion to them, with the minimum for
// each.
inline Shares::Amounts Shares::cut(const Amounts& asked_ppm) const {
  std::int64_t among = 0, rest = limits_.host_ppm;
  for (const std::int64_t ppm : asked_ppm) among += ppm;
  if (among <= limits_.host_ppm) return asked_ppm;
  std::vector<bool> has_least(asked_ppm.size());
  Amounts parts(asked_ppm.size());
  for (bool is_cut = true; is_cut;) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i] = has_least[i] ? limits_.least_ppm : asked_ppm[i] * rest / among;
    is_cut = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] >= limits_.least_ppm) continue;
      is_cut = has_least[i] = true;
      among -= asked_ppm[i];
      rest -= limits_.least_ppm;
    }
  }
  return parts;
}

inline Shares::Amounts Shares::of_served(const Amounts& granted_ppm) const {
  Amounts found;
  for (std::size_t i = 0; i < machines_.size(); ++i)
    if (machines_[i].target_milli) found.push_back(granted_ppm[i]);
  return found;
}

}  // namespace tailc
