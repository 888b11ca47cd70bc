// Policies that change while a server runs, and the demands that it writes.
//
// `files DIR FOLDER SECONDS`: the folder of vectors, an empty folder, and how long to change a policy
// a thousand times a second.

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <tailc/demand_log.hpp>
#include <tailc/tailc.hpp>
#include <tailc/watched.hpp>

#include "expect.hpp"

namespace {

namespace fs = std::filesystem;
using tailc::Change;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
}

void replace(const fs::path& path, std::string_view content) {
  const fs::path beside = path.string() + ".new";
  write(beside, content);
  fs::rename(beside, path);
}

void link(const fs::path& path, const fs::path& target) {
  const fs::path beside = path.string() + ".new";
  fs::remove(beside);
  fs::create_symlink(target, beside);
  fs::rename(beside, path);
}

// The policies of vectors, which differ in their answers.
struct Files {
  std::string lucene, lanes;

  explicit Files(const fs::path& vectors)
      : lucene(content_of(vectors / "lucene.tailc")),
        lanes(content_of(vectors / "lanes.tailc")) {}
};

void follow_a_file(const Files& files, const fs::path& folder) {
  const fs::path path = folder / "followed.tailc";
  write(path, files.lucene);
  tailc::Watched watched(path.string());
  tailc::Reader reader = watched.reader();
  const tailc::Policy* first = &reader.current();
  expect(watched.check().change == Change::unchanged, "a file that stays is not read again");
  write(path, files.lucene);
  expect(watched.check().change == Change::unchanged && &reader.current() == first,
         "the same content is the same policy");
  write(path, files.lanes);
  expect(reader.current().name() == "lucene", "nothing changes before a look at the file");
  expect(watched.check().change == Change::reloaded, "a file written in place is read again");
  expect(reader.current().name() == "lanes", "and its policy is in force");
  replace(path, files.lucene);
  expect(watched.check().change == Change::reloaded, "so is one that is renamed over it");
  expect(reader.current().name() == "lucene" && watched.current()->name() == "lucene",
         "and its policy is in force, for readers and others");
}

void refuse_what_is_damaged(const Files& files, const fs::path& folder) {
  const fs::path path = folder / "damaged.tailc";
  write(path, files.lucene);
  tailc::Watched watched(path.string());
  tailc::Reader reader = watched.reader();
  const tailc::Counters& counters = *reader.current().counters();
  write(path, std::string_view(files.lanes).substr(0, files.lanes.size() / 2));
  const tailc::Look half = watched.check();
  expect(half.change == Change::refused && half.word == "truncated", "half a file is refused");
  expect(half.why.find(path.string()) == 0, "and named");
  expect(watched.check().change == Change::unchanged && counters.refused_reloads == 1,
         "it counts once");
  fs::remove(path);
  expect(watched.check().word == "unreadable", "a file that is gone cannot be read");
  expect(watched.check().change == Change::unchanged && counters.refused_reloads == 2,
         "which counts once, too");
  expect(reader.current().name() == "lucene", "the policy held stays in force all the time");
  write(path, files.lanes);
  expect(watched.check().change == Change::reloaded, "what comes back whole is read");
  expect(reader.current().counters().get() == &counters, "counters go on");
}

// As a server does that has too many connections.
void run_out_of_files(const Files& files, const fs::path& folder) {
  const fs::path path = folder / "late.tailc";
  write(path, files.lucene);
  tailc::Watched watched(path.string());
  write(path, files.lanes);
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit none{0, limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const tailc::Look first = watched.check(), second = watched.check();
  setrlimit(RLIMIT_NOFILE, &limit);
  expect(first.word == "unreadable" && second.change == Change::unchanged,
         "a file that cannot be opened counts once");
  expect(watched.check().change == Change::reloaded, "and is tried again as it is");
}

void ask_of_successors(const Files& files, const fs::path& folder) {
  const fs::path path = folder / "asked.tailc";
  tailc::Options options;
  options.service = "lucene";
  write(path, files.lanes);
  expect(thrown_by([&] { tailc::Watched(path.string(), options); }) == "other-service",
         "the first policy is asked");
  write(path, files.lucene);
  tailc::Watched watched(path.string(), options);
  write(path, files.lanes);
  expect(watched.check().word == "other-service", "so are those after it");
  expect(thrown_by([&] { watched.start(std::chrono::nanoseconds(0)); }) == "invalid-argument",
         "an interval takes time");
}

// Answers to questions that policies answer differently.
std::vector<std::int64_t> answers_of(const tailc::Policy& policy) {
  std::vector<std::int64_t> answers;
  for (std::int64_t load = 0; load < 32; load += 3)
    for (std::int64_t age_us = 0; age_us < 300'000; age_us += 50'000) {
      const tailc::Answer answer = policy.ladder().lookup(load, 0, age_us);
      answers.push_back(answer.rung);
      answers.push_back(static_cast<std::int64_t>(answer.wait_us));
    }
  return answers;
}

// One more change of what is at `folder`/policy.tailc, as Kubernetes mounts it: a link into ..data,
// which is a link to a folder.
void change(const fs::path& folder, std::uint64_t number, const std::string& content) {
  if (number % 3 == 0) return write(folder / "policy.tailc", content);
  if (number % 3 == 1) return replace(folder / "..data" / "policy.tailc", content);
  const std::string other = fs::read_symlink(folder / "..data") == "one" ? "two" : "one";
  write(folder / other / "policy.tailc", content);
  link(folder / "..data", other);
}

void change_while_looking_up(const Files& files, const fs::path& folder, double seconds) {
  const fs::path path = folder / "policy.tailc";
  for (const char* name : {"one", "two"}) {
    fs::create_directory(folder / name);
    write(folder / name / "policy.tailc", files.lucene);
  }
  link(folder / "..data", "one");
  link(path, fs::path("..data") / "policy.tailc");
  std::map<std::string, std::vector<std::int64_t>> wanted;
  for (const std::string* file : {&files.lucene, &files.lanes}) {
    const tailc::Policy policy = tailc::open(file->data(), file->size());
    wanted[policy.name()] = answers_of(policy);
  }
  expect(wanted.size() == 2 && wanted["lucene"] != wanted["lanes"], "policies differ");

  tailc::Watched watched(path.string());
  watched.start(std::chrono::microseconds(200));
  std::atomic<bool> is_over{false}, is_whole{true};
  std::atomic<std::uint64_t> seen{0};
  std::vector<std::thread> readers;
  for (unsigned i = 0; i < std::max(2U, std::thread::hardware_concurrency()); ++i)
    readers.emplace_back([&] {
      tailc::Reader reader = watched.reader();
      for (std::string before; !is_over;) {
        const tailc::Policy& policy = reader.current();
        if (answers_of(policy) != wanted.at(policy.name())) is_whole = false;
        if (policy.name() != before) ++seen;
        before = policy.name();
      }
    });
  using Clock = std::chrono::steady_clock;
  bool is_late = false;
  const auto begun = Clock::now();
  const auto changes = static_cast<std::uint64_t>(1'000 * seconds);
  for (std::uint64_t number = 0; number < changes; ++number) {
    change(folder, number, number % 2 == 0 ? files.lanes : files.lucene);
    // The thread that looks may see the file half written; here it is whole.
    watched.check();
    const std::string wanted_name = number % 2 == 0 ? "lanes" : "lucene";
    is_late = is_late || watched.current()->name() != wanted_name;
    std::this_thread::sleep_until(begun + std::chrono::milliseconds(number + 1));
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  watched.stop();
  replace(path, files.lanes);
  watched.check();
  expect(!is_late, "each of a thousand changes a second is in force after the next look");
  expect(is_whole, "every answer is one of a whole policy");
  expect(seen > readers.size(), "readers see policies change");
  expect(watched.current()->name() == "lanes", "the last one is in force at the end");
}

void log_demands(const fs::path& folder) {
  const std::string path = (folder / "demands.csv").string();
  {
    tailc::DemandLog log(path, 2);
    for (const std::int64_t demand_us : {10, 20, 30, 40}) log.record(demand_us);
    log.flush();
    expect(content_of(path) == "demand_us,weight\n20,2\n40,2\n", "every second demand is written");
    expect(thrown_by([&] { log.record(-1); }) == "invalid-argument", "no demand is negative");
    expect(thrown_by([&] { log.record(1, "a"); }) == "invalid-argument", "this log has no classes");
  }
  tailc::DemandLog(path, 1).record(50);
  expect(content_of(path) == "demand_us,weight\n20,2\n40,2\n50,1\n", "a log goes on");
  expect(thrown_by([&] { tailc::DemandLog(path, 1, true); }) == "invalid-argument",
         "but not with other columns");
  expect(thrown_by([&] { tailc::DemandLog(path, 0); }) == "invalid-argument", "none is no share");
  expect(thrown_by([&] { tailc::DemandLog(folder.string(), 1); }) == "system-error",
         "a folder is no log");
  write(path, "demand_us,weight\n20");
  expect(thrown_by([&] { tailc::DemandLog(path, 1); }) == "invalid-argument",
         "nor does a log go on within a line");
}

void log_short_demands(const fs::path& folder) {
  const fs::path path = folder / "short.csv";
  {
    tailc::DemandLog log(path.string(), 1);
    for (const std::int64_t demand_us : {0, 1, 2}) log.record(demand_us);
  }
  expect(content_of(path) == "demand_us,weight\n1,1\n1,1\n2,1\n",
         "a demand below a microsecond counts as one");
}

void log_classes(const fs::path& folder) {
  const std::string path = (folder / "classes.csv").string();
  tailc::DemandLog(path, 1, true).record(7, "a \"b\", c");
  expect(content_of(path) == "demand_us,weight,class\n7,1,\"a \"\"b\"\", c\"\n",
         "classes are quoted where they must");
}

void log_from_threads(const fs::path& folder) {
  const std::string path = (folder / "threads.csv").string();
  constexpr int kThreads = 4, kDemands = 30'000;
  {
    tailc::DemandLog log(path, 3);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < kDemands; ++n) log.record(123'456);
      });
    for (std::thread& thread : threads) thread.join();
  }
  std::string wanted = "demand_us,weight\n";
  for (int n = 0; n < kThreads * kDemands / 3; ++n) wanted += "123456,3\n";
  expect(content_of(path) == wanted, "no line of any thread is lost or torn");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: files DIR FOLDER SECONDS\n";
    return 64;
  }
  const Files files(arguments[1]);
  const fs::path folder = arguments[2];
  follow_a_file(files, folder);
  refuse_what_is_damaged(files, folder);
  run_out_of_files(files, folder);
  ask_of_successors(files, folder);
  change_while_looking_up(files, folder, std::stod(arguments[3]));
  log_demands(folder);
  log_short_demands(folder);
  log_classes(folder);
  log_from_threads(folder);
  std::cout << failures << " not so\n";
  return failures > 0 ? 1 : 0;
}
