// A server that prices Asian options by Monte-Carlo simulation, on one slow and one fast core.
//
//   server price REQUESTS                                    what each request costs a client
//   server alone REQUESTS CORE SLOWDOWN                      how long each takes by itself
//   server answers POLICY QUESTIONS                          what the policy says, line by line
//   server serve REQUESTS POLICY SLOW_CORE FAST_CORE SLOWDOWN   all of them as they arrive
//
// POLICY is a `.tailc` file, or `embedded` where the server is built with one.
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "clocks.hpp"
#include "inputs.hpp"
#include "schedule.hpp"
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
// output, `look IN_SYSTEM WAITED_US EXECUTED_US` by the core that a request wants.
int answers(const std::string& policy_name, const std::string& path) {
  PolicySource source(policy_name);
  tailc::Policy& policy = source.current();
  std::ifstream questions = opened(path);
  std::puts("answer");
  Whole first, second, third;
  for (std::string word; questions >> word;) {
    if (word == "step" && policy.controller() != nullptr && questions >> first >> second) {
      std::printf("%lld\n", static_cast<long long>(policy.controller()->step(first, second)));
    } else if (word == "look" && questions >> first >> second >> third) {
      std::puts(sends_to_fast(policy, first, second, third) ? "fast" : "slow");
    } else {
      throw std::runtime_error(path + ": no question for this policy: " + word);
    }
  }
  return 0;
}

struct Server {
  const std::vector<Request>& requests;
  const double quantum_us;  // how often a request looks whether to move
  Schedule schedule;
  std::array<double, 2> busy_us;
  std::vector<JobPtr> done;
  std::mutex done_mutex;

  Server(const std::vector<Request>& all, PolicySource& source)
      : requests(all),
        quantum_us(static_cast<double>(source.current().ladder().quantum_us())),
        schedule(source),
        busy_us{} {}

  // Serve what comes to one core, until all is served.
  void serve(Core core, int number, double slowdown) {
    bind_to_core(number);
    SlowCore speed(slowdown);
    while (JobPtr job = schedule.next(core)) {
      const double from_us = now_us();
      run(core, job, speed);
      busy_us[core] += now_us() - from_us;
      if (job != nullptr) {
        const std::lock_guard lock(done_mutex);
        done.push_back(std::move(job));
      }
    }
  }

  // Work on a request until it is done, or has gone to the fast core and `job` is empty.
  void run(Core core, JobPtr& job, SlowCore& speed) {
    const Request& r = requests[static_cast<std::size_t>(job->number)];
    double tick_us = now_us() + quantum_us;
    speed.begin();
    while (true) {
      work(job->pricing, paths_between_looks(r));
      if (job->pricing.is_done()) break;
      speed.rest_if_due();
      if (core == kSlow && now_us() >= tick_us) {
        tick_us += quantum_us;
        job->cpu_us += speed.worked_us();
        if (schedule.moves_up(job)) return;
      }
    }
    speed.rest();
    job->cpu_us += speed.worked_us();
    schedule.finish(core, *job, now_us());
  }
};

void print(const Job& job) {
  const double moved_us = job.moved_us > 0 ? job.moved_us - job.arrival_us : -1000;
  std::printf("%lld,%.3f,%.3f,%.3f,%.3f,%d\n", static_cast<long long>(job.number),
              1e-3 * (job.start_us - job.arrival_us), 1e-3 * (job.end_us - job.arrival_us),
              1e-3 * job.cpu_us, 1e-3 * moved_us, static_cast<int>(job.ended_on));
}

void say(const Server& server, double begun_us) {
  std::fprintf(stderr, "busy_ms %.3f %.3f\n", 1e-3 * server.busy_us[kSlow],
               1e-3 * server.busy_us[kFast]);
  for (const Step& step : server.schedule.steps())
    std::fprintf(stderr, "step %.3f %lld %lld %lld\n", 1e-6 * (step.at_us - begun_us),
                 static_cast<long long>(step.measured_us), static_cast<long long>(step.rate_mrps),
                 static_cast<long long>(step.output_ppm));
}

int serve(const std::vector<Request>& requests, const std::string& policy_name, int slow, int fast,
          double slowdown) {
  PolicySource source(policy_name);
  require_two_cores(source.current());
  source.follow();
  Server server(requests, source);
  std::thread slow_worker([&] { server.serve(kSlow, slow, slowdown); });
  std::thread fast_worker([&] { server.serve(kFast, fast, 1.0); });
  const double begun_us = now_us() + kFirstArrivalUs;
  std::int64_t number = 0;
  for (const Request& r : requests) {
    const double arrival_us = begun_us + r.arrival_us;
    sleep_until_us(arrival_us);
    server.schedule.arrive(std::make_unique<Job>(Job{number++, arrival_us, pricing_of(r)}));
  }
  server.schedule.close();
  slow_worker.join();
  fast_worker.join();
  std::puts("number,wait_ms,latency_ms,cpu_ms,moved_after_ms,ended_on");
  for (const JobPtr& job : server.done) print(*job);
  say(server, begun_us);
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
