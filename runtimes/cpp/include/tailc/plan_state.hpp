// The state of a plan in force, from which `tailc replan` continues, as a sealed FlatBuffer.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "_generated/policy_generated.h"
#include "bytes.hpp"
#include "error.hpp"
#include "plan_meaning.hpp"
#include "seal.hpp"
#include "structure.hpp"
#include "text.hpp"

namespace tailc {

// How long a job has run on a number of servers.
struct RanSeconds {
  std::int64_t servers, seconds;
};

// A job that runs. Without `begun_unix_s`, its log has its start. `servers` are numbers from 0, in
// ascending order; `ran_s` is in ascending order of the number of servers. Without `machines`, a
// malleable job has as many as it requests.
struct BegunJob {
  std::string name;
  std::optional<std::int64_t> begun_unix_s;
  std::vector<std::int64_t> servers;
  std::vector<RanSeconds> ran_s;
  std::int64_t green_slots = 0;
  std::optional<std::int64_t> machines;
};

// What is true at a boundary of two epochs. Jobs submitted up to `decided_unix_s` have run, wait or
// were refused. There is no `battery_mj` without a battery.
struct PlanState {
  std::int64_t at_unix_s = 0, decided_unix_s = 0, servers = 0;
  std::vector<BegunJob> running;
  std::vector<std::string> waiting, refused;
  std::optional<std::int64_t> battery_mj;
};

namespace detail {

constexpr std::int64_t kStateVersion = 1, kLastUnixS = 253'402'300'799;
constexpr char kStateIdentifier[] = "TLS1";
constexpr std::size_t kMostStateBytes = std::size_t{64} << 20;

inline bool is_within(std::int64_t least, std::int64_t number, std::int64_t most) {
  return least <= number && number <= most;
}

inline void check_name(const std::string& name) {
  require(!name.empty() && is_utf8(name), "a name in a state must be UTF-8 and not empty");
}

// Seconds that a job has run in all.
inline std::int64_t check_ran(const BegunJob& job) {
  std::int64_t seconds = 0, servers_before = 0;
  for (const RanSeconds& ran : job.ran_s) {
    require(ran.servers > servers_before,
            "`ran_s` must have at least one server, in order of the number of servers");
    require(is_within(1, ran.seconds, kLastUnixS), "`seconds` of `ran_s` must be 1 to 253402300799");
    require(ran.servers <= kLargestWhole, "numbers of a job must be at most 2^53 - 1");
    seconds += ran.seconds;
    servers_before = ran.servers;
  }
  return seconds;
}

inline void check_job(const BegunJob& job, const PlanState& state) {
  check_name(job.name);
  const auto& servers = job.servers;
  const auto not_ascending = std::adjacent_find(servers.begin(), servers.end(),
                                                [](auto one, auto next) { return one >= next; });
  require(!servers.empty() && servers[0] >= 0 && not_ascending == servers.end(),
          "`servers` of a job must be numbers from 0 in ascending order, at least one");
  require(servers.back() < state.servers, "a server of a job is not among `servers`");
  const std::int64_t first_unix_s = state.at_unix_s - check_ran(job);
  require(is_within(0, job.begun_unix_s.value_or(first_unix_s), state.at_unix_s),
          "`begun_unix_s` and `ran_s` of a job must be before `at_unix_s`");
  require(is_within(0, job.green_slots, kLargestWhole), "`green_slots` must be 0 to 2^53 - 1");
  require(is_within(1, job.machines.value_or(1), kLargestWhole), "`machines` must be 1 to 2^53 - 1");
}

// PolicyError (bad-meaning) for a state that contradicts itself.
inline void check_state(const PlanState& state) {
  require(is_within(0, state.decided_unix_s, state.at_unix_s) && state.at_unix_s <= kLastUnixS,
          "`decided_unix_s` must be 0 to `at_unix_s`, before the year 10000");
  require(is_within(1, state.servers, kMostServers), "`servers` must be 1 to 2^20");
  require(is_within(0, state.battery_mj.value_or(0), kLargestWhole),
          "`battery_mj` must be 0 to 2^53 - 1");
  std::set<std::int64_t> busy;
  std::set<std::string_view> names;
  for (const BegunJob& job : state.running) {
    check_job(job, state);
    for (const std::int64_t server : job.servers)
      require(busy.insert(server).second, "two jobs must not have the same server");
    require(names.insert(job.name).second, "a job must be named once in a state");
  }
  for (const auto* others : {&state.waiting, &state.refused}) {
    for (const std::string& name : *others) {
      check_name(name);
      require(names.insert(name).second, "a job must be named once in a state");
    }
  }
}

template <class Value, class List, class Read>
std::vector<Value> list_of(const List& list, const Read& read) {
  std::vector<Value> values;
  for (const auto* one : list) values.push_back(read(*one));
  return values;
}

inline BegunJob job_in(const policy::BegunJob& job) {
  BegunJob read{job.name()->str(), {}, {job.servers()->begin(), job.servers()->end()}, {},
                job.green_slots(), {}};
  if (job.begun_unix_s()) read.begun_unix_s = *job.begun_unix_s();
  if (job.machines()) read.machines = *job.machines();
  read.ran_s = list_of<RanSeconds>(*job.ran_s(), [](const policy::RanSeconds& ran) {
    return RanSeconds{ran.servers(), ran.seconds()};
  });
  return read;
}

inline PlanState state_in(const policy::PlanState& root) {
  const auto text = [](const flatbuffers::String& name) { return name.str(); };
  PlanState state{root.at_unix_s(), root.decided_unix_s(), root.servers(),
                  list_of<BegunJob>(*root.running(), job_in),
                  list_of<std::string>(*root.waiting(), text),
                  list_of<std::string>(*root.refused(), text), {}};
  if (root.battery_mj()) state.battery_mj = *root.battery_mj();
  return state;
}

template <class List, class Write>
auto written(flatbuffers::FlatBufferBuilder& builder, const List& list, const Write& write) {
  std::vector<decltype(write(list.front()))> offsets;
  for (const auto& one : list) offsets.push_back(write(one));
  return builder.CreateVector(offsets);
}

inline flatbuffers::Offset<policy::BegunJob> written_job(flatbuffers::FlatBufferBuilder& builder,
                                                         const BegunJob& job) {
  const auto name = builder.CreateString(job.name);
  const auto servers = builder.CreateVector(job.servers);
  const auto ran_s = written(builder, job.ran_s, [&](const RanSeconds& ran) {
    policy::RanSecondsBuilder table(builder);
    table.add_servers(ran.servers);
    table.add_seconds(ran.seconds);
    return table.Finish();
  });
  policy::BegunJobBuilder table(builder);
  table.add_name(name);
  if (job.begun_unix_s) table.add_begun_unix_s(*job.begun_unix_s);
  table.add_servers(servers);
  table.add_ran_s(ran_s);
  table.add_green_slots(job.green_slots);
  if (job.machines) table.add_machines(*job.machines);
  return table.Finish();
}

inline void write_state(flatbuffers::FlatBufferBuilder& builder, const PlanState& state) {
  const auto text = [&](const std::string& name) { return builder.CreateString(name); };
  const auto running = written(builder, state.running,
                               [&](const BegunJob& job) { return written_job(builder, job); });
  const auto waiting = written(builder, state.waiting, text);
  const auto refused = written(builder, state.refused, text);
  policy::PlanStateBuilder table(builder);
  table.add_version(kStateVersion);
  table.add_at_unix_s(state.at_unix_s);
  table.add_decided_unix_s(state.decided_unix_s);
  table.add_servers(state.servers);
  table.add_running(running);
  table.add_waiting(waiting);
  table.add_refused(refused);
  if (state.battery_mj) table.add_battery_mj(*state.battery_mj);
  builder.Finish(table.Finish(), kStateIdentifier);
}

// Replaces a file at once and whole; std::system_error where that fails, and the old file stays.
inline void replace_file(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  const auto fail = [&] { throw std::system_error(errno, std::generic_category(), path); };
  constexpr unsigned kByUmask = 0666;
  const std::string written = path + "." + std::to_string(std::random_device{}()) + ".tmp";
  const int number = ::open(written.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kByUmask);
  if (number < 0) fail();
  std::FILE* file = ::fdopen(number, "wb");
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
                          std::fflush(file) == 0 && ::fsync(number) == 0;
  const bool is_closed = std::fclose(file) == 0;
  if (is_written && is_closed && std::rename(written.c_str(), path.c_str()) == 0) return;
  const int why = errno;
  std::remove(written.c_str());
  errno = why;
  fail();
}

}  // namespace detail

// The state in the bytes of a file; PolicyError for anything else.
inline PlanState state_in_bytes(const std::vector<std::uint8_t>& bytes) {
  constexpr std::size_t kIdentifierEnd = 8;
  if (bytes.size() > detail::kMostStateBytes)
    throw PolicyError(Refusal::bad_structure, "the file is larger than the limit for a state");
  const std::size_t size = detail::unsealed(bytes.data(), bytes.size()).payload_size;
  detail::require_structure(
      size >= kIdentifierEnd &&
          flatbuffers::BufferHasIdentifier(bytes.data(), detail::kStateIdentifier),
      "the FlatBuffer's identifier is not TLS1");
  detail::Structure(bytes.data(), size).check_root("PlanState");
  const auto& root = *flatbuffers::GetRoot<policy::PlanState>(bytes.data());
  detail::require_structure(root.version() == detail::kStateVersion,
                            "`version` of a state must be 1");
  PlanState state = detail::state_in(root);
  detail::check_state(state);
  return state;
}

// The state in a FlatBuffer, as `tailc advance -o NAME.tailc` writes it. Throws PolicyError, or
// std::system_error where the file cannot be read.
inline PlanState open_state(const std::string& path) {
  try {
    return state_in_bytes(detail::bytes_of(path, detail::kMostStateBytes + 1));
  } catch (const PolicyError& error) {
    throw PolicyError(error.refusal(), path + ": " + error.what());
  }
}

// The file of a state; equal states give equal bytes. PolicyError if it contradicts itself.
inline std::vector<std::uint8_t> bytes_of_state(const PlanState& state) {
  detail::check_state(state);
  flatbuffers::FlatBufferBuilder builder;
  detail::write_state(builder, state);
  std::vector<std::uint8_t> bytes(builder.GetBufferPointer(),
                                  builder.GetBufferPointer() + builder.GetSize());
  detail::append_seal(bytes);
  return bytes;
}

// Replaces a file by that of the state, at once and whole. Throws as `bytes_of_state` does, and
// std::system_error where it cannot be written; the old file then stays.
inline void write_state(const PlanState& state, const std::string& path) {
  detail::replace_file(path, bytes_of_state(state));
}

}  // namespace tailc
