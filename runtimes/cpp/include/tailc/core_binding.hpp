// Threads on the processors of their requests' cores, where the platform can bind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

#include "schedule_state.hpp"

namespace tailc {

// Numbers of processors by core type, for policies whose rungs are cores.
using Processors = std::map<std::string, std::vector<int>>;

namespace detail {

#if defined(__linux__)
using ThreadHandle = pthread_t;
inline ThreadHandle this_thread() noexcept { return pthread_self(); }
#else
using ThreadHandle = int;
inline ThreadHandle this_thread() noexcept { return 0; }
#endif

// Binds a thread to some processors; false if that is not permitted, or not possible.
inline bool bind_thread([[maybe_unused]] ThreadHandle thread,
                        [[maybe_unused]] const std::vector<int>& processors) noexcept {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(static_cast<std::size_t>(processor), &set);
  return pthread_setaffinity_np(thread, sizeof set, &set) == 0;
#else
  return false;
#endif
}

// Whether the platform can bind a thread to a processor, and this thread may run on it.
inline bool may_bind([[maybe_unused]] int processor) noexcept {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 &&
         CPU_ISSET(static_cast<std::size_t>(processor), &set);
#else
  return false;
#endif
}

// The processors of a policy's cores. Throws ScheduleError if there are too few of a type, or if
// threads cannot be bound to one.
class CoreBinding {
 public:
  CoreBinding(const Policy& policy, const Processors& processors) : processors_(processors) {
    for (const auto& [type, numbers] : processors_) {
      for (const int number : numbers)
        if (!may_bind(number))
          throw ScheduleError("no thread can be bound to processor " + std::to_string(number));
      all_.insert(all_.end(), numbers.begin(), numbers.end());
    }
    for (const Ladder& ladder : policy.ladders()) check(ladder);
  }

  void check(const Ladder& ladder) const {
    if (!processors_.empty() && ladder.core_unit().empty())
      throw ScheduleError("the rungs of the policy are not cores");
    for (std::size_t rung = 0; rung < ladder.core_unit().size(); ++rung) {
      const RungSetting& setting = ladder.settings()[rung];
      if (!setting.core_type)
        throw ScheduleError("rung `" + setting.name + "` has no core type, so its processors are unknown");
      const std::string& type = *setting.core_type;
      const auto found = processors_.find(type);
      const std::int64_t count = ladder.core_count()[ladder.core_unit()[rung]];
      if (found == processors_.end() || static_cast<std::int64_t>(found->second.size()) < count)
        throw ScheduleError("the policy needs " + std::to_string(count) +
                            " processors of core type `" + type + "`");
    }
  }

  // Binds a thread to the core of a request; one that has none is left alone.
  bool bind(ThreadHandle thread, const Request& request) const {
    if (request.core < 0) return true;
    const std::vector<int>& numbers = processors_.at(*request.setting().core_type);
    return bind_thread(thread, {numbers[static_cast<std::size_t>(request.core)]});
  }

  // A thread that waits for its next request may run on any of the processors.
  bool release(ThreadHandle thread) const { return all_.empty() || bind_thread(thread, all_); }

 private:
  Processors processors_;
  std::vector<int> all_;
};

}  // namespace detail
}  // namespace tailc
