// The processor time of a thread, where the platform has it.
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__unix__) || defined(__APPLE__)
#include <time.h>
#endif

namespace tailc::detail {

#if defined(CLOCK_THREAD_CPUTIME_ID)
constexpr bool kHasThreadTime = true;
inline std::int64_t thread_time_ns() noexcept {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<std::int64_t>(used.tv_sec) * 1'000'000'000 + used.tv_nsec;
}
#else
constexpr bool kHasThreadTime = false;
inline std::int64_t thread_time_ns() noexcept { return 0; }
#endif

}  // namespace tailc::detail
