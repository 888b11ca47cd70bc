// A core made slower by duty cycling: its thread works, then rests, in turns.
//
// Haque et al., MICRO 2017, section 5.2, let a second thread take the core away for periods of 100
// to 500 us. Here the working thread itself rests, so a rest comes when it is due however busy the
// machine is; a rest that was too long is made up for by the next ones.
#pragma once

#include <algorithm>

#include "clocks.hpp"

class SlowCore {
 public:
  // A core that takes `slowdown` times as long; 1 is one that never rests.
  explicit SlowCore(double slowdown) : slowdown_(slowdown) {}

  // What follows is work.
  void begin() { cpu_us_ = own_cpu_us(); }

  // Rest if a period's work is done; called often while working.
  void rest_if_due() {
    if (slowdown_ > 1.0 && own_cpu_us() - cpu_us_ >= kWorkUs) rest();
  }

  // Rest for all work since `begin` or the last rest.
  void rest() {
    owed_us_ += (own_cpu_us() - cpu_us_) * (slowdown_ - 1.0);
    if (owed_us_ >= kShortestRestUs) {
      const double from_us = now_us();
      sleep_until_us(from_us + std::min(owed_us_, kLongestRestUs));
      owed_us_ -= now_us() - from_us;
    }
    begin();
  }

 private:
  static constexpr double kWorkUs = 200, kShortestRestUs = 100, kLongestRestUs = 500;
  double slowdown_, cpu_us_ = 0, owed_us_ = 0;
};
