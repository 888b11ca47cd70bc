// One look-up in C++, and opening a policy: `lookup FILE LOADS AGE_US`.
//
// Prints nanoseconds a look-up, of queries that do not wait for each other, of the same to a policy
// whose file is watched, and of queries that each wait for the answer before; then microseconds of opening a policy's bytes, of their hash, and of
// opening the file. Queries are drawn beforehand: loads below LOADS, ages below AGE_US.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include <tailc/tailc.hpp>
#include <tailc/watched.hpp>

namespace {

// Many short rounds: on a busy machine some are left alone.
constexpr int kRepeats = 400;
constexpr int kQueries = 16'384;
constexpr int kOpenings = 20;

using Clock = std::chrono::steady_clock;

// The least nanoseconds of a call of `work`, of `calls` in a row.
template <class Work>
double least_ns(int calls, const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto begun = Clock::now();
    work(calls);
    const std::chrono::duration<double, std::nano> passed = Clock::now() - begun;
    least = std::min(least, passed.count() / calls);
  }
  return least;
}

struct Query {
  std::int64_t load, age_us;
};

std::vector<Query> drawn(std::int64_t loads, std::int64_t ages_us) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> load(0, loads - 1), age_us(0, ages_us - 1);
  std::vector<Query> queries;
  for (int i = 0; i < kQueries; ++i) queries.push_back({load(random), age_us(random)});
  return queries;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 64;
  const tailc::Policy policy = tailc::open(arguments[1]);
  const tailc::Ladder& ladder = policy.ladder();
  const auto loads = std::strtoll(arguments[2], nullptr, 10);
  const auto ages_us = std::strtoll(arguments[3], nullptr, 10);
  const std::vector<Query> queries = drawn(loads, ages_us);
  // Written to after each round, so that no look-up is left out.
  volatile std::int64_t kept = 0;
  const double apart_ns = least_ns(kQueries, [&](int) {
    std::int64_t sum = 0;
    for (const Query& query : queries) sum += ladder.lookup(query.load, 0, query.age_us).rung;
    kept = sum;
  });
  tailc::Watched watched(arguments[1]);
  watched.start();
  tailc::Reader reader = watched.reader();
  const double watched_ns = least_ns(kQueries, [&](int) {
    std::int64_t sum = 0;
    for (const Query& query : queries)
      sum += reader.current().ladder().lookup(query.load, 0, query.age_us).rung;
    kept = sum;
  });
  const double chained_ns = least_ns(kQueries, [&](int) {
    std::int64_t rung = 0;
    for (const Query& query : queries)
      // No policy has as many rungs, which the compiler does not know.
      rung = ladder.lookup(query.load, 0, query.age_us + (rung >> 31)).rung;
    kept = rung;
  });
  const auto bytes = tailc::detail::bytes_of(arguments[1], tailc::detail::kMostBytes);
  const double bytes_ns = least_ns(kOpenings, [&](int calls) {
    for (int i = 0; i < calls; ++i) kept = tailc::open(bytes.data(), bytes.size()).generation();
  });
  const double hash_ns = least_ns(kOpenings, [&](int calls) {
    for (int i = 0; i < calls; ++i) kept = tailc::sha256(bytes.data(), bytes.size())[0];
  });
  const double file_ns = least_ns(kOpenings, [&](int calls) {
    for (int i = 0; i < calls; ++i) kept = tailc::open(arguments[1]).generation();
  });
  std::printf("%.2f %.2f %.2f %.2f %.2f %.2f\n", apart_ns, watched_ns, chained_ns, bytes_ns / 1e3,
              hash_ns / 1e3, file_ns / 1e3);
  return 0;
}
