// States of plans: read, written with the same bytes, and refused by the word of their name.
//
// `states DIR FOLDER`: the folder of vectors, and an empty folder.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <tailc/plan_state.hpp>
#include <tailc/tailc.hpp>

#include "expect.hpp"

namespace {

constexpr std::int64_t kLarge = std::int64_t{1} << 53;

void rewrite_states(const std::filesystem::path& states, const std::filesystem::path& folder) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(states)) {
    if (entry.path().extension() != ".tailc") continue;
    const std::string written = (folder / "state.tailc").string();
    tailc::write_state(tailc::open_state(entry.path().string()), written);
    expect(tailc::detail::bytes_of(written, 1 << 20) ==
               tailc::detail::bytes_of(entry.path().string(), 1 << 20),
           "a state is written as it was read");
    ++count;
  }
  expect(count > 2, "there are vectors of states");
  std::ofstream(folder / "other") << "";
  expect(std::filesystem::status(folder / "state.tailc").permissions() ==
             std::filesystem::status(folder / "other").permissions(),
         "a state has the permissions of a new file");
  std::filesystem::remove(folder / "other");
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    expect(entry.path().filename() == "state.tailc", "no other file is left");
}

void read_every_member(const std::filesystem::path& states) {
  const tailc::PlanState state = tailc::open_state((states / "every.tailc").string());
  expect(state.at_unix_s == 1'338'555'600 && state.decided_unix_s == 1'338'552'000 &&
             state.servers == 12 && state.battery_mj == 3'600'000'000 &&
             state.waiting == std::vector<std::string>{"later", "last"} &&
             state.refused == std::vector<std::string>{"wide"} && state.running.size() == 2,
         "a state has the members of its file");
  const auto& [name, begun_unix_s, servers, ran_s, green_slots, machines] = state.running[0];
  expect(name == "render/7" && !begun_unix_s && servers == std::vector<std::int64_t>{0, 1, 5} &&
             ran_s.size() == 2 && ran_s[1].servers == 3 && ran_s[1].seconds == 2'700 &&
             green_slots == 4 && machines == 6,
         "a job has the members of its file");
  expect(state.running[1].name == "Z\xc3\xbcrich" && !state.running[1].machines &&
             state.running[1].begun_unix_s == 1'338'554'700,
         "optional members may be absent");
}

void refuse_damaged_states(const std::filesystem::path& vectors) {
  for (const auto& entry : std::filesystem::directory_iterator(vectors / "states" / "refused")) {
    const std::string word = thrown_by([&] { tailc::open_state(entry.path().string()); });
    const std::string name = entry.path().filename().string();
    expect(!word.empty() && name.compare(0, word.size(), word) == 0, name.c_str());
  }
  expect(thrown_by([&] { tailc::open_state((vectors / "plan.tailc").string()); }) ==
             "bad-structure",
         "a policy is no state");
  expect(thrown_by([&] { tailc::open_state("no such file"); }) == "system-error",
         "a file must be there");
}

void refuse_to_write(const char* what, const tailc::PlanState& state) {
  expect(thrown_by([&] { tailc::bytes_of_state(state); }) == "bad-meaning", what);
}

void write_no_state_that_readers_refuse(const std::filesystem::path& folder) {
  tailc::PlanState state;
  refuse_to_write("a state has servers", state);
  state.servers = 1;
  tailc::PlanState full = state;
  full.battery_mj = kLarge;
  refuse_to_write("a battery has less than 2^53", full);
  tailc::PlanState unnamed = state;
  unnamed.waiting = {""};
  refuse_to_write("a name is not empty", unnamed);
  const auto with = [&](const char* what, const auto& change) {
    tailc::PlanState changed = state;
    changed.running = {tailc::BegunJob{"a", {}, {0}, {}, 0, {}}};
    change(changed.running[0]);
    refuse_to_write(what, changed);
  };
  with("slots are below 2^53", [](auto& job) { job.green_slots = kLarge; });
  with("machines are below 2^53", [](auto& job) { job.machines = kLarge; });
  with("a name is UTF-8", [](auto& job) { job.name = "\xff"; });
  with("runs begin after 1970", [](auto& job) {
    job.begun_unix_s = 0;
    job.ran_s = {{1, 253'402'300'800}};
  });
  expect(thrown_by([&] { write_state(state, (folder / "none" / "a.tailc").string()); }) ==
             "system-error",
         "a state needs a folder");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: states DIR FOLDER\n";
    return 64;
  }
  const std::filesystem::path vectors = arguments[1], folder = arguments[2];
  rewrite_states(vectors / "states", folder);
  read_every_member(vectors / "states");
  refuse_damaged_states(vectors);
  write_no_state_that_readers_refuse(folder);
  std::cout << failures << " not so\n";
  return failures > 0 ? 1 : 0;
}
