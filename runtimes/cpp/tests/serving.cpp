// A server with a log: `serving POLICY KEY LOG` runs three requests of two parts, each of which uses 3 ms
// of its thread, and prints the metrics. An empty KEY is none.

#include <iostream>
#include <memory>
#include <string>

#include <tailc/scheduler.hpp>
#include <tailc/tailc.hpp>

namespace {

void use_3_ms() {
  const std::int64_t end_ns = tailc::detail::thread_time_ns() + 3'000'000;
  while (tailc::detail::thread_time_ns() < end_ns) {
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: serving POLICY KEY LOG\n";
    return 64;
  }
  tailc::Options options;
  if (*arguments[2] != '\0') options.trusted.emplace_back(arguments[2]);
  tailc::SchedulerOptions with_log;
  with_log.threads = 2;
  with_log.log = 
      std::make_shared<tailc::DemandLog>(arguments[3], 1, tailc::DemandColumns::times);
  std::string metrics;
  {
    auto policy = std::make_shared<tailc::Policy>(tailc::open(arguments[1], options));
    tailc::Scheduler scheduler(policy, with_log);
    for (int i = 0; i < 3; ++i) scheduler.run({use_3_ms, use_3_ms});
    metrics = scheduler.metrics();
  }
  std::cout << metrics;
  return 0;
}
