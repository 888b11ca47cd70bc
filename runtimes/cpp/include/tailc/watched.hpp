// A policy that is opened again whenever its file changes; on systems with POSIX.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <ctime>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "bytes.hpp"
#include "opening.hpp"
#include "sha256.hpp"

namespace tailc {

namespace detail {

// What of a file changes with it, after all symbolic links: also where it is renamed over, or a link
// on the way to it is swapped.
struct Stamp {
  std::tuple<dev_t, ino_t, off_t, std::int64_t, std::int64_t> seen;
  // Whether it may change again and look the same: clocks of file systems are coarse.
  bool is_young;

  // Throws std::system_error where the file cannot be looked at.
  static Stamp of(const std::string& path);
};

// The policy in force, whose number is that of its reload.
struct Current {
  std::mutex lock;  // held as long as it takes to copy or swap a pointer
  std::shared_ptr<Policy> policy;
  std::atomic<std::uint64_t> number{0};
};

}  // namespace detail

enum class Change {
  unchanged,  // the policy held is the one in the file, or what is there was refused before
  reloaded,   // another policy is in force
  refused,    // what is there now is refused, or cannot be read: the policy held stays in force
};

// Result of a check of the file; for a refusal its word, or `unreadable`, and the reason.
struct Look {
  Change change;
  std::string word, why;
};

// The policy in a file and its successors, for one thread; every thread needs its own reader.
//
// `current` costs a load and a comparison, and never waits: a new policy is taken over by a lock that
// is only tried, so that where another thread has it at that moment, the next call sees the new one.
class Reader {
 public:
  // The policy in force, until the next call of `current`.
  Policy& current() {
    if (current_->number.load(std::memory_order_acquire) != number_) take_over();
    return *policy_;
  }

 private:
  friend class Watched;

  explicit Reader(std::shared_ptr<detail::Current> current) : current_(std::move(current)) {
    const std::lock_guard<std::mutex> held(current_->lock);
    read();
  }

  void take_over() {
    const std::unique_lock<std::mutex> held(current_->lock, std::try_to_lock);
    if (held.owns_lock()) read();
  }

  void read() {
    policy_ = current_->policy;
    number_ = current_->number.load(std::memory_order_relaxed);
  }

  std::shared_ptr<detail::Current> current_;
  std::shared_ptr<Policy> policy_;
  std::uint64_t number_;
};

// A policy that follows its file: if the file changes, its new policy replaces the current one,
// unless it is refused. A refused one is counted once, and read again when it changes again; so is
// one that cannot be read, but each look tries to.
//
// A policy that is no longer in force is freed by a look at the file, after all readers have gone on
// to the next, so that no reader frees one.
class Watched {
 public:
  // Opens the policy like `open`; the options also apply to its successors.
  explicit Watched(std::string path, Options options = {});
  ~Watched() { stop(); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  // For the thread that looks up.
  Reader reader() const { return Reader(current_); }
  // The current policy as a shared pointer, for any thread; may wait while a pointer is swapped.
  std::shared_ptr<Policy> current() const;

  // Looks at the file once, now.
  Look check();

  // Checks the file once per interval in a separate thread, until `stop` or the end. Throws
  // std::invalid_argument for no interval, and std::logic_error where it does so already.
  void start(std::chrono::nanoseconds interval = std::chrono::seconds(1));
  // The policy stays in force. `start` and `stop` are for one thread.
  void stop();

 private:
  // The bytes of a new policy; none if the policy has not changed.
  std::optional<std::vector<std::uint8_t>> changed_bytes();
  void take(Policy policy);

  std::string path_;
  Options options_;
  std::shared_ptr<detail::Current> current_ = std::make_shared<detail::Current>();

  std::mutex looking_;  // of what follows
  std::optional<detail::Stamp> stamp_;  // none: it could not be looked at
  bool is_unreadable_ = false;
  Sha256 last_read_{}, held_{};
  std::vector<std::shared_ptr<Policy>> replaced_;

  std::mutex stopping_;  // of what follows
  std::condition_variable stopped_;
  bool is_stopped_ = false;
  std::thread thread_;
};

inline detail::Stamp detail::Stamp::of(const std::string& path) {
  // Longer than the coarsest clock of a file system.
  constexpr std::int64_t kYoungNs = 2'000'000'000, kNsPerS = 1'000'000'000;
  struct stat found;
  if (::stat(path.c_str(), &found) != 0)
    throw std::system_error(errno, std::generic_category(), path);
  const auto ns_of = [](const std::timespec& time) { return time.tv_sec * kNsPerS + time.tv_nsec; };
#ifdef __APPLE__
  const std::int64_t written_ns = ns_of(found.st_mtimespec), changed_ns = ns_of(found.st_ctimespec);
#else
  const std::int64_t written_ns = ns_of(found.st_mtim), changed_ns = ns_of(found.st_ctim);
#endif
  const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  return {{found.st_dev, found.st_ino, found.st_size, written_ns, changed_ns},
          now.count() - std::max(written_ns, changed_ns) < kYoungNs};
}

inline Watched::Watched(std::string path, Options options)
    : path_(std::move(path)), options_(std::move(options)), stamp_(detail::Stamp::of(path_)) {
  const auto bytes = detail::bytes_of(path_, detail::kMostBytes + 1);
  last_read_ = held_ = sha256(bytes.data(), bytes.size());
  current_->policy = std::make_shared<Policy>(
      detail::opened_of(path_, bytes, options_, std::make_shared<Counters>()));
}

inline std::shared_ptr<Policy> Watched::current() const {
  const std::lock_guard<std::mutex> held(current_->lock);
  return current_->policy;
}

inline Look Watched::check() {
  const std::lock_guard<std::mutex> held(looking_);
  const auto is_free = [](const auto& policy) { return policy.use_count() == 1; };
  replaced_.erase(std::remove_if(replaced_.begin(), replaced_.end(), is_free), replaced_.end());
  const std::shared_ptr<Policy> before = current();
  try {
    return detail::counted(*before->counters(), [&] {
      const auto bytes = changed_bytes();
      if (!bytes) return Look{Change::unchanged, {}, {}};
      take(detail::opened_of(path_, *bytes, detail::replacing(*before, options_),
                             before->counters()));
      held_ = last_read_;
      return Look{Change::reloaded, {}, {}};
    });
  } catch (const PolicyError& error) {
    return {Change::refused, name_of(error.refusal()), error.what()};
  } catch (const std::exception& error) {
    // No files or no memory may be left for a while: the next look tries again.
    is_unreadable_ = true;
    last_read_ = {};
    return {Change::refused, "unreadable", error.what()};
  }
}

inline std::optional<std::vector<std::uint8_t>> Watched::changed_bytes() {
  const auto before = std::exchange(stamp_, std::nullopt);
  const bool was_unreadable = std::exchange(is_unreadable_, false);
  bool is_touched = before.has_value();
  try {
    stamp_ = detail::Stamp::of(path_);
    is_touched = !before || before->seen != stamp_->seen;
    if (!is_touched && !before->is_young && !was_unreadable) return std::nullopt;
    auto bytes = detail::bytes_of(path_, detail::kMostBytes + 1);
    const Sha256 digest = sha256(bytes.data(), bytes.size());
    const bool is_known = digest == held_ || (!is_touched && digest == last_read_);
    last_read_ = digest;
    if (is_known) return std::nullopt;
    return bytes;
  } catch (const std::exception&) {
    is_unreadable_ = true;
    if (was_unreadable && !is_touched) return std::nullopt;
    throw;
  }
}

inline void Watched::take(Policy policy) {
  auto next = std::make_shared<Policy>(std::move(policy));
  replaced_.push_back(current());
  const std::lock_guard<std::mutex> held(current_->lock);
  current_->policy = std::move(next);
  current_->number.fetch_add(1, std::memory_order_release);
}

inline void Watched::start(std::chrono::nanoseconds interval) {
  if (interval <= std::chrono::nanoseconds::zero())
    throw std::invalid_argument("the interval must be above 0");
  if (thread_.joinable()) throw std::logic_error("the file is already watched");
  is_stopped_ = false;
  thread_ = std::thread([this, interval] {
    std::unique_lock<std::mutex> held(stopping_);
    while (!stopped_.wait_for(held, interval, [this] { return is_stopped_; })) {
      held.unlock();
      check();
      held.lock();
    }
  });
}

inline void Watched::stop() {
  {
    const std::lock_guard<std::mutex> held(stopping_);
    is_stopped_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace tailc
