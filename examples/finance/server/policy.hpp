// The policy in force: of a file that is watched, or built into the server with EMBEDDED_POLICY.
#pragma once

#include <tailc/tailc.hpp>
#include <tailc/watched.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef EMBEDDED_POLICY
#include "embedded_policy.hpp"  // written by `tailc embed --lang cpp --sealed`
#endif

using Whole = std::int64_t;

inline tailc::Options of_this_service() {
  tailc::Options options;
  options.service = "finance";
  return options;
}

inline tailc::Policy embedded() {
#ifdef EMBEDDED_POLICY
  return tailc::open(embedded_policy::kSealed, sizeof embedded_policy::kSealed, of_this_service());
#else
  throw std::runtime_error("no policy is built into this server");
#endif
}

class PolicySource {
 public:
  // `embedded`, or the path of a `.tailc` file.
  explicit PolicySource(const std::string& name) {
    if (name == "embedded") {
      embedded_ = embedded();
    } else {
      watched_ = std::make_unique<tailc::Watched>(name, of_this_service());
      reader_ = watched_->reader();
    }
  }

  // For one thread at a time: what it returns holds until it is called again.
  tailc::Policy& current() { return reader_ ? reader_->current() : *embedded_; }

  // Look once a second whether the file has changed.
  void follow() {
    if (watched_) watched_->start();
  }

 private:
  std::optional<tailc::Policy> embedded_;
  std::unique_ptr<tailc::Watched> watched_;
  std::optional<tailc::Reader> reader_;
};

// Whether a policy sends a request to the fast core.
inline bool sends_to_fast(const tailc::Policy& policy, Whole in_system, Whole waited_us,
                          Whole executed_us) {
  const tailc::Ladder& ladder = policy.ladder();
  return ladder.rungs()[ladder.lookup(in_system, waited_us, executed_us).rung] == "fast";
}

// Throws unless rungs are one slow and one fast core, a request having one to itself.
inline void require_two_cores(const tailc::Policy& policy) {
  const tailc::Ladder& ladder = policy.ladder();
  const std::vector<std::string> cores = {"slow", "fast"};
  const std::vector<Whole>& counts = ladder.core_count();
  const bool has_one_of_each = counts.size() >= 2 && counts[0] == 1 && counts[1] == 1;
  if (ladder.rungs() != cores || !has_one_of_each)
    throw std::runtime_error("the policy is not for one slow and one fast core");
}
