// Asks a policy questions that are drawn from a seed: `differential POLICY SEED COUNT`. Prints after
// every 4,096, and at the end, a checksum of all answers so far: equal lines are equal answers.

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <tailc/tailc.hpp>

#include "draws.hpp"
#include "plan_questions.hpp"

namespace {

namespace form = tailc::policy;

// Draws the question of that number, asks it and folds the answer.
using Question = std::function<void(std::uint64_t number, Draws& from, Checksum& into)>;

constexpr std::uint64_t kStretch = 4'096;
constexpr std::uint64_t kEpoch = 1'024;

const form::FormBox& last_of(const form::Policy& root) {
  return *root.forms()->Get(root.forms()->size() - 1);
}

// The controller's step before every so many questions; nothing where there is none.
Question step_of(tailc::Controller* controller, const form::Policy& root) {
  if (controller == nullptr) return [](std::uint64_t, Draws&, Checksum&) {};
  const auto& gains = *last_of(root).form_as_Controller()->gains();
  const std::int64_t rates = 2 * gains.Get(gains.size() - 1)->first_rate_mrps() + 2;
  return [=](std::uint64_t number, Draws& from, Checksum& into) {
    if (number % kEpoch != 0) return;
    const std::int64_t measured_us = from.below(3 * controller->target_us());
    into.fold(controller->step(measured_us, from.below(rates)));
  };
}

// One above what is drawn.
struct Limits {
  std::int64_t load, waited_us, executed_us;
};

Limits limits_of(const form::Ladder& ladder) {
  std::uint64_t delay_us = 0, age_us = 0;
  for (const form::Row* row : *ladder.rows()) delay_us = std::max(delay_us, row->delay_us());
  for (const form::Climb* climb : *ladder.climbs()) age_us = std::max(age_us, climb->age_us());
  return {static_cast<std::int64_t>(ladder.guard()->max_load()) + 2,
          static_cast<std::int64_t>(2 * delay_us + 2), static_cast<std::int64_t>(2 * age_us + 2)};
}

void fold_setting(const tailc::RungSetting& rung, Checksum& into) {
  into.fold(rung.speed_ppm, rung.threads.value_or(0), rung.frequency_khz.value_or(0));
  into.fold(rung.core_type ? rung.core_type->size() : 0);
  into.fold(rung.lane ? static_cast<int>(*rung.lane) : 0, rung.one_thread_ppm.value_or(0));
}

Question ladder_question(const tailc::Policy& policy, const form::Policy& root) {
  std::vector<Limits> limits;
  for (const form::FormBox* box : *root.forms())
    if (const form::Ladder* ladder = box->form_as_Ladder()) limits.push_back(limits_of(*ladder));
  const auto& ladders = policy.ladders();
  return [=, &ladders](std::uint64_t, Draws& from, Checksum& into) {
    const auto which =
        static_cast<std::size_t>(from.below(static_cast<std::int64_t>(ladders.size())));
    const std::int64_t load = from.below(limits[which].load);
    const std::int64_t waited_us = from.below(limits[which].waited_us);
    const std::int64_t executed_us = from.below(limits[which].executed_us);
    const tailc::Answer answer = ladders[which].lookup(load, waited_us, executed_us);
    into.fold(answer.start, answer.wait_us, answer.rung);
    fold_setting(ladders[which].settings()[answer.rung], into);
  };
}

Question table_question(const tailc::TailTable& table, const form::Policy& root) {
  const auto& rows = *root.forms()->Get(0)->form_as_TailTable()->cycles();
  const std::int64_t cycles = 2 * rows.Get(rows.size() - 1)->from_elapsed() + 2;
  const std::int64_t bound_ns = table.bound_us() * 1'000;
  return [=, &table](std::uint64_t, Draws& from, Checksum& into) {
    const auto positions = static_cast<std::int64_t>(table.positions());
    std::vector<std::int64_t> ages_ns(static_cast<std::size_t>(1 + from.below(positions + 1)));
    std::int64_t next = 2 * bound_ns + 1;
    for (std::int64_t& age_ns : ages_ns) {
      age_ns = from.below(next);
      next = age_ns + 1;
    }
    const std::int64_t elapsed = from.below(cycles);
    into.fold(table.frequency_khz(ages_ns, elapsed, from.below(bound_ns + 1)));
  };
}

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  static_assert(sizeof(bits) == sizeof(value));
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

Question shares_question(tailc::Shares& shares) {
  return [&shares](std::uint64_t, Draws& from, Checksum& into) {
    std::vector<double> throughput(shares.served().size());
    for (double& work_per_s : throughput)
      work_per_s = static_cast<double>(from.below(1'000'000)) / 1'000.0;
    std::vector<std::int64_t> waiting(throughput.size());
    // Nothing once in a while.
    for (std::int64_t& count : waiting) count = static_cast<std::int64_t>(from.below(64));
    for (const std::int64_t share_ppm : shares.tick(throughput, waiting)) into.fold(share_ppm);
    for (const tailc::Served& one : shares.served()) into.fold(bits_of(one.a), bits_of(one.b));
  };
}

Question budgets_question(const tailc::BudgetTable& table) {
  const std::int64_t decoding = 2 * table.max_sequences();
  const std::int64_t waiting = 2 * table.kv_blocks() * table.block_tokens();
  return [=, &table](std::uint64_t, Draws& from, Checksum& into) {
    const std::int64_t sequences = from.below(decoding);
    const tailc::Budget budget = table.lookup(sequences, from.below(waiting));
    into.fold(budget.tokens, budget.new_sequences);
  };
}

Question question_of(tailc::Policy& policy, const form::Policy& root) {
  const form::FormBox& first = *root.forms()->Get(0);
  if (first.form_as_Shares() != nullptr) return shares_question(policy.shares());
  if (first.form_as_BudgetTable() != nullptr) return budgets_question(policy.budget_table());
  if (first.form_as_Plan() != nullptr) {
    const auto asked = std::make_shared<PlanQuestions>(policy.plan());
    return [asked](std::uint64_t number, Draws& from, Checksum& into) {
      asked->ask(number, from, into);
    };
  }
  const Question step = step_of(policy.controller(), root);
  const Question ask = first.form_as_TailTable() != nullptr
                           ? table_question(policy.tail_table(), root)
                           : ladder_question(policy, root);
  return [=](std::uint64_t number, Draws& from, Checksum& into) {
    step(number, from, into);
    ask(number, from, into);
  };
}

int run(const std::string& path, std::uint64_t seed, std::uint64_t count) {
  const auto bytes = tailc::detail::bytes_of(path, tailc::detail::kMostBytes);
  tailc::Policy policy = tailc::open(bytes.data(), bytes.size());
  // It was verified right now.
  const Question ask = question_of(policy, *form::GetPolicy(bytes.data()));
  Draws from(seed);
  Checksum into;
  for (std::uint64_t number = 0; number < count; ++number) {
    ask(number, from, into);
    if ((number + 1) % kStretch == 0 || number + 1 == count)
      std::printf("%016" PRIx64 "\n", into.sum());
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: differential POLICY SEED COUNT\n";
    return 64;
  }
  try {
    return run(arguments[1], std::stoull(arguments[2]), std::stoull(arguments[3]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
