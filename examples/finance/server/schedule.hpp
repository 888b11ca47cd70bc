// Who runs where: slow-to-fast on one slow and one fast core.
//
// Haque et al., MICRO 2017, Algorithm 1, for one core of each kind. A request has a core to itself.
// It wants the fast one from the age that the policy says (counted from its arrival), and takes it
// when it is free; a request on the slow core also moves up early where another waits.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "clocks.hpp"
#include "epochs.hpp"
#include "option.hpp"
#include "policy.hpp"

enum Core { kSlow = 0, kFast = 1 };

struct Job {
  std::int64_t number;
  double arrival_us;
  Pricing pricing;
  double start_us = 0, moved_us = 0, end_us = 0;  // 0: not yet, or never
  double cpu_us = 0;
  Core ended_on = kSlow;
};

using JobPtr = std::unique_ptr<Job>;

class Schedule {
 public:
  // `source` is this object's alone.
  explicit Schedule(PolicySource& source) : source_(source) {}

  void arrive(JobPtr job) {
    const std::lock_guard lock(mutex_);
    epochs_.arrived(job->arrival_us);
    waiting_.push_back(std::move(job));
    place();
  }

  // No more arrivals will come.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

  // The next request for a core; null once all are served.
  JobPtr next(Core core) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return given_[core] || (is_closed_ && in_system() == 0); });
    return std::move(given_[core]);
  }

  void finish(Core core, Job& job, double end_us) {
    const std::lock_guard lock(mutex_);
    job.end_us = end_us;
    job.ended_on = core;
    if (tailc::Controller* controller = source_.current().controller())
      epochs_.completed(static_cast<Whole>(end_us - job.arrival_us), end_us, *controller);
    running_[core] = nullptr;
    place();
  }

  // Hand a request from the slow to the fast core if it should go there now; else keep it.
  bool moves_up(JobPtr& job) {
    const std::lock_guard lock(mutex_);
    const bool makes_room = !waiting_.empty();
    if (running_[kFast] != nullptr || !(wants_fast(*job) || makes_room)) return false;
    job->moved_us = now_us();
    running_[kSlow] = nullptr;
    give(kFast, std::move(job));
    place();
    return true;
  }

  // What the controller did, once all is served.
  const std::vector<Step>& steps() const { return epochs_.steps(); }

 private:
  bool wants_fast(const Job& job) {
    const double now = now_us(), start_us = job.start_us > 0 ? job.start_us : now;
    return sends_to_fast(source_.current(), in_system(), static_cast<Whole>(start_us - job.arrival_us),
                         static_cast<Whole>(now - start_us));
  }

  Whole in_system() const {
    return static_cast<Whole>(waiting_.size()) + (running_[kSlow] != nullptr) +
           (running_[kFast] != nullptr);
  }

  // Start waiting requests, the first to come first. One that wants the fast core leaves it to an
  // older one on the slow core that wants it too.
  void place() {
    while (!waiting_.empty()) {
      const bool is_wanted = running_[kSlow] != nullptr && wants_fast(*running_[kSlow]);
      const bool takes_fast = wants_fast(*waiting_.front()) && !is_wanted;
      if (takes_fast && running_[kFast] == nullptr) {
        start(kFast);
      } else if (running_[kSlow] == nullptr) {
        start(kSlow);
      } else {
        break;
      }
    }
    changed_.notify_all();
  }

  void start(Core core) {
    JobPtr job = std::move(waiting_.front());
    waiting_.pop_front();
    job->start_us = now_us();
    give(core, std::move(job));
  }

  void give(Core core, JobPtr job) {
    running_[core] = job.get();
    given_[core] = std::move(job);
  }

  PolicySource& source_;
  Epochs epochs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<JobPtr> waiting_;
  std::array<const Job*, 2> running_{};  // who has a core, picked up by its worker or not yet
  std::array<JobPtr, 2> given_;
  bool is_closed_ = false;
};
