// What vectors do not tell: threads, counters, reloads, wrong arguments.
//
// `api DIR LATER`: the folder of vectors, and the policy `lucene` as generation 2.

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <tailc/tailc.hpp>

#include "expect.hpp"

namespace {

namespace fs = std::filesystem;

// Haque et al., ASPLOS 2015, Table 2, rows 14 and 25.
void look_up(const fs::path& vectors) {
  const tailc::Policy policy = tailc::open((vectors / "lucene.tailc").string());
  const tailc::Ladder& ladder = policy.ladder();
  const tailc::Answer waits = ladder.lookup(14, 4'000, 0);
  expect(waits.start == tailc::Start::wait && waits.wait_us == 6'000 && waits.rung == 0,
         "a request of row 14 waits for 10 ms");
  expect(ladder.lookup(14, 10'000, 225'000).rung == 3, "row 14 climbs to four threads");
  expect(ladder.lookup(25, 0, 0).start == tailc::Start::on_exit, "row 25 starts at an exit");
  expect(ladder.rungs() == std::vector<std::string>{"d1", "d2", "d3", "d4"}, "rungs have names");
  expect(ladder.load_axis() == tailc::LoadAxis::IN_SYSTEM && ladder.quantum_us() == 5'000,
         "load counts requests, a quantum is 5 ms");
  expect(ladder.boost()->unit == 0 && ladder.boost()->below_ppm == 15'000'000,
         "boosts stay below 15 threads");
  expect(policy.name() == "lucene" && policy.generation() == 1, "a policy has a name");
}

void refuse_arguments(const fs::path& vectors) {
  const tailc::Policy policy = tailc::open((vectors / "lucene.tailc").string());
  const tailc::Ladder& ladder = policy.ladder();
  const std::string invalid = "invalid-argument";
  expect(thrown_by([&] { ladder.lookup(-1, 0, 0); }) == invalid, "no load is negative");
  expect(thrown_by([&] { ladder.lookup(0, -1, 0); }) == invalid, "no wait is negative");
  expect(thrown_by([&] { ladder.lookup(0, 0, -1); }) == invalid, "no age is negative");
  expect(thrown_by([&] { ladder.lookup_scaled(0, 0, 0, 1'000'001); }) == invalid,
         "an output is 1 at most");
  const tailc::Policy tails = tailc::open((vectors / "tails-trim.tailc").string());
  const std::vector<std::int64_t> none, negative = {5, -1};
  expect(thrown_by([&] { tails.tail_table().level(none, 0, 0); }) == invalid,
         "a core without requests sleeps");
  expect(thrown_by([&] { tails.tail_table().level(negative, 0, 0); }) == invalid,
         "no request arrives later");
  const auto before_ppm = tails.controller()->output_ppm();
  expect(thrown_by([&] { tails.controller()->step(-1, 0); }) == invalid, "no tail is negative");
  expect(tails.controller()->output_ppm() == before_ppm, "a wrong step changes nothing");
  tailc::Policy host = tailc::open((vectors / "shares.tailc").string());
  expect(thrown_by([&] { host.shares().tick({1.0}); }) == invalid, "each machine is measured");
  expect(thrown_by([&] { host.shares().tick({1.0, -1.0}); }) == invalid, "no work is negative");
  expect(thrown_by([&] { host.shares().tick({1.0, 1.0}, {1, -1}); }) == invalid,
         "no number of requests is negative");
  tailc::Policy datacentre = tailc::open((vectors / "plan.tailc").string());
  expect(thrown_by([&] { datacentre.plan().quote(0, 0, 1); }) == invalid, "a job has an epoch");
  expect(thrown_by([&] { datacentre.plan().release("nobody", 0); }) == invalid,
         "only a job with places ends");
}

void look_up_budgets(const fs::path& vectors) {
  const tailc::Policy policy = tailc::open((vectors / "budgets.tailc").string());
  const tailc::BudgetTable& table = policy.budget_table();
  expect(table.lookup(17, 5'000).tokens == 768, "rows decode, columns wait");
  expect(table.lookup(-1, -1).tokens == table.lookup(0, 0).tokens, "negative numbers count as 0");
  expect(table.kv_blocks() == 6'007 && table.block_tokens() == 16 && table.max_sequences() == 64,
         "a table has the limits of its engine");
}

void refuse_other_forms(const fs::path& vectors) {
  tailc::Policy ladders = tailc::open((vectors / "classes.tailc").string());
  expect(ladders.ladder("short").request_class() == "short", "a class has its own ladder");
  expect(!ladders.ladder("long").request_class(), "other classes have the one for all");
  expect(thrown_by([&] { ladders.tail_table(); }) == "other-form", "ladders are no tail table");
  expect(thrown_by([&] { ladders.shares(); }) == "other-form", "ladders are no shares");
  expect(thrown_by([&] { ladders.plan(); }) == "other-form", "ladders are no plan");
  expect(thrown_by([&] { ladders.budget_table(); }) == "other-form", "ladders are no budgets");
  expect(thrown_by([&] { tailc::open((vectors / "missing.tailc").string()); }) == "system-error",
         "a missing file is no policy that is refused");
  expect(thrown_by([&] { tailc::open(vectors.string()); }) == "system-error",
         "a folder cannot be read");
}

// Bytes that begin anywhere, and go after the opening.
void open_bytes(const fs::path& vectors) {
  std::ifstream file(vectors / "lucene.tailc", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::string shifted = std::string(shift, '?') + bytes;
    const tailc::Policy policy = tailc::open(shifted.data() + shift, bytes.size());
    shifted.assign(shifted.size(), '!');
    expect(policy.ladder().lookup(14, 0, 225'000).rung == 3, "bytes need not be kept, or aligned");
  }
}

void count_what_is_outside(const fs::path& vectors) {
  const tailc::Policy policy = tailc::open((vectors / "classes.tailc").string());
  const auto& outside = policy.counters()->outside;
  policy.ladder().lookup(1, 0, 0);
  const auto inside = outside.load();
  policy.ladder().lookup(1'000'000, 0, 0);
  expect(inside == 0 && outside.load() == 1, "a load beyond the guard counts, one within does not");
  const tailc::Policy clamped = tailc::open((vectors / "smallest.tailc").string());
  clamped.ladder().lookup(1'000'000, 0, 0);
  expect(clamped.counters()->outside == 0, "the last row is compiled for all larger loads");
  tailc::Policy datacentre = tailc::open((vectors / "plan.tailc").string());
  datacentre.plan().epoch_at(0);
  expect(datacentre.counters()->outside == 1, "a moment before the plan counts");
}

void reload(const fs::path& vectors) {
  const std::string path = (vectors / "lucene.tailc").string();
  const tailc::Policy held = tailc::open(path);
  const tailc::Policy same = tailc::open_newer(path, held);
  expect(same.counters() == held.counters(), "counters go on");
  expect(held.counters()->refused_reloads == 0, "the same generation is not older");
  const std::string damaged = (vectors / "refused" / "bit-flip.tailc").string();
  expect(thrown_by([&] { tailc::open_newer(damaged, held); }) == "hash-mismatch",
         "a damaged file is refused");
  expect(held.counters()->last_refusal.load() == std::string("hash-mismatch"), "and it is told why");
  expect(thrown_by([&] { tailc::open_newer("missing.tailc", held); }) == "system-error",
         "a missing file cannot be read");
  expect(held.counters()->refused_reloads == 2, "refused reloads count");
}

// `later` has generation 2.
void refuse_older(const fs::path& vectors, const std::string& later) {
  const std::string path = (vectors / "lucene.tailc").string();
  const tailc::Policy held = tailc::open_newer(later, tailc::open(path));
  expect(held.generation() == 2, "a later generation is taken");
  expect(thrown_by([&] { tailc::open_newer(path, held); }) == "older-generation",
         "an older generation is refused");
  expect(held.counters()->refused_reloads == 1, "and counted");
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void trust(const fs::path& vectors) {
  const std::string pem = text_of(vectors / "signed" / "test-key-1.pem");
  const std::string signed_policy = (vectors / "signed" / "good.tailc").string();
  const std::string stranger = (vectors / "signed" / "stranger.tailc").string();
  tailc::Options options;
  options.trusted.emplace_back(pem);
  options.service = "smallest";
  const std::string none = tailc::kChecksSignatures ? "" : "no-signatures";
  expect(thrown_by([&] { tailc::open(signed_policy, options); }) == none, "a signed policy opens");
  const tailc::Policy held = tailc::open(signed_policy);
  const std::string unknown = tailc::kChecksSignatures ? "unknown-key" : "no-signatures";
  expect(thrown_by([&] { tailc::open_newer(stranger, held, options); }) == unknown,
         "a stranger's policy does not");
  expect(held.counters()->last_refusal.load() == unknown, "and counts");
  for (const std::string& text : {std::string(), pem.substr(1), pem.substr(0, pem.size() - 2),
                                  "-----BEGIN PUBLIC KEY-----" + pem, pem + "MCow"})
    expect(thrown_by([&] { tailc::TrustedKey key(text); }) == "invalid-argument",
           "other text is no key");
  // The y of 0, 1, both of order 8, -1, and of the prime and 3 above it; some with the sign.
  const std::size_t point_at = pem.find("AyEA") + 4;
  for (const char* point :
       {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA=",
        "JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=",
        "xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA/o=",
        "7P///////////////////////////////////////38=",
        "7f///////////////////////////////////////38=",
        "8P////////////////////////////////////////8="}) {
    const std::string weak = pem.substr(0, point_at) + point + pem.substr(pem.find("=\n") + 1);
    expect(thrown_by([&] { tailc::TrustedKey key(weak); }) == "invalid-argument",
           "a point that anybody can sign for is no key");
  }
  const auto with = [&](const std::string& old, const std::string& other) {
    return pem.substr(0, pem.find(old)) + other + pem.substr(pem.find(old) + old.size());
  };
  for (const std::string& text : {"\n" + pem, pem + "\n", with("=\n", "= \n"), with("AyEA", "AyEA\n"),
                                  with("KEY-----\n", "KEY-----"), with("dM=", "dN=")})
    expect(thrown_by([&] { tailc::TrustedKey key(text); }) == "invalid-argument",
           "a key has one layout");
  expect(tailc::TrustedKey(pem.substr(0, pem.size() - 1)).raw() == tailc::TrustedKey(pem).raw(),
         "the last line need not end");
  std::string damaged = pem;
  for (const char other : {'=', '-', 'B'}) {
    damaged[pem.find('M')] = other;
    expect(thrown_by([&] { tailc::TrustedKey key(damaged); }) == "invalid-argument",
           "no character of a key may be another");
  }
}

// Rungs stay within what outputs of the controller can give, whenever they are read.
void look_up_while_stepping(const fs::path& vectors) {
  const tailc::Policy policy = tailc::open((vectors / "controller.tailc").string());
  const tailc::Ladder& ladder = policy.ladder();
  std::atomic<bool> is_over{false}, is_right{true};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      while (!is_over)
        if (ladder.lookup(10, 0, 100'000).rung >= ladder.rungs().size()) is_right = false;
    });
  for (std::int64_t i = 0; i < 20'000; ++i) policy.controller()->step(i * 37 % 500'000, i % 90'000);
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  expect(is_right, "look-ups and steps do not disturb each other");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: api DIR LATER\n";
    return 64;
  }
  const fs::path vectors = arguments[1];
  look_up(vectors);
  refuse_arguments(vectors);
  refuse_other_forms(vectors);
  look_up_budgets(vectors);
  open_bytes(vectors);
  count_what_is_outside(vectors);
  reload(vectors);
  refuse_older(vectors, arguments[2]);
  trust(vectors);
  look_up_while_stepping(vectors);
  std::cout << (tailc::kChecksSignatures ? "signatures" : "no signatures") << "\n";
  std::cout << failures << " not so\n";
  return failures > 0 ? 1 : 0;
}
