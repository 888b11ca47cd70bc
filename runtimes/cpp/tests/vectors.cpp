// Runs every look-up vector: `vectors DIR`. Prints the first difference of each file, and how many
// answers there were; exits 0 if all are right.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tailc/tailc.hpp>

#include "lines.hpp"
#include "plan_vectors.hpp"
#include "schedule_vectors.hpp"

namespace {

namespace fs = std::filesystem;

// What of a row is answered otherwise; empty: nothing.
using Check = std::function<std::string(const Row&)>;

std::string difference(const std::string& got, const std::string& wanted) {
  return got == wanted ? "" : "is `" + got + "`, wanted `" + wanted + "`";
}

std::string word_of(tailc::Start start) {
  if (start == tailc::Start::now) return "now";
  return start == tailc::Start::wait ? "wait" : "on-exit";
}

std::string text_of(const tailc::Answer& answer) {
  return word_of(answer.start) + " " + std::to_string(answer.wait_us) + " " +
         std::to_string(answer.rung);
}

Check lookups(const std::string& path) {
  auto policy = std::make_shared<tailc::Policy>(tailc::open(path));
  return [policy](const Row& row) {
    const std::string& name = row.at("request_class");
    const tailc::Ladder& ladder = name.empty() ? policy->ladder() : policy->ladder(name);
    const std::int64_t load = whole(row.at("load")), waited_us = whole(row.at("waited_us"));
    const std::int64_t executed_us = whole(row.at("executed_us"));
    const tailc::Answer got =
        row.count("output_ppm") > 0
            ? ladder.lookup_scaled(load, waited_us, executed_us, whole(row.at("output_ppm")))
            : ladder.lookup(load, waited_us, executed_us);
    const std::string wanted = row.at("start") + " " + row.at("wait_us") + " " + row.at("rung");
    return difference(text_of(got), wanted);
  };
}

Check overloads(const std::string& path) {
  auto policy = std::make_shared<tailc::Policy>(tailc::open(path));
  return [policy](const Row& row) {
    const std::string& name = row.at("request_class");
    const tailc::Overload& told =
        (name.empty() ? policy->ladder() : policy->ladder(name)).overload();
    const std::int64_t in_system = whole(row.at("in_system"));
    const bool is_cut = told.cuts_off(whole(row.at("waited_us")), whole(row.at("executed_us")));
    const std::string got = std::to_string(int{told.refuses(in_system)}) + " " +
                            std::to_string(told.work_ppm(in_system)) + " " +
                            std::to_string(int{is_cut});
    return difference(got, row.at("refused") + " " + row.at("work_ppm") + " " + row.at("cut_off"));
  };
}

Check sharings(const std::string& path) {
  auto policy = std::make_shared<tailc::Policy>(tailc::open(path));
  return [policy](const Row& row) {
    const std::string& name = row.at("request_class");
    const tailc::Sharing& told = (name.empty() ? policy->ladder() : policy->ladder(name)).sharing();
    const auto unit = told.start_unit();
    const bool starts = told.starts(whole(row.at("in_use_ppm")));
    const bool gives_up = told.gives_up(whole(row.at("waited_us")), whole(row.at("executed_us")));
    const std::string got = (unit ? std::to_string(*unit) : "") + " " +
                            std::to_string(int{starts}) + " " + std::to_string(int{gives_up});
    const std::string wanted = row.at("start_unit") + " " + row.at("starts") + " ";
    return difference(got, wanted + row.at("gives_up"));
  };
}

std::string text_of(const std::optional<std::int64_t>& number) {
  return number ? std::to_string(*number) : "";
}

std::string text_of(const tailc::RungSetting& rung) {
  std::string costs;
  for (const std::int64_t cost : rung.cost_ppm)
    costs += (costs.empty() ? "" : " ") + std::to_string(cost);
  const std::string lane =
      rung.lane ? (*rung.lane == tailc::Lane::SHARED ? "shared" : "alone") : "";
  return std::to_string(rung.speed_ppm) + "," + costs + "," + text_of(rung.move_us) + "," +
         text_of(rung.threads) + "," + text_of(rung.frequency_khz) + "," +
         rung.core_type.value_or("") + "," + lane + "," + text_of(rung.one_thread_ppm);
}

Check settings(const std::string& path) {
  auto policy = std::make_shared<tailc::Policy>(tailc::open(path));
  return [policy](const Row& row) {
    const std::string& name = row.at("request_class");
    const tailc::Ladder& ladder = name.empty() ? policy->ladder() : policy->ladder(name);
    std::string wanted = row.at("speed_ppm");
    for (const char* column :
         {"cost_ppm", "move_us", "threads", "frequency_khz", "core_type", "lane", "one_thread_ppm"})
      wanted += "," + row.at(column);
    const auto rung = static_cast<std::size_t>(whole(row.at("rung")));
    return difference(text_of(ladder.settings().at(rung)), wanted);
  };
}

Check schedules(const std::string& path) {
  auto server = std::make_shared<ScheduleVectors>(path);
  return [server](const Row& row) {
    const std::string wanted = row.at("event") + "," + row.at("work_ppm") + ",";
    return difference(server->answer(row), wanted + row.at("decisions"));
  };
}

Check levels(const std::string& path) {
  auto policy = std::make_shared<tailc::Policy>(tailc::open(path));
  return [policy](const Row& row) {
    const tailc::TailTable& table = policy->tail_table();
    const std::vector<std::int64_t> ages_ns = wholes(row.at("ages_ns"));
    const std::size_t level = table.level_scaled(
        ages_ns.data(), ages_ns.size(), whole(row.at("elapsed_cycles")),
        whole(row.at("elapsed_memory_ns")), whole(row.at("output_ppm")));
    return difference(std::to_string(level) + " " + std::to_string(table.frequencies_khz()[level]),
                      row.at("level") + " " + row.at("frequency_khz"));
  };
}

Check budgets(const std::string& path) {
  auto policy = std::make_shared<tailc::Policy>(tailc::open(path));
  return [policy](const Row& row) {
    const tailc::Budget budget =
        policy->budget_table().lookup(whole(row.at("decoding")), whole(row.at("waiting_tokens")));
    return difference(std::to_string(budget.tokens) + " " + std::to_string(budget.new_sequences),
                      row.at("budget") + " " + row.at("new_sequences"));
  };
}

// Of the climbs in a row those that look-ups show.
std::string climbs(const tailc::Ladder& ladder, const Row& row) {
  const std::int64_t load = whole(row.at("load"));
  std::int64_t before = -1;
  std::string found;
  for (const std::string& climb : words(row.at("climbs"))) {
    const std::int64_t age_us = whole(split(climb, ':')[0]), rung = whole(split(climb, ':')[1]);
    const bool is_new = age_us == 0 || ladder.lookup(load, 0, age_us - 1).rung == before;
    if (is_new && ladder.lookup(load, 0, age_us).rung == rung)
      found += (found.empty() ? "" : " ") + climb;
    before = rung;
  }
  return found;
}

Check steps(const std::string& path) {
  auto policy = std::make_shared<tailc::Policy>(tailc::open(path));
  return [policy, path](const Row& row) {
    if (row.at("step") == "0") {
      *policy = tailc::open(path);
    } else {
      policy->controller()->step(whole(row.at("measured_us")), whole(row.at("rate_mrps")));
    }
    const bool is_ladder = row.count("climbs") > 0;
    const std::string decided =
        is_ladder ? climbs(policy->ladder(), row)
                  : std::to_string(policy->tail_table().level(wholes(row.at("ages_ns")), 0, 0));
    const tailc::Controller& controller = *policy->controller();
    return difference(std::to_string(controller.output()) + " " +
                          std::to_string(controller.output_ppm()) + " " + decided,
                      row.at("output") + " " + row.at("output_ppm") + " " +
                          row.at(is_ladder ? "climbs" : "level"));
  };
}

bool are_same(const std::vector<double>& got, const std::vector<double>& wanted) {
  return got.size() == wanted.size() &&
         std::memcmp(got.data(), wanted.data(), got.size() * sizeof(double)) == 0;
}

// The columns of a row that differ, doubles bit for bit.
std::string shares_difference(const tailc::Shares& shares, const Row& row) {
  std::vector<double> a, b, believed_a, believed_b;
  std::vector<std::int64_t> short_steps, cap_ppm, cannot_meet;
  for (const tailc::Served& one : shares.served()) {
    a.push_back(one.a);
    b.push_back(one.b);
    believed_a.push_back(one.believed.first);
    believed_b.push_back(one.believed.second);
    short_steps.push_back(one.short_steps);
    cap_ppm.push_back(one.cap_ppm());
  }
  for (const bool is_named : shares.cannot_meet()) cannot_meet.push_back(is_named ? 1 : 0);
  if (shares.granted_ppm() != wholes(row.at("granted_ppm"))) return "granted_ppm";
  if (!are_same(a, doubles(row.at("a")))) return "a";
  if (!are_same(b, doubles(row.at("b")))) return "b";
  if (!are_same(believed_a, doubles(row.at("believed_a")))) return "believed_a";
  if (!are_same(believed_b, doubles(row.at("believed_b")))) return "believed_b";
  if (short_steps != wholes(row.at("short_steps"))) return "short_steps";
  if (cap_ppm != wholes(row.at("cap_ppm"))) return "cap_ppm";
  return cannot_meet == wholes(row.at("cannot_meet")) ? "" : "cannot_meet";
}

Check ticks(const std::string& path) {
  auto policy = std::make_shared<tailc::Policy>(tailc::open(path));
  return [policy, path](const Row& row) {
    if (row.at("tick") == "0") {
      *policy = tailc::open(path);
    } else if (const auto waiting = wholes(row.at("waiting")); !waiting.empty()) {
      policy->shares().tick(doubles(row.at("throughput")), waiting);
    } else {
      policy->shares().tick(doubles(row.at("throughput")));
    }
    return shares_difference(policy->shares(), row);
  };
}

Check calls(const std::string& path) {
  auto policy = std::make_shared<tailc::Policy>(tailc::open(path));
  auto sequence = std::make_shared<std::string>();
  return [policy, sequence, path](const Row& row) {
    if (row.at("sequence") != *sequence) *policy = tailc::open(path);
    *sequence = row.at("sequence");
    const PlanAnswer got = answered(policy->plan(), row);
    const PlanAnswer wanted = {row.at("answer"), row.at("pays_udollars"), row.at("worth_udollars"),
                               row.at("green_slots"), row.at("places")};
    std::string parts;
    for (std::size_t i = 0; i < got.size(); ++i) parts += difference(got[i], wanted[i]);
    return parts;
  };
}

std::string text_of(const Row& row) {
  std::string text;
  for (const auto& [name, value] : row) text += " " + name + "=" + value;
  return text;
}

struct Count {
  std::size_t answers = 0, wrong = 0;
};

// The first row of a file that is wrong is printed.
Count run(const fs::path& file, const std::vector<Row>& rows, const Check& check) {
  Count count;
  for (const Row& row : rows) {
    ++count.answers;
    const std::string wrong = check(row);
    if (!wrong.empty() && count.wrong++ == 0)
      std::cout << file.string() << ":" << text_of(row) << ": " << wrong << "\n";
  }
  return count;
}

// The word that a file is refused by; empty: it opens.
std::string refusal_of(const fs::path& file, const tailc::Options& options) {
  try {
    tailc::open(file.string(), options);
  } catch (const tailc::PolicyError& error) {
    return name_of(error.refusal());
  }
  return "";
}

// Of those in the encoding that is read here; canonical JSON is not.
Count refusals(const fs::path& folder) {
  const fs::path list = folder / "expected.csv";
  std::vector<Row> rows;
  for (const Row& row : rows_of(list.string()))
    if (fs::path(row.at("file")).extension() == ".tailc") rows.push_back(row);
  return run(list, rows, [&](const Row& row) {
    return difference(refusal_of(folder / row.at("file"), {}), row.at("error"));
  });
}

// What a row asks; nothing where its field is empty.
tailc::Options asked_by(const fs::path& folder, const Row& row) {
  tailc::Options options;
  for (const std::string& name : words(row.at("keys"))) {
    std::ifstream file(folder / name);
    options.trusted.emplace_back(std::string{std::istreambuf_iterator<char>(file), {}});
  }
  if (!row.at("service").empty()) options.service = row.at("service");
  if (!row.at("held_generation").empty())
    options.held_generation = whole(row.at("held_generation"));
  if (!row.at("now_s").empty()) options.now_s = whole(row.at("now_s"));
  return options;
}

// Where nothing is built in that checks a signature, none may be believed.
std::string wanted_of(const Row& row) {
  const std::string& error = row.at("error");
  const bool is_found_before = error == "truncated" || error == "hash-mismatch";
  const bool can_tell = tailc::kChecksSignatures || row.at("keys").empty() || is_found_before;
  return can_tell ? error : name_of(tailc::Refusal::no_signatures);
}

Count signatures(const fs::path& folder) {
  const fs::path list = folder / "expected.csv";
  return run(list, rows_of(list.string()), [&](const Row& row) {
    return difference(refusal_of(folder / row.at("file"), asked_by(folder, row)), wanted_of(row));
  });
}

std::vector<fs::path> vectors_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

int run_all(const fs::path& folder) {
  const std::vector<std::pair<std::string, Check (*)(const std::string&)>> kinds = {
      {"", lookups},     {"levels", levels}, {"steps", steps},
      {"shares", ticks}, {"plans", calls},   {"overload", overloads},
      {"sharing", sharings}, {"settings", settings}, {"schedules", schedules},
      {"budgets", budgets}};
  Count total;
  const auto add = [&](const Count& count) {
    total.answers += count.answers;
    total.wrong += count.wrong;
  };
  add(refusals(folder / "refused"));
  if (fs::exists(folder / "signed")) add(signatures(folder / "signed"));
  for (const auto& [name, checks] : kinds) {
    for (const fs::path& file : vectors_in(folder / name)) {
      const fs::path policy = (folder / file.filename()).replace_extension(".tailc");
      add(run(file, rows_of(file.string()), checks(policy.string())));
    }
  }
  std::cout << total.answers << " answers, " << total.wrong << " wrong\n";
  return total.wrong > 0 || total.answers == 0 ? 1 : 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: vectors DIR\n";
    return 64;
  }
  try {
    return run_all(arguments[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
