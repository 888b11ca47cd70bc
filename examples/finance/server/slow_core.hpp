// A core made slower by duty cycling: its thread works, then rests, in turns.
//
// Haque et al., MICRO 2017, section 5.2, let a second thread take the core away for periods of 100
// to 500 us. Here the working thread itself rests, so a rest comes when it is due however busy the
// machine is; a rest that was too long is made up for by the next ones.
#pragma once

#include <algorithm>
#include <utility>

#include "clocks.hpp"

class SlowCore {
 public:
  // A core that takes `slowdown` times as long; 1 is one that never rests.
  explicit SlowCore(double slowdown) : slowdown_(slowdown) {}

  // What follows is work.
  void begin() { cpu_us_ = own_cpu_us(); }

  // CPU time of the work since `begin`, or since it was asked for; what resting takes is none.
  double worked_us() {
    account();
    return std::exchange(worked_us_, 0);
  }

  // Rest if a period's rest is due; called often while working.
  void rest_if_due() {
    if (slowdown_ == 1.0) return;
    account();
    if (owed_us_ >= kRestUs) sleep();
  }

  // Rest for all work since `begin`.
  void rest() {
    account();
    if (owed_us_ >= kShortestRestUs) sleep();
  }

 private:
  static constexpr double kRestUs = 200, kShortestRestUs = 100, kLongestRestUs = 500;

  void account() {
    const double cpu_us = own_cpu_us(), worked_us = cpu_us - cpu_us_;
    worked_us_ += worked_us;
    owed_us_ += worked_us * (slowdown_ - 1.0);
    cpu_us_ = cpu_us;
  }

  void sleep() {
    const double from_us = now_us();
    sleep_until_us(from_us + std::min(owed_us_, kLongestRestUs));
    owed_us_ -= now_us() - from_us;
    begin();
  }

  double slowdown_, cpu_us_ = 0, worked_us_ = 0, owed_us_ = 0;
};
