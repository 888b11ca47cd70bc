// A server that prices Asian options by Monte-Carlo simulation, on one slow and one fast core.
//
//   server price REQUESTS                                    what each request costs a client
//   server alone REQUESTS CORE SLOWDOWN                      how long each takes by itself
//   server answers POLICY QUESTIONS                          what the policy says, line by line
//   server serve REQUESTS POLICY SLOW_CORE FAST_CORE SLOWDOWN   all of them as they arrive
//
// POLICY is a `.tailc` file, or `embedded` where the server is built with one.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "clocks.hpp"
#include "inputs.hpp"
#include "policy.hpp"
#include "slow_core.hpp"

namespace {

constexpr double kLookUs = 20;        // about how long it works between looks at the clock
constexpr double kStepUs = 0.03;      // about how long one date of one path takes
constexpr double kFirstArrivalUs = 100'000;  // from the beginning, so that the workers are up

Pricing pricing_of(const Request& r) { return Pricing(r.option, r.paths, r.seed); }

// How many paths are about `kLookUs` of work.
std::int64_t paths_between_looks(const Request& r) {
  return std::max<std::int64_t>(1, std::int64_t(kLookUs / kStepUs) / r.option.dates);
}

void work(Pricing& pricing, std::int64_t paths) {
  for (std::int64_t i = 0; i < paths && !pricing.is_done(); ++i) pricing.next_path();
}

int price(const std::vector<Request>& requests) {
  std::puts("arithmetic,geometric,geometric_error,geometric_closed_form");
  for (const Request& r : requests) {
    Pricing pricing = pricing_of(r);
    work(pricing, r.paths);
    const Price p = pricing.price();
    std::printf("%.10g,%.10g,%.10g,%.10g\n", p.arithmetic, p.geometric, p.geometric_error,
                geometric_price(r.option));
  }
  return 0;
}

int alone(const std::vector<Request>& requests, int core, double slowdown) {
  bind_to_core(core);
  SlowCore slow(slowdown);
  std::puts("cpu_ms,wall_ms");
  for (const Request& r : requests) {
    Pricing pricing = pricing_of(r);
    const double begun_us = now_us();
    slow.begin();
    while (!pricing.is_done()) {
      work(pricing, paths_between_looks(r));
      slow.rest_if_due();
    }
    slow.rest();
    std::printf("%.3f,%.3f\n", 1e-3 * slow.worked_us(), 1e-3 * (now_us() - begun_us));
  }
  return 0;
}

// Each line of `path` is a question: `step MEASURED_US RATE_MRPS` is answered by the controller's
// output, `look IN_SYSTEM WAITED_US EXECUTED_US` by the type of core that a request wants.
int answers(const std::string& policy_name, const std::string& path) {
  PolicySource source(policy_name);
  tailc::Policy& policy = *source.current();
  std::ifstream questions = opened(path);
  std::puts("answer");
  Whole first, second, third;
  for (std::string word; questions >> word;) {
    if (word == "step" && policy.controller() != nullptr && questions >> first >> second) {
      std::printf("%lld\n", static_cast<long long>(policy.controller()->step(first, second)));
    } else if (word == "look" && questions >> first >> second >> third) {
      const tailc::Ladder& ladder = policy.ladder();
      const auto rung = ladder.lookup(first, second, third).rung;
      std::puts(ladder.settings()[rung].core_type->c_str());
    } else {
      throw std::runtime_error(path + ": no question for this policy: " + word);
    }
  }
  return 0;
}

const std::string kSlow = "slow", kFast = "fast";

// What became of a request, and how long it kept each core busy.
struct Job {
  std::int64_t number;
  double arrival_us, start_us = 0, moved_us = 0, end_us = 0;  // 0: never
  double cpu_us = 0, slow_us = 0, fast_us = 0;
};

bool is_on_slow() { return tailc::Scheduler::current_rung()->core_type == kSlow; }

// Prices the options of a request, on the core that the scheduler gives it.
void price(const Request& r, Job& job, double slowdown) {
  job.start_us = now_us();
  Pricing pricing = pricing_of(r);
  bool is_slow = is_on_slow();
  SlowCore speed(is_slow ? slowdown : 1.0);
  double since_us = job.start_us;
  speed.begin();
  while (true) {
    work(pricing, paths_between_looks(r));
    if (pricing.is_done()) break;
    if (is_slow && !is_on_slow()) {
      is_slow = false;
      job.moved_us = now_us();
      job.slow_us = job.moved_us - since_us;
      since_us = job.moved_us;
      job.cpu_us += speed.worked_us();
      speed = SlowCore(1.0);
      speed.begin();
    }
    speed.rest_if_due();
  }
  speed.rest();
  job.cpu_us += speed.worked_us();
  job.end_us = now_us();
  (is_slow ? job.slow_us : job.fast_us) = job.end_us - since_us;
}

void print(const Job& job) {
  const double moved_us = job.moved_us > 0 ? job.moved_us - job.arrival_us : -1000;
  std::printf("%lld,%.3f,%.3f,%.3f,%.3f,%d\n", static_cast<long long>(job.number),
              1e-3 * (job.start_us - job.arrival_us), 1e-3 * (job.end_us - job.arrival_us),
              1e-3 * job.cpu_us, 1e-3 * moved_us, job.fast_us > 0 ? 1 : 0);
}

void say(const std::vector<Job>& jobs, const std::vector<tailc::ControlStep>& steps,
         double begun_us) {
  double slow_us = 0, fast_us = 0;
  for (const Job& job : jobs) {
    slow_us += job.slow_us;
    fast_us += job.fast_us;
  }
  std::fprintf(stderr, "busy_ms %.3f %.3f\n", 1e-3 * slow_us, 1e-3 * fast_us);
  for (const tailc::ControlStep& step : steps)
    std::fprintf(stderr, "step %.3f %lld %lld %lld\n",
                 1e-9 * static_cast<double>(step.now_ns) - 1e-6 * begun_us,
                 static_cast<long long>(step.measured_us), static_cast<long long>(step.rate_mrps),
                 static_cast<long long>(step.output_ppm));
}

int serve(const std::vector<Request>& requests, const std::string& policy_name, int slow, int fast,
          double slowdown) {
  PolicySource source(policy_name);
  std::vector<tailc::ControlStep> steps;
  tailc::SchedulerOptions options;
  options.threads = 2;
  options.processors = {{kSlow, {slow}}, {kFast, {fast}}};
  options.on_step = [&](const tailc::ControlStep& step) { steps.push_back(step); };
  std::vector<Job> jobs;
  jobs.reserve(requests.size());
  const double begun_us = now_us() + kFirstArrivalUs;
  {
    let_sleeps_end_at_once();
    const auto scheduler = source.scheduler(options);
    for (const Request& r : requests) {
      const double arrival_us = begun_us + r.arrival_us;
      sleep_until_us(arrival_us);
      Job& job = jobs.emplace_back(Job{static_cast<std::int64_t>(jobs.size()), arrival_us});
      scheduler->submit({[&r, &job, slowdown] { price(r, job, slowdown); }});
    }
  }
  std::puts("number,wait_ms,latency_ms,cpu_ms,moved_after_ms,ended_on");
  for (const Job& job : jobs) print(job);
  say(jobs, steps, begun_us);
  return 0;
}

int run(const std::vector<std::string>& words) {
  const std::size_t count = words.size();
  if (count == 2 && words[0] == "price") return price(read_requests(words[1]));
  if (count == 4 && words[0] == "alone")
    return alone(read_requests(words[1]), std::stoi(words[2]), std::stod(words[3]));
  if (count == 3 && words[0] == "answers") return answers(words[1], words[2]);
  if (count == 6 && words[0] == "serve")
    return serve(read_requests(words[1]), words[2], std::stoi(words[3]), std::stoi(words[4]),
                 std::stod(words[5]));
  std::fputs("usage: server price|alone|answers|serve ... (see the top of main.cpp)\n", stderr);
  return 64;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "server: %s\n", error.what());
    return 1;
  }
}
