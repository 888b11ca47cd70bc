// Times a request that starts, climbs and exits, and its look-ups alone: `schedule FILE`.
//
// Prints nanoseconds of a request, and of the look-ups that it makes, each the least of many short
// rounds in turns; and how many allocations a request makes.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>

#include <tailc/schedule.hpp>
#include <tailc/tailc.hpp>

namespace {

constexpr int kRounds = 3'000, kRequests = 500;
std::int64_t allocations = 0;

template <class Work>
double ns_of(const Work& work) {
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < kRequests; ++i) work();
  const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begun;
  return passed.count() / kRequests;
}

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  void* made = std::malloc(size);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
void operator delete(void* held) noexcept { std::free(held); }
void operator delete(void* held, std::size_t) noexcept { std::free(held); }

int main(int, char** arguments) {
  const auto policy = std::make_shared<tailc::Policy>(tailc::open(arguments[1]));
  const tailc::Ladder& ladder = policy->ladder();
  const std::int64_t quantum_ns = ladder.quantum_us() * 1'000;
  tailc::Schedule schedule(policy, 0);
  std::int64_t now_ns = 0, sum = 0;
  const auto request = [&] {
    tailc::Request* arrived = schedule.arrive(now_ns);
    now_ns += quantum_ns;
    schedule.wake(now_ns);
    sum += schedule.decisions.back().rung;
    schedule.exit(*arrived, now_ns);
    schedule.decisions.clear();
  };
  const auto lookups = [&] {
    sum += ladder.lookup(1, 0, 0).rung + ladder.lookup(1, 0, sum & 1).rung;
    sum += ladder.lookup(1, 0, ladder.quantum_us()).rung;
  };
  double request_ns = std::numeric_limits<double>::infinity(), lookups_ns = request_ns;
  for (int round = 0; round < kRounds; ++round) {
    request_ns = std::min(request_ns, ns_of(request));
    lookups_ns = std::min(lookups_ns, ns_of(lookups));
  }
  const std::int64_t before = allocations;
  ns_of(request);
  const double made = static_cast<double>(allocations - before) / kRequests;
  std::printf("%.1f %.1f %.2f\n", request_ns, lookups_ns, made);
  return sum == 0;
}
