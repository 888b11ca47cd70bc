// How many tokens the next iteration of a language model's server batches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "_generated/policy_generated.h"
#include "error.hpp"

namespace tailc {

// The most tokens of an iteration, of which every decoding sequence takes one first and prompts
// take the rest, and the most sequences that may start in it.
struct Budget {
  std::int64_t tokens, new_sequences;
};

class BudgetTable {
 public:
  explicit BudgetTable(const policy::BudgetTable& form);

  // The budget of the next iteration, by the number of sequences that decode, and the tokens of
  // prompts that are not computed yet: of sequences that run, and of requests that wait. Negative
  // numbers count as 0.
  Budget lookup(std::int64_t decoding, std::int64_t waiting_tokens) const noexcept {
    const std::size_t row = cell_of(first_decoding_, decoding);
    const std::size_t column = cell_of(first_waiting_, waiting_tokens);
    return {budgets_[row * first_waiting_.size() + column], new_sequences_[row]};
  }

  // Limits of the engine that the table is for: blocks of its key-value cache, tokens of a block,
  // and sequences in a batch.
  std::int64_t kv_blocks() const noexcept { return kv_blocks_; }
  std::int64_t block_tokens() const noexcept { return block_tokens_; }
  std::int64_t max_sequences() const noexcept { return max_sequences_; }

 private:
  using Numbers = std::vector<std::int64_t>;

  // Limits such that products of an amount and a time stay below 2^63.
  static constexpr std::int64_t kLargestAmount = std::int64_t{1} << 26;
  static constexpr std::int64_t kLargestNs = std::int64_t{1} << 36;

  // The number of the last edge that is at most `value`; 0 if none is.
  static std::size_t cell_of(const Numbers& edges, std::int64_t value) noexcept {
    const auto above = std::upper_bound(edges.begin() + 1, edges.end(), value);
    return static_cast<std::size_t>(above - edges.begin()) - 1;
  }

  // Whether the first of amounts is 0, and each is above the one before.
  template <class Amounts>
  static bool ascends_from_0(const Amounts& amounts) {
    const auto is_not_below = [](std::int64_t one, std::int64_t next) { return one >= next; };
    return *amounts.begin() == 0 && *(amounts.end() - 1) <= kLargestAmount &&
           std::adjacent_find(amounts.begin(), amounts.end(), is_not_below) == amounts.end();
  }

  void read_row(const policy::BudgetRow& row);
  void check_edges() const;
  static void check_engine(const policy::BatchEngine& engine);
  static void check_part(const policy::StepPart& part);

  Numbers first_waiting_, first_decoding_, new_sequences_, budgets_;
  std::int64_t kv_blocks_, block_tokens_, max_sequences_;
};

inline BudgetTable::BudgetTable(const policy::BudgetTable& form)
    : first_waiting_(form.first_waiting()->begin(), form.first_waiting()->end()),
      kv_blocks_(form.engine()->kv_blocks()),
      block_tokens_(form.engine()->block_tokens()),
      max_sequences_(form.engine()->max_sequences()) {
  using detail::require;
  for (const policy::BudgetRow* row : *form.rows()) read_row(*row);
  check_edges();
  const auto first_row_end = budgets_.begin() + static_cast<std::ptrdiff_t>(first_waiting_.size());
  require(new_sequences_[0] > 0 && *std::min_element(budgets_.begin(), first_row_end) > 0,
          "`budgets` and `new_sequences` of the first row must be above 0");
  check_engine(*form.engine());
}

inline void BudgetTable::read_row(const policy::BudgetRow& row) {
  using detail::require;
  require(row.new_sequences() >= 0, "`new_sequences` must not be negative");
  require(row.budgets()->size() == first_waiting_.size(),
          "`budgets` of a row must have a budget for each column");
  for (const std::int64_t budget : *row.budgets()) {
    require(0 <= budget && budget <= kLargestAmount, "`budgets` must be 0 to 2^26");
    budgets_.push_back(budget);
  }
  first_decoding_.push_back(row.first_decoding());
  new_sequences_.push_back(row.new_sequences());
}

inline void BudgetTable::check_edges() const {
  using detail::require;
  constexpr std::size_t kMostRows = 4'096, kMostColumns = 1'024;
  require(!first_waiting_.empty() && first_waiting_.size() <= kMostColumns,
          "`first_waiting` must have 1 to 1024 columns");
  require(ascends_from_0(first_waiting_), "`first_waiting` must ascend from 0 to at most 2^26");
  require(!first_decoding_.empty() && first_decoding_.size() <= kMostRows,
          "`rows` must have 1 to 4096 rows");
  require(ascends_from_0(first_decoding_), "`first_decoding` must ascend from 0 to at most 2^26");
}

inline void BudgetTable::check_engine(const policy::BatchEngine& engine) {
  using detail::require;
  const auto [least, most] =
      std::minmax({engine.kv_blocks(), engine.block_tokens(), engine.max_sequences()});
  require(least > 0, "`kv_blocks`, `block_tokens`, `max_sequences` must be above 0");
  require(most <= kLargestAmount && engine.kv_blocks() <= kLargestAmount / engine.block_tokens(),
          "`kv_blocks` x `block_tokens` and `max_sequences` must be at most 2^26");
  const policy::StepTimes& step = *engine.step();
  require(0 < step.fixed_ns() && step.fixed_ns() <= kLargestNs, "`fixed_ns` must be 1 to 2^36");
  for (const auto* part : {step.tokens(), step.prompt(), step.decoding(), step.context()})
    check_part(*part);
}

inline void BudgetTable::check_part(const policy::StepPart& part) {
  using detail::require;
  const auto &knots = *part.knots(), &time_ns = *part.time_ns();
  require(knots.size() == time_ns.size(), "a knot must have a time, and no other");
  require(knots.size() > 1, "`knots` must have at least two amounts");
  require(ascends_from_0(knots), "`knots` must ascend from 0 to at most 2^26");
  require(time_ns.Get(0) == 0 && std::is_sorted(time_ns.begin(), time_ns.end()),
          "`time_ns` must begin with 0 and not decrease");
  require(*(time_ns.end() - 1) <= kLargestNs, "`time_ns` must be at most 2^36");
}

}  // namespace tailc
