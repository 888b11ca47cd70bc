// Parallel requests on the threads that their policy gives them: `scheduler DIR FOLDER`, the folder of
// vectors and an empty one.

#include <clocale>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <locale>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>

#include <tailc/scheduler.hpp>
#include <tailc/tailc.hpp>

#include "expect.hpp"

namespace {

namespace fs = std::filesystem;

std::shared_ptr<tailc::Policy> policy_of(const fs::path& folder, const char* name) {
  return std::make_shared<tailc::Policy>(tailc::open((folder / (std::string(name) + ".tailc")).string()));
}

bool has(const std::string& text, const char* line) { return text.find(line) != std::string::npos; }

// Returns only when so many threads are in it at once.
class Meeting {
 public:
  explicit Meeting(int count) : left_(count) {}

  void attend() {
    std::unique_lock<std::mutex> held(lock_);
    if (--left_ == 0) met_.notify_all();
    met_.wait(held, [&] { return left_ <= 0; });
  }

 private:
  std::mutex lock_;
  std::condition_variable met_;
  int left_;
};

void run_parts_at_once(const fs::path& folder) {
  tailc::Scheduler scheduler(policy_of(folder, "settings"), 4);
  Meeting meeting(4);
  const std::vector<tailc::Scheduler::Part> parts(4, [&] { meeting.attend(); });
  expect(scheduler.run(parts) == tailc::Outcome::done, "four threads of a lone request meet");
  expect(scheduler.run({}) == tailc::Outcome::done, "a request without parts ends");
  const std::string metrics = scheduler.metrics();
  expect(has(metrics, "tailc_exits_total 2\n"), "exits are counted");
  expect(has(metrics, "tailc_lookups_total{rung=\"d4\"}"), "look-ups are counted");
  expect(has(metrics, "tailc_in_system 0\n"), "nobody is left");
  expect(metrics.substr(metrics.size() - 6) == "# EOF\n", "metrics end with their mark");
}

void tell_threads_of_all_rungs_and_late_ticks(const fs::path& folder) {
  constexpr std::int64_t kMs = 1'000'000;
  tailc::Schedule schedule(policy_of(folder, "settings"), 0);
  for (int i = 0; i < 9; ++i) schedule.arrive(0);
  const tailc::Request& last = *schedule.arrive(0);
  for (auto due = schedule.due_ns(); due && *due <= 27 * kMs; due = schedule.due_ns())
    schedule.wake(27 * kMs);
  const tailc::RequestTimes times = last.times(31 * kMs, 33 * kMs);
  expect(times.arrival_us == 0 && times.wait_us == 0 && times.run_us == 31'000, "it ran at once");
  expect(times.thread_us == 33'000, "threads worked as stated");
  expect(times.granted_us == 35'000, "one thread until 27 ms, and then two");
  expect(times.late_us == 23'000, "one tick was late by 22 ms, and one is due");
}

void count_no_looks_at_waiting_requests(const fs::path& folder) {
  constexpr std::int64_t kMs = 1'000'000;
  const auto policy = policy_of(folder, "settings");
  tailc::Schedule schedule(policy, 0);
  for (int i = 0; i < 30; ++i) schedule.arrive(0);
  expect(policy->counters()->outside == 0, "arrivals of a queue are no look-ups");
  for (auto due = schedule.due_ns(); due && *due <= 20 * kMs; due = schedule.due_ns())
    schedule.wake(*due);
  expect(policy->counters()->outside == 13 * 4, "13 requests run, each has four ticks");
}

void raise_what_a_part_throws(const fs::path& folder) {
  tailc::Scheduler scheduler(policy_of(folder, "settings"), 1);
  int begun = 0;
  const std::vector<tailc::Scheduler::Part> parts(3, [&] {
    ++begun;
    throw std::invalid_argument("no such document");
  });
  expect(thrown_by([&] { scheduler.run(parts); }) == "invalid-argument", "the future has it");
  expect(begun == 1, "no part begins after one that fails");
}

void refuse_what_cannot_be_served(const fs::path& folder) {
  const auto no_threads = [&] { tailc::Scheduler scheduler(policy_of(folder, "settings"), 0); };
  expect(thrown_by(no_threads) == "invalid-argument", "requests need a thread");
  for (const char* name : {"lanes", "rate"}) {
    bool is_refused = false;
    try {
      tailc::Schedule schedule(policy_of(folder, name), 0);
    } catch (const tailc::ScheduleError&) {
      is_refused = true;
    }
    expect(is_refused, name);
  }
}

void shed_and_reuse_requests(const fs::path& folder) {
  tailc::Schedule schedule(policy_of(folder, "overload"), 0);
  const tailc::Overload& overload = schedule.policy()->ladder().overload();
  std::vector<tailc::Request*> requests;
  while (!overload.refuses(schedule.in_system())) requests.push_back(schedule.arrive(0));
  expect(schedule.arrive(0) == nullptr, "one too many is refused");
  tailc::Request* first = requests.front();
  schedule.exit(*first, 1);
  expect(schedule.arrive(2) == first, "a request that left is used again");
  expect(schedule.counts().refused == 1, "refusals are counted");
}

void follow_a_policy(const fs::path& folder, const fs::path& own) {
  const fs::path path = own / "followed.tailc";
  fs::copy_file(folder / "lucene.tailc", path);
  tailc::Watched watched(path.string());
  std::string name;
  tailc::Scheduler scheduler(watched, 1, [&](const tailc::Policy& policy) { name = policy.name(); });
  fs::copy_file(folder / "settings.tailc", path, fs::copy_options::overwrite_existing);
  watched.check();
  scheduler.run({[] {}});
  expect(name == "settings", "the callback gets the new policy");
  fs::copy_file(folder / "cores.tailc", path, fs::copy_options::overwrite_existing);
  watched.check();
  scheduler.run({[] {}});
  expect(has(scheduler.metrics(), "last_refusal=\"no-schedule\""), "cores are not used");
}

bool is_refused(const std::shared_ptr<tailc::Policy>& policy, const tailc::SchedulerOptions& options) {
  try {
    tailc::Scheduler scheduler(policy, options);
    return false;
  } catch (const tailc::ScheduleError&) {
    return true;
  }
}

// A request that is alone begins beside batch work, and has its core to itself 47 ms later.
void bind_threads_to_cores(const fs::path& folder) {
  tailc::SchedulerOptions options;
  options.threads = 7;
  expect(is_refused(policy_of(folder, "cores-lanes"), options), "cores need processors");
  options.processors = {{"core", {0, 0, 0}}};
  expect(is_refused(policy_of(folder, "cores-lanes"), options), "there are too few processors");
  options.processors = {{"", std::vector<int>(7, sched_getcpu())}};
  expect(is_refused(policy_of(folder, "cores"), options), "its rungs have no core type");
  options.processors = {{"core", std::vector<int>(7, sched_getcpu())}};
  expect(is_refused(policy_of(folder, "settings"), options), "its rungs are not cores");
  tailc::Scheduler scheduler(policy_of(folder, "cores-lanes"), options);
  tailc::Lane first{}, last{};
  scheduler.run({[&] {
    first = *tailc::Scheduler::current_rung()->lane;
    for (last = first; last == first;) last = *tailc::Scheduler::current_rung()->lane;
  }});
  expect(first == tailc::Lane::SHARED && last == tailc::Lane::ALONE, "a part sees its climb");
  expect(tailc::Scheduler::current_rung() == nullptr, "no part runs here");
}

class Comma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

// Of C, if this machine has one with a comma, and of C++.
void write_points_in_every_locale(const fs::path& folder) {
  tailc::Scheduler scheduler(policy_of(folder, "settings"), 1);
  const char* names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
  for (const char* name : names)
    if (std::setlocale(LC_NUMERIC, name) != nullptr) break;
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  const std::string metrics = scheduler.metrics();
  std::locale::global(before);
  std::setlocale(LC_NUMERIC, "C");
  expect(has(metrics, "tailc_tick_lateness_seconds_sum 0.0"), "seconds have a point");
}

// Only the exit that ends an epoch has a step of the controller, not that of a waiting request after it.
void have_a_step_only_at_its_exit(const fs::path& folder) {
  const auto policy = policy_of(folder, "controller");
  tailc::Schedule schedule(policy, 0);
  const auto count = 2 * policy->controller()->epoch_requests() + 100;
  std::vector<tailc::Request*> requests;
  for (std::int64_t i = 0; i < count; ++i) requests.push_back(schedule.arrive(0));
  std::size_t next = 0;
  while (!schedule.step && next < requests.size()) schedule.exit(*requests[next++], 1'000);
  expect(schedule.step.has_value(), "an epoch ends");
  expect(!requests.back()->has_started, "the last request waits");
  schedule.exit(*requests.back(), 2'000);
  expect(!schedule.step, "a waiting request that leaves has no step");
}

void ignore_what_the_callback_throws(const fs::path& folder, const fs::path& own) {
  const fs::path path = own / "throws.tailc";
  fs::copy_file(folder / "lucene.tailc", path);
  tailc::Watched watched(path.string());
  const auto fails = [](const tailc::Policy&) { throw std::runtime_error("no such gauge"); };
  tailc::Scheduler scheduler(watched, 1, fails);
  fs::copy_file(folder / "settings.tailc", path, fs::copy_options::overwrite_existing);
  watched.check();
  expect(scheduler.run({[] {}}) == tailc::Outcome::done, "requests go on");
  const std::string metrics = scheduler.metrics();
  expect(has(metrics, "tailc_reloads_total 1\n"), "the new policy is in use");
  expect(has(metrics, "tailc_refused_reloads_total 0\n"), "it is not refused");
}

void restore_the_niceness_of_threads() {
  std::thread([] {
    tailc::detail::set_niceness(3);
    const int before = tailc::detail::current_niceness();
    tailc::detail::why_no_boost();
    expect(tailc::detail::current_niceness() == before, "after whether threads can be boosted");
    tailc::detail::boost_this_thread(true);
    tailc::detail::boost_this_thread(false);
    expect(tailc::detail::current_niceness() == before, "after a boost");
  }).join();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: scheduler DIR FOLDER\n";
    return 64;
  }
  const fs::path folder = arguments[1];
  run_parts_at_once(folder);
  tell_threads_of_all_rungs_and_late_ticks(folder);
  count_no_looks_at_waiting_requests(folder);
  raise_what_a_part_throws(folder);
  refuse_what_cannot_be_served(folder);
  shed_and_reuse_requests(folder);
  follow_a_policy(folder, arguments[2]);
  ignore_what_the_callback_throws(folder, arguments[2]);
  restore_the_niceness_of_threads();
  bind_threads_to_cores(folder);
  have_a_step_only_at_its_exit(folder);
  write_points_in_every_locale(folder);
  std::cout << failures << " not so\n";
  return failures > 0 ? 1 : 0;
}
