// A policy in memory: its forms, and what it is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "_generated/policy_generated.h"
#include "budget_table.hpp"
#include "controller.hpp"
#include "counters.hpp"
#include "error.hpp"
#include "ladder.hpp"
#include "plan.hpp"
#include "shares.hpp"
#include "tail_table.hpp"

namespace tailc {

// What a policy has: one ladder for each class of requests, a tail table, shares, a plan, or a
// budget table.
//
// Look-ups in ladders, tail tables and budget tables are for any number of threads at once, also
// while another steps the controller. What is returned by reference is the policy's own.
class Policy {
 public:
  // From a FlatBuffer whose structure was verified, and which may be freed afterwards: see `open`.
  Policy(const policy::Policy& root, std::shared_ptr<Counters> counters,
         std::uint64_t signature_expires_s);

  const std::string& name() const noexcept { return name_; }
  const std::string& kind() const noexcept { return kind_; }
  // 1, 2, ...: the next number whenever the policy promises or does something else.
  std::int64_t generation() const noexcept { return generation_; }
  // Unix second at which its checked signature expires; 0 if it never expires, or was not checked.
  std::uint64_t signature_expires_s() const noexcept { return signature_expires_s_; }
  // Hex SHA-256 of the policy as canonical JSON.
  const std::string& policy_digest() const noexcept { return policy_digest_; }
  // Those of the policies whose place it took go on; never null.
  const std::shared_ptr<Counters>& counters() const noexcept { return counters_; }

  // The controller, which scales the ages of climbs, or the bound of a tail table; null without
  // one.
  Controller* controller() const noexcept { return controller_.get(); }

  // The ladder for all classes of requests. Throws PolicyError: other_form, unknown_class.
  const Ladder& ladder() const { return ladder_of(std::nullopt); }
  // The ladder of a class, or the ladder for all classes if the class has none.
  const Ladder& ladder(std::string_view request_class) const { return ladder_of(request_class); }
  const std::vector<Ladder>& ladders() const { return form<std::vector<Ladder>>("ladders"); }
  // These throw PolicyError, other_form, where the policy has another one.
  const TailTable& tail_table() const { return form<TailTable>("a tail table"); }
  Shares& shares() { return const_cast<Shares&>(form<Shares>("shares")); }
  Plan& plan() { return const_cast<Plan&>(form<Plan>("a plan")); }
  const BudgetTable& budget_table() const { return form<BudgetTable>("a budget table"); }

 private:
  using Forms = std::variant<std::vector<Ladder>, TailTable, Shares, Plan, BudgetTable>;

  template <class Form>
  const Form& form(const char* wanted) const {
    if (const Form* found = std::get_if<Form>(&forms_)) return *found;
    throw PolicyError(Refusal::other_form, std::string("the policy does not have ") + wanted);
  }

  const Ladder& ladder_of(std::optional<std::string_view> request_class) const;
  Forms forms_in(const policy::Policy& root);
  Forms ladders_in(const policy::Policy& root, std::size_t count) const;

  std::string name_, kind_, policy_digest_;
  std::int64_t generation_ = 0;
  std::uint64_t signature_expires_s_ = 0;
  std::shared_ptr<Counters> counters_;
  std::shared_ptr<Controller> controller_;
  Forms forms_;
};

inline Policy::Policy(const policy::Policy& root, std::shared_ptr<Counters> counters,
                      std::uint64_t signature_expires_s)
    : name_(root.name()->str()),
      kind_(root.kind()->str()),
      policy_digest_(root.policy_digest()->str()),
      generation_(root.generation()),
      signature_expires_s_(signature_expires_s),
      counters_(std::move(counters)),
      forms_(forms_in(root)) {}

inline const Ladder& Policy::ladder_of(std::optional<std::string_view> request_class) const {
  const Ladder* for_all = nullptr;
  for (const Ladder& ladder : ladders()) {
    if (!ladder.request_class()) for_all = &ladder;
    if (request_class && ladder.request_class() == *request_class) return ladder;
  }
  if (for_all != nullptr) return *for_all;
  const std::string whom =
      request_class ? "class `" + std::string(*request_class) + "` of requests" : "all requests";
  throw PolicyError(Refusal::unknown_class, "no ladder for " + whom);
}

// What the forms are together: ladders or one form of another kind, and a controller of it last.
inline Policy::Forms Policy::forms_in(const policy::Policy& root) {
  using detail::require;
  const auto& boxes = *root.forms();
  const bool steers = boxes.size() > 0 && boxes.Get(boxes.size() - 1)->form_as_Controller();
  const auto count = std::size_t{boxes.size()} - (steers ? 1 : 0);
  std::size_t ladders = 0;
  for (flatbuffers::uoffset_t i = 0; i < count; ++i) {
    require(boxes.Get(i)->form_as_Controller() == nullptr,
            "`forms` must have at most one controller, as the last form");
    ladders += boxes.Get(i)->form_as_Ladder() ? 1 : 0;
  }
  require(count > 0 && (ladders == count || (ladders == 0 && count == 1)),
          "`forms` must have exactly one of ladders, a tail table, shares, a plan and a budget table");
  if (steers)
    controller_ = std::make_shared<Controller>(*boxes.Get(boxes.size() - 1)->form_as_Controller());
  const auto scales = [&](Actuator actuator) {
    require(!controller_ || controller_->acts_on() == actuator,
            "`acts_on` must be `climb-ages` with ladders and `latency-bound` with a tail table");
  };
  const policy::FormBox& first = *boxes.Get(0);
  if (ladders > 0) return scales(Actuator::CLIMB_AGES), ladders_in(root, count);
  if (const auto* table = first.form_as_TailTable())
    return scales(Actuator::LATENCY_BOUND), TailTable(*table, controller_, counters_);
  require(!controller_,
          "`acts_on` must be `climb-ages` with ladders and `latency-bound` with a tail table");
  if (const auto* plan = first.form_as_Plan()) return Plan(*plan, counters_);
  if (const auto* budgets = first.form_as_BudgetTable()) return BudgetTable(*budgets);
  return Shares(*first.form_as_Shares());
}

inline Policy::Forms Policy::ladders_in(const policy::Policy& root, std::size_t count) const {
  std::vector<Ladder> ladders;
  std::set<std::optional<std::string>> classes;
  for (flatbuffers::uoffset_t i = 0; i < count; ++i) {
    ladders.emplace_back(*root.forms()->Get(i)->form_as_Ladder(), controller_, counters_);
    detail::require(classes.insert(ladders.back().request_class()).second,
                    "two ladders have the same `request_class`");
  }
  return ladders;
}

}  // namespace tailc
