// What a server's metrics may want to know; any thread may read at any time.
#pragma once

#include <atomic>
#include <cstdint>

namespace tailc {

struct Counters {
  // Look-ups at a load that the policy was not compiled for, of a queue longer than its rows, or at
  // a moment outside its epochs.
  std::atomic<std::uint64_t> outside{0};
  // Policies that should have taken the place of one held, and were refused or could not be read.
  std::atomic<std::uint64_t> refused_reloads{0};
  // Why the last of them was: the word of its refusal, or `unreadable`; null: none was.
  std::atomic<const char*> last_refusal{nullptr};

  void refuse(const char* why) noexcept {
    last_refusal.store(why, std::memory_order_relaxed);
    refused_reloads.fetch_add(1, std::memory_order_relaxed);
  }
};

}  // namespace tailc
