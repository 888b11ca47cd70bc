// A pool of threads that runs parallel requests as a policy schedules them.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "boosting.hpp"
#include "core_binding.hpp"
#include "demand_log.hpp"
#include "schedule.hpp"
#include "schedule_metrics.hpp"
#include "thread_time.hpp"
#include "watched.hpp"

namespace tailc {

// How a request ended.
enum class Outcome {
  done,
  refused,  // the policy refused it: too many others were in the system
  cut_off,  // it was ended before all of its parts
};

struct SchedulerOptions {
  std::size_t threads = 1;  // of all requests together
  // Called with each policy that replaces another, and with each step of the controller. Both are
  // called under the lock of the scheduler, which they must not call; what they throw is ignored.
  std::function<void(const Policy&)> on_reload = {};
  std::function<void(const ControlStep&)> on_step = {};
  // Threads of requests are bound to them if the rungs of the policy are cores.
  Processors processors = {};
  // Gets the processor time of each request whose parts throw nothing, and its times if the log has
  // them. In a log with classes, a request without one has the empty class. What the log throws is
  // ignored; its rows stay in memory.
  std::shared_ptr<DemandLog> log = nullptr;
};

// Called from any thread. A request is its parts, which threads take one after another, as many at
// once as its rung has threads at its age.
class Scheduler {
 public:
  using Part = std::function<void()>;

  // `threads`: of all requests together, at least 1, else std::invalid_argument. Throws ScheduleError
  // for a policy that needs another server.
  Scheduler(std::shared_ptr<Policy> policy, std::size_t threads)
      : Scheduler(std::move(policy), nullptr, options_of(threads, {})) {}

  // Follows a watched policy, and calls `on_reload` with each new one, see SchedulerOptions.
  Scheduler(const Watched& watched, std::size_t threads,
            std::function<void(const Policy&)> on_reload = {})
      : Scheduler(watched.current(), &watched, options_of(threads, std::move(on_reload))) {}

  // The same with all options. A policy whose rungs are cores needs `processors`, and at least as
  // many threads as cores.
  Scheduler(std::shared_ptr<Policy> policy, SchedulerOptions options)
      : Scheduler(std::move(policy), nullptr, std::move(options)) {}
  Scheduler(const Watched& watched, SchedulerOptions options)
      : Scheduler(watched.current(), &watched, std::move(options)) {}

  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Waits until all requests have ended.
  ~Scheduler() {
    {
      std::unique_lock<std::mutex> held(lock_);
      idle_.wait(held, [&] { return schedule_.in_system() == 0; });
      is_closed_ = true;
    }
    timer_changed_.notify_all();
    work_added_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    timers_.join();
  }

  // The outcome of a request, when it has ended; the future has what a part threw. Throws PolicyError,
  // unknown_class.
  std::future<Outcome> submit(std::vector<Part> parts, std::string_view request_class = {}) {
    auto task = std::make_shared<Task>();
    task->parts = std::move(parts);
    task->request_class = request_class;
    std::future<Outcome> outcome = task->outcome.get_future();
    std::unique_lock<std::mutex> held(lock_);
    Request* request = schedule_.arrive(follow(), request_class);
    if (request == nullptr) {
      held.unlock();
      task->outcome.set_value(Outcome::refused);
      return outcome;
    }
    task->request = request;
    tasks_[request] = task;
    carry_out();
    return outcome;
  }

  // Runs a request, and waits until it has ended.
  Outcome run(std::vector<Part> parts, std::string_view request_class = {}) {
    return submit(std::move(parts), request_class).get();
  }

  // Why threads of boosted requests have no priority; null if they have.
  const char* why_no_boost() const noexcept { return why_no_boost_; }

  // The rung of the request whose part this thread runs, which climbs change; null elsewhere.
  static const RungSetting* current_rung() noexcept {
    const Task* task = running_task();
    return task == nullptr ? nullptr : task->rung.load(std::memory_order_relaxed);
  }

  // Counters and gauges as OpenMetrics text.
  std::string metrics() {
    const std::lock_guard<std::mutex> held(lock_);
    return detail::open_metrics(schedule_, now_ns() - reloaded_ns_);
  }

 private:
  // The parts of a request; guarded by the scheduler's lock.
  struct Task {
    std::vector<Part> parts;
    std::string request_class;
    Request* request = nullptr;
    std::int64_t used_ns = 0, thread_ns = 0;  // of its threads, for the log
    std::promise<Outcome> outcome;
    std::exception_ptr failure;
    std::size_t next = 0;
    int allowed = 0, active = 0;
    bool is_boosted = false, is_cut = false;
    std::atomic<const RungSetting*> rung{nullptr};
    // The thread of a request whose rungs are cores, while it runs a part.
    std::optional<detail::ThreadHandle> thread;

    bool has_parts() const { return !failure && !is_cut && next < parts.size(); }
  };

  static SchedulerOptions options_of(std::size_t threads,
                                     std::function<void(const Policy&)> on_reload) {
    SchedulerOptions options;
    options.threads = threads;
    options.on_reload = std::move(on_reload);
    return options;
  }

  static const Task*& running_task() noexcept {
    thread_local const Task* task = nullptr;
    return task;
  }

  Scheduler(std::shared_ptr<Policy> policy, const Watched* watched, SchedulerOptions options)
      : watched_(watched),
        on_reload_(std::move(options.on_reload)),
        on_step_(std::move(options.on_step)),
        log_(std::move(options.log)),
        reloaded_ns_(now_ns()),
        schedule_(std::move(policy), reloaded_ns_),
        used_(schedule_.policy()),
        binding_(*used_, options.processors),
        why_no_boost_(detail::why_no_boost()) {
    if (options.threads == 0) throw std::invalid_argument("the number of threads must be at least 1");
    if (log_ && !detail::kHasThreadTime)
      throw std::invalid_argument("a log needs a platform with the processor time of threads");
    for (std::size_t i = 0; i < options.threads; ++i) threads_.emplace_back([this] { work(); });
    timers_ = std::thread([this] { keep_time(); });
  }

  static std::int64_t now_ns() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  }

  // The time; first uses the policy that has replaced the one in use, if any.
  std::int64_t follow() {
    const std::int64_t now = now_ns();
    if (watched_ == nullptr) return now;
    std::shared_ptr<Policy> current = watched_->current();
    if (current == used_) return now;
    used_ = current;
    try {
      for (const Ladder& ladder : current->ladders()) binding_.check(ladder);
      schedule_.reload(current, now);
      reloaded_ns_ = now;
    } catch (const std::runtime_error&) {
      current->counters()->refuse("no-schedule");
      return now;
    }
    call_back(on_reload_, *current);
    return now;
  }

  template <class Callback, class Argument>
  static void call_back(const Callback& callback, const Argument& argument) {
    try {
      if (callback) callback(argument);
    } catch (...) {
      // The new policy, or the step, is in use all the same.
    }
  }

  // Gives tasks the threads that the schedule decided on, and sets the alarm.
  void carry_out() {
    for (std::size_t i = 0; i < schedule_.decisions.size(); ++i) {
      const Decision decision = schedule_.decisions[i];
      const auto found = tasks_.find(decision.request);
      // A request without parts ends at its start, before a cut-off that is due at once.
      if (found == tasks_.end()) continue;
      const std::shared_ptr<Task> task = found->second;
      task->is_cut = task->is_cut || decision.kind == DecisionKind::cut_off;
      task->allowed = task->is_cut ? 0 : decision.request->threads();
      task->is_boosted = decision.is_boosted;
      task->rung = &decision.request->setting();
      if (task->thread) binding_.bind(*task->thread, *decision.request);
      grow(task);
    }
    schedule_.decisions.clear();
    const auto due = schedule_.due_ns();
    if (due && *due < alarm_ns_) timer_changed_.notify_one();
  }

  // Adds the threads that a task does not use yet; ends it if it has none.
  void grow(const std::shared_ptr<Task>& task) {
    const int left = static_cast<int>(std::min<std::size_t>(task->parts.size() - task->next, 1 << 20));
    const int missing = task->has_parts() ? std::min(task->allowed - task->active, left) : 0;
    for (int i = 0; i < missing; ++i) {
      ++task->active;
      waiting_.push_back(task);
      work_added_.notify_one();
    }
    if (task->active == 0) end(task);
  }

  void end(const std::shared_ptr<Task>& task) {
    tasks_.erase(task->request);
    const std::int64_t now = follow();
    const RequestTimes times = task->request->times(now, task->thread_ns);
    schedule_.exit(*task->request, now);
    if (schedule_.step) call_back(on_step_, *schedule_.step);
    if (schedule_.in_system() == 0) idle_.notify_all();
    if (log_ && !task->failure) log(*task, times);
    if (task->failure) {
      task->outcome.set_exception(task->failure);
    } else {
      task->outcome.set_value(task->is_cut ? Outcome::cut_off : Outcome::done);
    }
  }

  void log(const Task& task, const RequestTimes& times) {
    try {
      if (log_->has_times()) {
        log_->record(task.used_ns / 1'000, task.request_class, times);
      } else if (log_->has_classes()) {
        log_->record(task.used_ns / 1'000, task.request_class);
      } else {
        log_->record(task.used_ns / 1'000);
      }
    } catch (const std::system_error&) {
      // The request has ended all the same.
    }
  }

  void work() {
    std::unique_lock<std::mutex> held(lock_);
    for (;;) {
      work_added_.wait(held, [&] { return is_closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const std::shared_ptr<Task> task = std::move(waiting_.front());
      waiting_.pop_front();
      const bool is_on_core = task->request->core >= 0;
      const std::int64_t before_ns = log_ ? detail::thread_time_ns() : 0;
      const std::int64_t begun_ns = log_ ? now_ns() : 0;
      while (task->has_parts() && task->active <= task->allowed) take_part(*task, held);
      detail::boost_this_thread(false);
      if (log_) {
        task->used_ns += detail::thread_time_ns() - before_ns;
        task->thread_ns += now_ns() - begun_ns;
      }
      if (is_on_core) binding_.release(detail::this_thread());
      if (--task->active == 0) {
        end(task);
        carry_out();
      }
    }
  }

  void take_part(Task& task, std::unique_lock<std::mutex>& held) {
    const Part part = std::move(task.parts[task.next++]);
    if (why_no_boost_ == nullptr) detail::boost_this_thread(task.is_boosted);
    if (task.request->core >= 0) {
      task.thread = detail::this_thread();
      binding_.bind(*task.thread, *task.request);
    }
    running_task() = &task;
    held.unlock();
    std::exception_ptr failure;
    try {
      part();
    } catch (...) {
      failure = std::current_exception();
    }
    held.lock();
    running_task() = nullptr;
    task.thread.reset();
    if (failure && !task.failure) task.failure = failure;
  }

  void keep_time() {
    std::unique_lock<std::mutex> held(lock_);
    while (!is_closed_) {
      const std::int64_t now = follow();
      for (auto due = schedule_.due_ns(); due && *due <= now; due = schedule_.due_ns())
        schedule_.wake(now);
      carry_out();
      const std::int64_t second_ns = 1'000'000'000;
      const std::int64_t due_ns = schedule_.due_ns().value_or(now + second_ns);
      alarm_ns_ = std::min(due_ns, now + second_ns);
      timer_changed_.wait_for(held, std::chrono::nanoseconds(std::max<std::int64_t>(
                                        alarm_ns_ - now_ns(), 0)));
    }
  }

  const Watched* watched_;
  std::function<void(const Policy&)> on_reload_;
  std::function<void(const ControlStep&)> on_step_;
  std::shared_ptr<DemandLog> log_;
  std::mutex lock_;
  std::condition_variable timer_changed_, work_added_, idle_;
  std::int64_t reloaded_ns_, alarm_ns_ = 0;
  Schedule schedule_;
  std::shared_ptr<Policy> used_;
  detail::CoreBinding binding_;
  const char* why_no_boost_;
  std::unordered_map<Request*, std::shared_ptr<Task>> tasks_;
  std::deque<std::shared_ptr<Task>> waiting_;
  bool is_closed_ = false;
  std::vector<std::thread> threads_;
  std::thread timers_;
};

}  // namespace tailc
