// What a server's metrics may want to know; any thread may read at any time.
#pragma once

#include <atomic>
#include <cstdint>

namespace tailc {

struct Counters {
  // Look-ups at a load that the policy was not compiled for, of a queue longer than its rows, or at
  // a moment outside its epochs.
  std::atomic<std::uint64_t> outside{0};
  // Policies that `open_newer` refused, or could not read.
  std::atomic<std::uint64_t> refused_reloads{0};
};

}  // namespace tailc
