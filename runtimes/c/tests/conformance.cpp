// Asks libtailc what every reader is asked, through `tailc.h` alone:
//
//   conformance vectors DIR             every look-up vector, except of plans
//   conformance refusals files < LIST   a word for each file
//   conformance differential FILE SEED COUNT
//                                       checksums of answers to random questions

#include <tailc.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <utility>

#include "../../cpp/tests/draws.hpp"
#include "../../cpp/tests/lines.hpp"

namespace {

namespace fs = std::filesystem;

void check(tailc_status status) {
  if (status != TAILC_OK)
    throw std::runtime_error(tailc_status_name(status) + std::string(": ") + tailc_last_error());
}

// The output of a function of `tailc.h`, whose last parameter it is.
template <class Output, class... Parameters, class... Arguments>
Output get(tailc_status (*function)(Parameters...), Arguments... arguments) {
  Output output{};
  check(function(arguments..., &output));
  return output;
}

std::string string_of(tailc_text text) {
  return text.bytes == nullptr ? "" : std::string(text.bytes, text.length);
}

std::uint64_t number(const Row& row, const char* column) {
  return static_cast<std::uint64_t>(whole(row.at(column)));
}

std::vector<std::uint64_t> numbers(const std::string& text) {
  std::vector<std::uint64_t> found;
  for (const std::int64_t one : wholes(text)) found.push_back(static_cast<std::uint64_t>(one));
  return found;
}

using Options = std::unique_ptr<tailc_options, decltype(&tailc_options_free)>;
using Policy = std::unique_ptr<tailc_policy, decltype(&tailc_policy_free)>;
using Shares = std::unique_ptr<tailc_shares, decltype(&tailc_shares_free)>;
using Schedule = std::unique_ptr<tailc_schedule, decltype(&tailc_schedule_free)>;

Policy opened(const std::string& path) {
  tailc_policy* policy = nullptr;
  check(tailc_open(path.c_str(), nullptr, &policy));
  return {policy, tailc_policy_free};
}

Shares shares_of(const tailc_policy* policy) {
  return {get<tailc_shares*>(tailc_shares_new, policy), tailc_shares_free};
}

const tailc_ladder* ladder_for(const tailc_policy* policy, const Row& row) {
  const std::string& name = row.at("request_class");
  return get<const tailc_ladder*>(tailc_ladder_of, policy, name.empty() ? nullptr : name.c_str());
}

// What of a row is answered otherwise; empty: nothing.
using Check = std::function<std::string(const Row&)>;

std::string difference(const std::string& got, const std::string& wanted) {
  return got == wanted ? "" : "is `" + got + "`, wanted `" + wanted + "`";
}

template <class... Values>
std::string joined(const char* between, Values... values) {
  std::ostringstream text;
  const char* before = "";
  ((text << before << values, before = between), ...);
  return text.str();
}

const char* word_of(std::int32_t start) {
  if (start == TAILC_START_NOW) return "now";
  return start == TAILC_START_WAIT ? "wait" : "on-exit";
}

Check lookups(const std::string& path) {
  const std::shared_ptr<tailc_policy> policy = opened(path);
  return [policy](const Row& row) {
    const tailc_ladder* ladder = ladder_for(policy.get(), row);
    const std::uint64_t load = number(row, "load"), waited_us = number(row, "waited_us");
    const std::uint64_t executed_us = number(row, "executed_us");
    const auto got = row.count("output_ppm") > 0
                         ? get<tailc_answer>(tailc_ladder_lookup_scaled, ladder, load, waited_us,
                                             executed_us, number(row, "output_ppm"))
                         : get<tailc_answer>(tailc_ladder_lookup, ladder, load, waited_us,
                                             executed_us);
    return difference(joined(" ", word_of(got.start), got.wait_us, got.rung),
                      joined(" ", row.at("start"), row.at("wait_us"), row.at("rung")));
  };
}

Check overloads(const std::string& path) {
  const std::shared_ptr<tailc_policy> policy = opened(path);
  return [policy](const Row& row) {
    const tailc_ladder* ladder = ladder_for(policy.get(), row);
    std::uint8_t is_refused = 0;
    const auto work_ppm = get<std::uint64_t>(tailc_overload_arrival, ladder,
                                             number(row, "in_system"), &is_refused);
    const auto is_cut = get<std::uint8_t>(tailc_overload_cuts_off, ladder,
                                          number(row, "waited_us"), number(row, "executed_us"));
    return difference(joined(" ", int{is_refused}, work_ppm, int{is_cut}),
                      joined(" ", row.at("refused"), row.at("work_ppm"), row.at("cut_off")));
  };
}

std::string optional(std::int64_t value) { return value < 0 ? "" : std::to_string(value); }

Check sharings(const std::string& path) {
  const std::shared_ptr<tailc_policy> policy = opened(path);
  return [policy](const Row& row) {
    const tailc_ladder* ladder = ladder_for(policy.get(), row);
    const auto unit = get<std::int64_t>(tailc_sharing_unit, ladder);
    const auto starts =
        get<std::uint8_t>(tailc_sharing_starts, ladder, number(row, "in_use_ppm"));
    const auto gives_up = get<std::uint8_t>(tailc_sharing_gives_up, ladder,
                                            number(row, "waited_us"), number(row, "executed_us"));
    return difference(joined(" ", optional(unit), int{starts}, int{gives_up}),
                      joined(" ", row.at("start_unit"), row.at("starts"), row.at("gives_up")));
  };
}

std::string costs_of(const tailc_ladder* ladder, const tailc_rung& rung) {
  std::string costs;
  const auto info = get<tailc_ladder_info_t>(tailc_ladder_info, ladder);
  for (std::size_t i = 0; i < info.cost_units; ++i)
    costs += (costs.empty() ? "" : " ") + std::to_string(rung.cost_ppm[i]);
  return costs;
}

Check settings(const std::string& path) {
  const std::shared_ptr<tailc_policy> policy = opened(path);
  return [policy](const Row& row) {
    const tailc_ladder* ladder = ladder_for(policy.get(), row);
    const auto rung = get<tailc_rung>(tailc_ladder_rung, ladder, number(row, "rung"));
    const char* const lanes[] = {"", "shared", "alone"};
    return difference(
        joined(",", rung.speed_ppm, costs_of(ladder, rung), optional(rung.move_us),
               optional(rung.threads), optional(rung.frequency_khz), string_of(rung.core_type),
               lanes[rung.lane], optional(rung.one_thread_ppm)),
        joined(",", row.at("speed_ppm"), row.at("cost_ppm"), row.at("move_us"), row.at("threads"),
               row.at("frequency_khz"), row.at("core_type"), row.at("lane"),
               row.at("one_thread_ppm")));
  };
}

std::size_t level_of(const tailc_policy* policy, const std::vector<std::uint64_t>& ages_ns) {
  const auto* table = get<const tailc_tail_table_t*>(tailc_tail_table, policy);
  return get<std::size_t>(tailc_tail_table_level, table, ages_ns.data(), ages_ns.size(),
                          std::uint64_t{0}, std::uint64_t{0});
}

Check levels(const std::string& path) {
  const std::shared_ptr<tailc_policy> policy = opened(path);
  return [policy](const Row& row) {
    const auto* table = get<const tailc_tail_table_t*>(tailc_tail_table, policy.get());
    const auto ages_ns = numbers(row.at("ages_ns"));
    const auto level = get<std::size_t>(
        tailc_tail_table_level_scaled, table, ages_ns.data(), ages_ns.size(),
        number(row, "elapsed_cycles"), number(row, "elapsed_memory_ns"), number(row, "output_ppm"));
    const auto info = get<tailc_tail_table_info_t>(tailc_tail_table_info, table);
    return difference(joined(" ", level, info.frequencies_khz[level]),
                      joined(" ", row.at("level"), row.at("frequency_khz")));
  };
}

Check budgets(const std::string& path) {
  const std::shared_ptr<tailc_policy> policy = opened(path);
  return [policy](const Row& row) {
    const auto budget = get<tailc_budget>(tailc_budget_lookup, policy.get(),
                                          number(row, "decoding"), number(row, "waiting_tokens"));
    return difference(joined(" ", budget.tokens, budget.new_sequences),
                      joined(" ", row.at("budget"), row.at("new_sequences")));
  };
}

// Of the climbs in a row those that look-ups show.
std::string climbs(const tailc_policy* policy, const Row& row) {
  const auto* ladder =
      get<const tailc_ladder*>(tailc_ladder_of, policy, static_cast<const char*>(nullptr));
  const auto rung_at = [&](std::uint64_t age_us) -> std::int64_t {
    return get<tailc_answer>(tailc_ladder_lookup, ladder, number(row, "load"), std::uint64_t{0},
                             age_us)
        .rung;
  };
  std::int64_t before = -1;
  std::string found;
  for (const std::string& climb : words(row.at("climbs"))) {
    const std::int64_t age_us = whole(split(climb, ':')[0]), rung = whole(split(climb, ':')[1]);
    const auto age = static_cast<std::uint64_t>(age_us);
    if ((age == 0 || rung_at(age - 1) == before) && rung_at(age) == rung)
      found += (found.empty() ? "" : " ") + climb;
    before = rung;
  }
  return found;
}

Check steps(const std::string& path) {
  std::shared_ptr<tailc_policy> policy = opened(path);
  return [policy, path](const Row& row) mutable {
    if (row.at("step") == "0") {
      policy = opened(path);
    } else {
      get<std::int64_t>(tailc_controller_step, policy.get(), number(row, "measured_us"),
                        number(row, "rate_mrps"));
    }
    const bool is_ladder = row.count("climbs") > 0;
    const std::string decided =
        is_ladder ? climbs(policy.get(), row)
                  : std::to_string(level_of(policy.get(), numbers(row.at("ages_ns"))));
    const auto info = get<tailc_controller_info_t>(tailc_controller_info, policy.get());
    return difference(joined(" ", info.output, info.output_ppm, decided),
                      joined(" ", row.at("output"), row.at("output_ppm"),
                             row.at(is_ladder ? "climbs" : "level")));
  };
}

bool are_same(double got, double wanted) { return std::memcmp(&got, &wanted, sizeof got) == 0; }

std::vector<tailc_served> served_of(const tailc_shares* shares) {
  std::vector<tailc_served> all;
  const auto info = get<tailc_shares_info_t>(tailc_shares_info, shares);
  for (std::size_t i = 0; i < info.served; ++i)
    all.push_back(get<tailc_served>(tailc_shares_served, shares, i));
  return all;
}

// The first column of a row that differs, doubles bit for bit.
std::string shares_difference(const tailc_shares* shares, const Row& row) {
  const auto info = get<tailc_shares_info_t>(tailc_shares_info, shares);
  const std::vector<std::int64_t> granted(info.granted_ppm, info.granted_ppm + info.machines);
  if (granted != wholes(row.at("granted_ppm"))) return "granted_ppm";
  const auto served = served_of(shares);
  for (std::size_t i = 0; i < served.size(); ++i) {
    const tailc_served& one = served[i];
    if (!are_same(one.a, doubles(row.at("a")).at(i))) return "a";
    if (!are_same(one.b, doubles(row.at("b")).at(i))) return "b";
    if (!are_same(one.believed_a, doubles(row.at("believed_a")).at(i))) return "believed_a";
    if (!are_same(one.believed_b, doubles(row.at("believed_b")).at(i))) return "believed_b";
    if (one.short_steps != wholes(row.at("short_steps")).at(i)) return "short_steps";
    if (one.cap_ppm != wholes(row.at("cap_ppm")).at(i)) return "cap_ppm";
    if (one.cannot_meet != wholes(row.at("cannot_meet")).at(i)) return "cannot_meet";
  }
  return "";
}

Check ticks(const std::string& path) {
  const std::shared_ptr<tailc_policy> policy = opened(path);
  std::shared_ptr<tailc_shares> shares = shares_of(policy.get());
  return [policy, shares](const Row& row) mutable {
    if (row.at("tick") == "0") {
      shares = shares_of(policy.get());
    } else {
      const auto throughput = doubles(row.at("throughput"));
      const auto waiting = numbers(row.at("waiting"));
      check(tailc_shares_tick(shares.get(), throughput.data(),
                              waiting.empty() ? nullptr : waiting.data(), throughput.size()));
    }
    return shares_difference(shares.get(), row);
  };
}

class ScheduleVectors {
 public:
  explicit ScheduleVectors(const std::string& path)
      : policy_(opened(path)),
        schedule_(get_schedule(policy_.get()), tailc_schedule_free) {}

  // `event,work_ppm,decisions` of what the event of a row leads to.
  std::string answer(const Row& row) {
    const std::uint64_t now_ns = number(row, "now_ns");
    made_.clear();
    for (auto due = due_ns(); due < now_ns; due = due_ns()) {
      check(tailc_schedule_wake(schedule_.get(), due));
      take(due);
    }
    const std::string event = call(row, now_ns);
    take(now_ns);
    return event + "," + made_;
  }

 private:
  static tailc_schedule* get_schedule(const tailc_policy* policy) {
    return get<tailc_schedule*>(tailc_schedule_new, policy, std::uint64_t{0});
  }

  std::uint64_t due_ns() { return get<std::uint64_t>(tailc_schedule_due, schedule_.get()); }

  std::string call(const Row& row, std::uint64_t now_ns) {
    const std::string& event = row.at("event");
    if (event == "exit") {
      check(tailc_schedule_exit(schedule_.get(), number(row, "request"), now_ns));
    } else if (event == "wake") {
      check(tailc_schedule_wake(schedule_.get(), now_ns));
    } else {
      const std::string& name = row.at("request_class");
      std::uint64_t request = 0;
      const auto work_ppm =
          get<std::uint64_t>(tailc_schedule_arrive, schedule_.get(), now_ns,
                             name.empty() ? nullptr : name.c_str(), &request);
      return request == 0 ? "refuse,1000000" : "arrive," + std::to_string(work_ppm);
    }
    return event + ",1000000";
  }

  void take(std::uint64_t now_ns) {
    const char* const kinds[] = {"start", "climb", "descend", "cut-off"};
    // Two at a time, so that several calls are needed.
    tailc_decision decisions[2];
    for (std::size_t count = 2; count == 2;) {
      check(tailc_schedule_decisions(schedule_.get(), decisions, 2, &count));
      for (std::size_t i = 0; i < count; ++i) {
        const tailc_decision& one = decisions[i];
        made_ += (made_.empty() ? "" : ";") + joined(" ", now_ns, kinds[one.kind], one.request,
                                                     one.rung, int{one.is_boosted});
        if (one.core >= 0) made_ += " " + std::to_string(one.core);
      }
    }
  }

  Policy policy_;
  Schedule schedule_;
  std::string made_;
};

Check schedules(const std::string& path) {
  auto server = std::make_shared<ScheduleVectors>(path);
  return [server](const Row& row) {
    return difference(server->answer(row),
                      joined(",", row.at("event"), row.at("work_ppm"), row.at("decisions")));
  };
}

struct Count {
  std::size_t answers = 0, wrong = 0;
};

// The first row of a file that is wrong is printed.
void run(const fs::path& file, const std::vector<Row>& rows, const Check& check_row, Count& total) {
  bool is_first = true;
  for (const Row& row : rows) {
    ++total.answers;
    const std::string wrong = check_row(row);
    if (wrong.empty()) continue;
    ++total.wrong;
    if (is_first) std::cout << file.string() << ": " << wrong << "\n";
    is_first = false;
  }
}

Options options_of(const fs::path& folder, const Row& row) {
  Options options(get<tailc_options*>(tailc_options_new), tailc_options_free);
  for (const std::string& name : words(row.at("keys"))) {
    std::ifstream file(folder / name);
    const std::string pem(std::istreambuf_iterator<char>(file), {});
    check(tailc_options_trust(options.get(), pem.c_str()));
  }
  if (!row.at("service").empty())
    check(tailc_options_service(options.get(), row.at("service").c_str()));
  if (!row.at("held_generation").empty())
    check(tailc_options_held_generation(options.get(), whole(row.at("held_generation"))));
  if (!row.at("now_s").empty()) check(tailc_options_now(options.get(), number(row, "now_s")));
  return options;
}

std::string refusal_of(const fs::path& file, const tailc_options* options) {
  tailc_policy* policy = nullptr;
  const tailc_status status = tailc_open(file.string().c_str(), options, &policy);
  tailc_policy_free(policy);
  return status == TAILC_OK ? "" : tailc_status_name(status);
}

void refusals(const fs::path& folder, Count& total) {
  std::vector<Row> rows;
  for (const Row& row : rows_of((folder / "expected.csv").string()))
    if (fs::path(row.at("file")).extension() == ".tailc") rows.push_back(row);
  run(folder, rows, [&](const Row& row) {
    return difference(refusal_of(folder / row.at("file"), nullptr), row.at("error"));
  }, total);
}

void signatures(const fs::path& folder, Count& total) {
  run(folder, rows_of((folder / "expected.csv").string()), [&](const Row& row) {
    const Options options = options_of(folder, row);
    return difference(refusal_of(folder / row.at("file"), options.get()), row.at("error"));
  }, total);
}

int run_vectors(const fs::path& folder) {
  const std::vector<std::pair<const char*, Check (*)(const std::string&)>> kinds = {
      {"", lookups},         {"levels", levels},     {"steps", steps},
      {"shares", ticks},     {"overload", overloads}, {"sharing", sharings},
      {"settings", settings}, {"schedules", schedules}, {"budgets", budgets}};
  Count total;
  refusals(folder / "refused", total);
  signatures(folder / "signed", total);
  for (const auto& [name, checks] : kinds) {
    for (const auto& entry : fs::directory_iterator(folder / name)) {
      const fs::path& file = entry.path();
      if (file.extension() != ".csv") continue;
      const fs::path policy = (folder / file.filename()).replace_extension(".tailc");
      run(file, rows_of(file.string()), checks(policy.string()), total);
    }
  }
  std::cout << total.answers << " answers, " << total.wrong << " wrong\n";
  return total.wrong > 0 || total.answers == 0 ? 1 : 0;
}

const char* opened_as(const std::string& bytes) {
  tailc_policy* policy = nullptr;
  const tailc_status status = tailc_open_bytes(bytes.data(), bytes.size(), nullptr, &policy);
  tailc_policy_free(policy);
  return status == TAILC_OK ? "opened" : tailc_status_name(status);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int run_files() {
  for (std::string path; std::getline(std::cin, path);)
    std::cout << opened_as(bytes_of(path)) << "\n";
  return 0;
}

// Draws a question, asks it and folds the answer.
using Question = std::function<void(Draws& from, Checksum& into)>;

std::uint64_t below(Draws& from, std::uint64_t limit) {
  return static_cast<std::uint64_t>(from.below(static_cast<std::int64_t>(limit)));
}

void ask_ladder(const tailc_policy* policy, Draws& from, Checksum& into) {
  const auto count = get<std::size_t>(tailc_ladder_count, policy);
  const auto* ladder = get<const tailc_ladder*>(tailc_ladder_at, policy, below(from, count));
  const auto info = get<tailc_ladder_info_t>(tailc_ladder_info, ladder);
  const std::uint64_t load = below(from, info.max_load + 2);
  const std::uint64_t waited_us = below(from, 2 * info.longest_delay_us + 2);
  const std::uint64_t executed_us = below(from, 2 * info.last_climb_us + 2);
  const auto answer = get<tailc_answer>(tailc_ladder_lookup, ladder, load, waited_us, executed_us);
  into.fold(answer.start, answer.wait_us, answer.rung);
  const auto rung = get<tailc_rung>(tailc_ladder_rung, ladder, std::size_t{answer.rung});
  const auto or_zero = [](std::int64_t value) { return std::max(value, std::int64_t{0}); };
  into.fold(rung.speed_ppm, or_zero(rung.threads), or_zero(rung.frequency_khz),
            rung.core_type.length, rung.lane, or_zero(rung.one_thread_ppm));
}

void ask_table(const tailc_policy* policy, Draws& from, Checksum& into) {
  const auto* table = get<const tailc_tail_table_t*>(tailc_tail_table, policy);
  const auto info = get<tailc_tail_table_info_t>(tailc_tail_table_info, table);
  const std::uint64_t bound_ns = static_cast<std::uint64_t>(info.bound_us) * 1'000;
  std::vector<std::uint64_t> ages_ns(1 + below(from, info.positions + 1));
  std::uint64_t next = 2 * bound_ns + 1;
  for (std::uint64_t& age_ns : ages_ns) {
    age_ns = below(from, next);
    next = age_ns + 1;
  }
  const std::uint64_t cycles = below(from, 2 * info.last_cycles + 2);
  const std::uint64_t memory_ns = below(from, bound_ns + 1);
  const auto level = get<std::size_t>(tailc_tail_table_level, table, ages_ns.data(),
                                      ages_ns.size(), cycles, memory_ns);
  into.fold(info.frequencies_khz[level]);
}

Question shares_question(const tailc_policy* policy) {
  const std::shared_ptr<tailc_shares> shares = shares_of(policy);
  return [shares](Draws& from, Checksum& into) {
    const auto info = get<tailc_shares_info_t>(tailc_shares_info, shares.get());
    std::vector<double> throughput(info.served);
    for (double& work_per_s : throughput)
      work_per_s = static_cast<double>(from.below(1'000'000)) / 1'000.0;
    std::vector<std::uint64_t> waiting(info.served);
    for (std::uint64_t& count : waiting) count = below(from, 64);
    check(tailc_shares_tick(shares.get(), throughput.data(), waiting.data(), info.served));
    const auto after = get<tailc_shares_info_t>(tailc_shares_info, shares.get());
    for (std::size_t i = 0; i < after.machines; ++i) into.fold(after.granted_ppm[i]);
    for (const tailc_served& one : served_of(shares.get())) {
      for (const double value : {one.a, one.b}) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        into.fold(bits);
      }
    }
  };
}

void ask_budget(const tailc_policy* policy, Draws& from, Checksum& into) {
  const auto info = get<tailc_budget_info_t>(tailc_budget_info, policy);
  const auto decoding = static_cast<std::uint64_t>(from.below(2 * info.max_sequences));
  const auto waiting = static_cast<std::uint64_t>(from.below(2 * info.kv_blocks * info.block_tokens));
  const auto budget = get<tailc_budget>(tailc_budget_lookup, policy, decoding, waiting);
  into.fold(budget.tokens, budget.new_sequences);
}

Question question_of(const tailc_policy* policy) {
  std::size_t count = 0;
  const tailc_tail_table_t* table = nullptr;
  tailc_budget_info_t budgets_info;
  if (tailc_ladder_count(policy, &count) == TAILC_OK)
    return [=](Draws& from, Checksum& into) { ask_ladder(policy, from, into); };
  if (tailc_tail_table(policy, &table) == TAILC_OK)
    return [=](Draws& from, Checksum& into) { ask_table(policy, from, into); };
  if (tailc_budget_info(policy, &budgets_info) == TAILC_OK)
    return [=](Draws& from, Checksum& into) { ask_budget(policy, from, into); };
  return shares_question(policy);
}

void step(const tailc_policy* policy, Draws& from, Checksum& into) {
  const auto info = get<tailc_controller_info_t>(tailc_controller_info, policy);
  const std::uint64_t measured_us = below(from, 3 * static_cast<std::uint64_t>(info.target_us));
  const std::uint64_t rate_mrps = below(from, 2 * info.last_rate_mrps + 2);
  into.fold(get<std::int64_t>(tailc_controller_step, policy, measured_us, rate_mrps));
}

int run_differential(const std::string& path, std::uint64_t seed, std::uint64_t count) {
  constexpr std::uint64_t kStretch = 4'096, kEpoch = 1'024;
  const Policy policy = opened(path);
  const Question ask = question_of(policy.get());
  const bool is_controlled = get<std::uint8_t>(tailc_has_controller, policy.get()) != 0;
  Draws from(seed);
  Checksum into;
  for (std::uint64_t number = 0; number < count; ++number) {
    if (is_controlled && number % kEpoch == 0) step(policy.get(), from, into);
    ask(from, into);
    if ((number + 1) % kStretch == 0 || number + 1 == count)
      std::printf("%016" PRIx64 "\n", into.sum());
  }
  return 0;
}

int run_program(const std::vector<std::string>& given) {
  if (given.size() == 2 && given[0] == "vectors") return run_vectors(given[1]);
  if (given.size() == 2 && given[0] == "refusals" && given[1] == "files") return run_files();
  if (given.size() == 4 && given[0] == "differential")
    return run_differential(given[1], std::stoull(given[2]), std::stoull(given[3]));
  std::cerr << "usage: conformance vectors DIR | refusals files < LIST | differential FILE SEED COUNT\n";
  return 64;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run_program({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
