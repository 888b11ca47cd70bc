// Questions to whatever was opened, which must be safe to ask.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <tailc/tailc.hpp>

// Whether the policy has the form that is asked for.
template <class Form>
bool has(const Form& form) {
  try {
    form();
    return true;
  } catch (const tailc::PolicyError&) {
    return false;
  }
}

inline void ask(const tailc::Ladder& ladder) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t load : {std::int64_t{0}, std::int64_t{5}, std::int64_t{4'096}, kMost})
    for (const std::int64_t age_us : {std::int64_t{0}, std::int64_t{100'000}, kMost})
      if (ladder.lookup(load, 1, age_us).rung >= ladder.rungs().size())
        throw std::logic_error("no such rung");
}

inline void ask(tailc::Plan& plan) {
  plan.epoch_at(0);
  if (plan.terms()) {
    plan.admit("asked", 0, 2, 1, 500'000);
  } else {
    plan.take("asked", 0, 2, 1);
  }
}

inline void ask(tailc::Policy& policy) {
  if (tailc::Controller* controller = policy.controller()) controller->step(300'000, 10'000);
  if (has([&] { policy.ladders(); })) {
    for (const tailc::Ladder& ladder : policy.ladders()) ask(ladder);
  } else if (has([&] { policy.tail_table(); })) {
    policy.tail_table().level(std::vector<std::int64_t>{5'000, 7}, 9, 9);
  } else if (has([&] { policy.budget_table(); })) {
    policy.budget_table().lookup(5, 700);
  } else if (has([&] { policy.shares(); })) {
    tailc::Shares& shares = policy.shares();
    for (int i = 0; i < 10; ++i) shares.tick(std::vector<double>(shares.served().size()));
  } else {
    ask(policy.plan());
  }
}
