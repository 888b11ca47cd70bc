// The policy in force: of a file that is watched, or built into the server with EMBEDDED_POLICY.
#pragma once

#include <tailc/scheduler.hpp>
#include <tailc/tailc.hpp>
#include <tailc/watched.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

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
      embedded_ = std::make_shared<tailc::Policy>(embedded());
    } else {
      watched_ = std::make_unique<tailc::Watched>(name, of_this_service());
    }
  }

  std::shared_ptr<tailc::Policy> current() const { return watched_ ? watched_->current() : embedded_; }

  // Applies the policy; a file is looked at once a second.
  std::unique_ptr<tailc::Scheduler> scheduler(const tailc::SchedulerOptions& options) {
    if (!watched_) return std::make_unique<tailc::Scheduler>(embedded_, options);
    watched_->start();
    return std::make_unique<tailc::Scheduler>(*watched_, options);
  }

 private:
  std::shared_ptr<tailc::Policy> embedded_;
  std::unique_ptr<tailc::Watched> watched_;
};
