// Discrete-event replay of one ladder on one server: the twin of tailc/models/shared_cores/engine.py.
//
// The same events in the same order and the same arithmetic on the same doubles, so it writes the
// same latencies to the bit as long as the compiler does not fuse a multiplication and an addition
// (-ffp-contract=off). Times are whole nanoseconds, threads are millionths. What happens when is
// said in the engine; here is one ladder and one pool, and nobody is cut off.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

// What the caller passes, by address: its arrays, and room for what happened.
struct Demand {
  std::int64_t requests;
  const std::int64_t* arrival_ns;
  const std::int64_t* work_ns;
  const std::int32_t* curve;
  const double* speed;  // [curve, rung]
};

struct Table {
  std::int64_t loads;
  std::int64_t rungs;
  const std::int32_t* row_of_load;
  const std::uint8_t* on_exit;
  const std::int64_t* delay_ns;
  const std::int64_t* reach_ns;      // [row, rung + 1]
  const std::int64_t* due_after_ns;  // [row, rung + 1]
  const std::int64_t* threads_ppm;
  std::int64_t quantum_ns;
  std::int64_t keeps_row;
  std::int64_t capacity_ppm;
  std::int64_t boost_below_ppm;
  std::int64_t ages_from_arrival;
};

struct Log {
  std::int64_t* latency_ns;
  std::int64_t* wait_ns;
  std::int32_t* rung;
  double* thread_ns;
  double* integrals;  // [phase, 4]: time, requests, threads, threads that run
};

namespace {

constexpr std::int64_t kNever = std::int64_t{1} << 61;
constexpr double kSnapNs = 1e-5;
constexpr double kThreadsPerPpm = 1.0 / 1'000'000;
constexpr std::int64_t kNobody = -1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum Phase { kWarmUp, kFirstHalf, kSecondHalf, kDrain };

struct Job {
  std::int64_t request;
  std::int64_t begun;
  std::int64_t head_start;  // age at start
  std::int64_t due;         // the tick at which it climbs
  std::int64_t since;       // on its rung
  double done;              // exit, on its virtual clock
  std::int64_t row;
  std::int32_t rung;
  bool is_boosted;
};

class Server {
 public:
  Server(const Demand& demand, const Table& table, std::int64_t measured_from,
         std::int64_t most_in_system, const Log& log)
      : demand_(demand), table_(table), log_(log), measured_from_(measured_from),
        most_in_system_(most_in_system), phase_(measured_from > 0 ? kWarmUp : kFirstHalf),
        row_(table.row_of_load[0]), jobs_(most_in_system) {}

  // How many arrived; fewer than there are if the system filled up.
  std::int64_t run() {
    while (step()) {
    }
    begin(kDrain);
    return arrived_;
  }

 private:
  struct Exit {
    std::int64_t job;
    std::int64_t at;
  };

  // The next event; whether there was one and the system did not fill up.
  bool step() {
    const Exit exit = next_exit();
    const std::int64_t arrive_at = next_arrival();
    const std::int64_t start_at = next_start();
    const std::int64_t upcoming = std::min({exit.at, arrive_at, start_at, climb_at_});
    if (upcoming == kNever) return false;
    wait_until(upcoming);
    if (exit.at == upcoming) {
      leave(exit.job);
    } else if (arrive_at == upcoming) {
      return arrive();
    } else if (start_at == upcoming) {
      enter();
    } else {
      climb();
    }
    return true;
  }

  std::int64_t in_system() const { return arrived_ - started_ + running_; }

  std::int64_t after(double left) const {
    return now_ + std::max(static_cast<std::int64_t>(std::ceil(left - kSnapNs)), std::int64_t{0});
  }

  Exit next_exit() const {
    Exit next{leaver_, kNever};
    if (leaver_ >= 0 && share_ > 0) {
      const double left = jobs_[leaver_].done - served_;
      next.at = after(share_ < 1 ? left / share_ : left);
    }
    if (favourite_ >= 0) {
      const auto at = after((jobs_[favourite_].done - served_boosted_) / boosted_share_);
      if (at < next.at) next = {favourite_, at};
    }
    return next;
  }

  std::int64_t next_arrival() const {
    return arrived_ < demand_.requests ? demand_.arrival_ns[arrived_] : kNever;
  }

  std::int64_t next_start() const {
    if (started_ == arrived_) return kNever;
    const bool on_exit = table_.on_exit[row_];
    if (released_ > 0 || (on_exit && running_ == 0)) return now_;
    if (on_exit) return kNever;
    return std::max(now_, demand_.arrival_ns[started_] + table_.delay_ns[row_]);
  }

  void wait_until(std::int64_t upcoming) {
    // A double: nanoseconds times millionths of threads outgrow 64 bits within minutes.
    const auto passed = static_cast<double>(upcoming - now_);
    const std::int64_t threads = threads_ + boosted_;
    sums_[0] += passed;
    sums_[1] += passed * in_system();
    sums_[2] += passed * threads;
    sums_[3] += passed * std::min(threads, table_.capacity_ppm);
    served_ += passed * share_;
    served_boosted_ += passed * boosted_share_;
    now_ = upcoming;
  }

  void leave(std::int64_t leaving) {
    const Job& job = jobs_[leaving];
    log_.latency_ns[job.request] = now_ - demand_.arrival_ns[job.request];
    log_.rung[job.request] = job.rung;
    leave_rung(job);
    if (started_ + released_ < arrived_) ++released_;
    jobs_[leaving] = jobs_[--running_];
    if (running_ == 0) served_ = served_boosted_ = 0;
    share_out();
    if (!reread()) look_ahead<false>();
  }

  bool arrive() {
    if (arrived_ == measured_from_) begin(kFirstHalf);
    if (arrived_ == measured_from_ + (demand_.requests - measured_from_) / 2) begin(kSecondHalf);
    if (++arrived_ == demand_.requests) begin(kDrain);
    if (in_system() >= most_in_system_) {
      give_up();
      return false;
    }
    reread();
    return true;
  }

  void enter() {
    const std::int64_t request = started_++;
    const std::int64_t waited = now_ - demand_.arrival_ns[request];
    log_.wait_ns[request] = waited;
    released_ = std::max(released_ - 1, std::int64_t{0});
    Job& job = jobs_[running_];
    job = {request, now_, table_.ages_from_arrival ? waited : 0, 0, now_, 0, row_, 0, false};
    job.rung = rung_at(row_, job.head_start);
    job.done = served_ + demand_.work_ns[request] / speeds(request)[job.rung];
    job.due = due(job);
    climb_at_ = std::min(climb_at_, job.due);
    threads_ += table_.threads_ppm[job.rung];
    if (leaver_ < 0 || job.done < jobs_[leaver_].done) leaver_ = running_;
    ++running_;
    share_out();
  }

  void climb() {
    Job& job = jobs_[first_due()];
    const std::int32_t higher = rung_at(job.row, job.head_start + now_ - job.begun);
    const double* speed = speeds(job.request);
    const double left = (job.done - served_) * (speed[job.rung] / speed[higher]);
    leave_rung(job);
    job.since = now_;
    job.rung = higher;
    const std::int64_t cost = table_.threads_ppm[higher];
    job.is_boosted = higher == table_.rungs - 1 && boosted_ + cost < table_.boost_below_ppm;
    (job.is_boosted ? boosted_ : threads_) += cost;
    job.done = (job.is_boosted ? served_boosted_ : served_) + left;
    job.due = due(job);
    share_out();
    look_ahead<false>();
  }

  void leave_rung(const Job& job) {
    const std::int64_t cost = table_.threads_ppm[job.rung];
    log_threads(job);
    (job.is_boosted ? boosted_ : threads_) -= cost;
  }

  void log_threads(const Job& job) {
    const double threads = table_.threads_ppm[job.rung] * kThreadsPerPpm;
    log_.thread_ns[job.request] += threads * (now_ - job.since);
  }

  // What every thread of an unboosted, and of a boosted, request gets of a core.
  void share_out() {
    const std::int64_t capacity = table_.capacity_ppm;
    const std::int64_t free = std::max(capacity - boosted_, std::int64_t{0});
    share_ = threads_ <= free ? 1.0 : static_cast<double>(free) / threads_;
    boosted_share_ = boosted_ <= capacity ? 1.0 : static_cast<double>(capacity) / boosted_;
  }

  // Reads the row of the load now; if it is another for those that run, looks ahead with it.
  bool reread() {
    const std::int32_t row = table_.row_of_load[std::min(in_system(), table_.loads - 1)];
    if (row == row_) return false;
    row_ = row;
    if (table_.keeps_row) return false;
    look_ahead<true>();
    return true;
  }

  // Who exits next, and when somebody climbs next.
  template <bool kRowChanged>
  void look_ahead() {
    std::int64_t climb_at = kNever, leaver = kNobody, favourite = kNobody;
    double leaves = kInfinity, favourite_leaves = kInfinity;
    for (std::int64_t i = 0; i < running_; ++i) {
      Job& job = jobs_[i];
      if (kRowChanged) {
        job.row = row_;
        job.due = due(job);
      }
      climb_at = std::min(climb_at, job.due);
      if (job.is_boosted) {
        if (job.done < favourite_leaves) favourite = i, favourite_leaves = job.done;
      } else if (job.done < leaves) {
        leaver = i, leaves = job.done;
      }
    }
    climb_at_ = climb_at;
    leaver_ = leaver;
    favourite_ = favourite;
  }

  std::int64_t first_due() const {
    std::int64_t first = kNobody;
    for (std::int64_t i = 0; i < running_; ++i) {
      const bool is_due = jobs_[i].due == climb_at_;
      if (is_due && (first < 0 || jobs_[i].request < jobs_[first].request)) first = i;
    }
    return first;
  }

  std::int32_t rung_at(std::int64_t row, std::int64_t age) const {
    const std::int64_t* reach = table_.reach_ns + row * (table_.rungs + 1);
    std::int32_t rung = 0;
    while (reach[rung + 1] <= age) ++rung;
    return rung;
  }

  // The first tick from now on at which the job climbs, if its row stays.
  std::int64_t due(const Job& job) const {
    const std::int64_t next = job.row * (table_.rungs + 1) + job.rung + 1;
    const std::int64_t quantum = table_.quantum_ns;
    std::int64_t after = table_.due_after_ns[next];
    if (job.head_start > 0 && after < kNever) {
      const std::int64_t age = table_.reach_ns[next] - job.head_start;
      after = std::max((age + quantum - 1) / quantum, std::int64_t{1}) * quantum;
    }
    if (job.begun + after >= now_) return job.begun + after;
    return job.begun + (now_ - job.begun + quantum - 1) / quantum * quantum;
  }

  // Books the integrals of the phase that ends.
  void begin(Phase phase) {
    for (int i = 0; i < 4; ++i) log_.integrals[4 * phase_ + i] += std::exchange(sums_[i], 0.0);
    phase_ = phase;
  }

  // Everybody in the system has their age as latency, and as wait if they never ran.
  void give_up() {
    for (std::int64_t i = 0; i < running_; ++i) {
      const Job& job = jobs_[i];
      log_.latency_ns[job.request] = now_ - demand_.arrival_ns[job.request];
      log_.rung[job.request] = job.rung;
      log_threads(job);
    }
    for (std::int64_t request = started_; request < arrived_; ++request) {
      log_.latency_ns[request] = log_.wait_ns[request] = now_ - demand_.arrival_ns[request];
    }
  }

  const double* speeds(std::int64_t request) const {
    return demand_.speed + demand_.curve[request] * table_.rungs;
  }

  const Demand demand_;
  const Table table_;
  const Log log_;
  const std::int64_t measured_from_;
  const std::int64_t most_in_system_;

  Phase phase_;
  double sums_[4] = {0, 0, 0, 0};  // integrals of this phase
  std::int64_t row_;
  std::int64_t now_ = 0;
  std::int64_t arrived_ = 0;
  std::int64_t started_ = 0;
  std::int64_t running_ = 0;
  std::int64_t released_ = 0;  // exits that waiters have not used yet
  std::int64_t threads_ = 0;   // of unboosted requests
  std::int64_t boosted_ = 0;   // threads of the others
  double share_ = 1;
  double boosted_share_ = 1;
  double served_ = 0;  // virtual clocks
  double served_boosted_ = 0;
  std::int64_t leaver_ = kNobody;  // who exits next among unboosted, and among boosted, jobs
  std::int64_t favourite_ = kNobody;
  std::int64_t climb_at_ = kNever;
  std::vector<Job> jobs_;  // those that run, packed, in no order
};

}  // namespace

extern "C" std::int64_t replay_twin(const Demand* demand, const Table* table,
                                    std::int64_t measured_from, std::int64_t most_in_system,
                                    const Log* log) {
  return Server(*demand, *table, measured_from, most_in_system, *log).run();
}
