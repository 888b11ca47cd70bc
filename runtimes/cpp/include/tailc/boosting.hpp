// Priority of the threads of boosted requests, where the platform permits it.
#pragma once

#include <cerrno>

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tailc::detail {

// Sets the niceness of this thread; false if that is not permitted.
inline bool set_niceness([[maybe_unused]] int niceness) noexcept {
#if defined(__linux__)
  const auto thread = static_cast<id_t>(syscall(SYS_gettid));
  return setpriority(PRIO_PROCESS, thread, niceness) == 0;
#else
  return false;
#endif
}

// The niceness of this thread.
inline int current_niceness() noexcept {
#if defined(__linux__)
  return getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)));
#else
  return 0;
#endif
}

// Gives this thread a higher priority while its request is boosted.
inline void boost_this_thread(bool is_boosted) noexcept {
  thread_local bool has_priority = false;
  thread_local int before = 0;
  if (is_boosted != has_priority) {
    if (is_boosted) before = current_niceness();
    set_niceness(is_boosted ? -5 : before);
    has_priority = is_boosted;
  }
}

// Why threads are not boosted; null if they are. Raises the priority of this thread for a moment.
inline const char* why_no_boost() noexcept {
#if defined(__linux__)
  const int before = current_niceness();
  if (!set_niceness(-5)) return "raising a priority needs CAP_SYS_NICE";
  set_niceness(before);
  return nullptr;
#else
  return "only Linux has a priority for each thread";
#endif
}

}  // namespace tailc::detail
