// Times in microseconds, sleeping, and the core that a thread runs on.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <cstdint>
#include <stdexcept>
#include <string>

inline double read_us(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

inline double now_us() { return read_us(CLOCK_MONOTONIC); }

// CPU time of this thread, which stands still while others have its core.
inline double own_cpu_us() { return read_us(CLOCK_THREAD_CPUTIME_ID); }

inline void sleep_until_us(double then_us) {
  timespec t;
  t.tv_sec = static_cast<time_t>(then_us / 1e6);
  t.tv_nsec = static_cast<long>((then_us - 1e6 * static_cast<double>(t.tv_sec)) * 1e3);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) != 0) {
  }
}

// Let sleeps of this thread, and of those that it starts, end within a microsecond.
inline void let_sleeps_end_at_once() { prctl(PR_SET_TIMERSLACK, 1000); }

// Bind this thread to a core.
inline void bind_to_core(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  if (pthread_setaffinity_np(pthread_self(), sizeof cores, &cores) != 0)
    throw std::runtime_error("core " + std::to_string(core) + " is not ours to bind to");
  let_sleeps_end_at_once();
}
