// Questions are drawn from a seed, and their answers summed up, alike in every language's runtime.
#pragma once

#include <cstdint>

// SplitMix64.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
  }

 private:
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

// Of all answers so far.
class Checksum {
 public:
  template <class... Values>
  void fold(Values... values) {
    ((sum_ = (sum_ ^ static_cast<std::uint64_t>(values)) * 0x100000001B3), ...);
  }

  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xCBF29CE484222325;
};
