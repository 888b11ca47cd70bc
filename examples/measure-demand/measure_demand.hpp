// Writes what each request takes of its thread's CPU, as a CSV for tailc. In a handler:
//
//   MeasuredDemand measured(log);   // until the end of the scope
#pragma once
#include <time.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <string>

class DemandFile {
 public:
  explicit DemandFile(const std::string& path) : file_(path, std::ios::app) {
    if (file_.tellp() == 0) file_ << "demand_us\n" << std::flush;
  }
  void record(long demand_us) {
    const std::lock_guard<std::mutex> held(mutex_);
    file_ << std::max(demand_us, 1L) << std::endl;  // a trace has no demand of 0
  }

 private:
  std::ofstream file_;
  std::mutex mutex_;
};

class MeasuredDemand {
 public:
  explicit MeasuredDemand(DemandFile& file) : file_(file), began_us_(thread_us()) {}
  ~MeasuredDemand() { file_.record(thread_us() - began_us_); }
  MeasuredDemand(const MeasuredDemand&) = delete;

 private:
  static long thread_us() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000L + now.tv_nsec / 1000;
  }
  DemandFile& file_;
  long began_us_;
};
