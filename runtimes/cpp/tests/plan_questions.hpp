// Drawn questions to a plan, which remembers what it admits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <tailc/tailc.hpp>

#include "draws.hpp"

class PlanQuestions {
 public:
  explicit PlanQuestions(const tailc::Plan& plan) : opened_(plan), plan_(plan) {
    for (const tailc::Pool& pool : plan.pools()) largest_ = std::max(largest_, pool.servers);
  }

  void ask(std::uint64_t number, Draws& from, Checksum& into) {
    if (number % kSpell == 0) {
      plan_ = opened_;
      admitted_.clear();
    }
    const std::int64_t what = from.below(8);
    Asked asked;
    asked.first_epoch = from.below(static_cast<std::int64_t>(plan_.epochs().size()) + 2);
    asked.epochs = 1 + from.below(8);
    asked.width = 1 + from.below(largest_ + 2);
    asked.green_ppm = from.below(1'000'001);
    if (what == 6) {
      release(asked.first_epoch, into);
    } else if (what == 7) {
      take("t" + std::to_string(number), asked, into);
    } else if (!plan_.terms()) {
      into.fold(kNotQuoted);
    } else if (what >= 4) {
      admit("q" + std::to_string(number), asked, into);
    } else {
      quote(asked, into);
    }
  }

 private:
  enum Answer { kAdmitted, kRefused, kNoRoom, kInvalid, kNotQuoted = 8, kNotTaken = 9 };

  // So many questions are for one plan as it was opened: it fills up.
  static constexpr std::uint64_t kSpell = 128;

  struct Asked {
    std::int64_t first_epoch, epochs, width, green_ppm;
  };

  static void fold(const tailc::Quote& told, Checksum& into) {
    const Answer answer = told.is_admitted() ? kAdmitted : told.places ? kRefused : kNoRoom;
    into.fold(answer, told.pays_udollars, told.worth_udollars, told.green_slots);
  }

  static void fold(const std::vector<tailc::Span>& places, Checksum& into) {
    for (const auto& [pool, first_epoch, epochs, servers] : places)
      into.fold(first_epoch, pool, epochs, servers);
  }

  void quote(const Asked& asked, Checksum& into) const {
    try {
      fold(plan_.quote(asked.first_epoch, asked.epochs, asked.width, asked.green_ppm), into);
    } catch (const std::invalid_argument&) {
      into.fold(kInvalid);
    }
  }

  void admit(const std::string& job, const Asked& asked, Checksum& into) {
    try {
      const tailc::Quote told =
          plan_.admit(job, asked.first_epoch, asked.epochs, asked.width, asked.green_ppm);
      if (told.is_admitted()) admitted_.push_back(job);
      fold(told, into);
      if (told.places) fold(*told.places, into);
    } catch (const std::invalid_argument&) {
      into.fold(kInvalid);
    }
  }

  void release(std::int64_t epoch, Checksum& into) {
    into.fold(admitted_.empty() ? 0 : 1);
    if (admitted_.empty()) return;
    plan_.release(admitted_.back(), epoch);
    admitted_.pop_back();
  }

  void take(const std::string& job, const Asked& asked, Checksum& into) {
    if (!plan_.malleable()) return into.fold(kNotTaken);
    try {
      const auto places = plan_.take(job, asked.first_epoch, asked.epochs, asked.width);
      into.fold(places ? 1 : 0);
      if (places) fold(*places, into);
    } catch (const std::invalid_argument&) {
      into.fold(kInvalid);
    }
  }

  tailc::Plan opened_, plan_;
  std::int64_t largest_ = 0;
  std::vector<std::string> admitted_;
};
