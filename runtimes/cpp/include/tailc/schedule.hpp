// The state machine of a server: admission, ticks and rules of a policy whose load is the number in
// the system. docs/scheduler.md defines the calls, the decisions and their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core_places.hpp"
#include "latency_window.hpp"
#include "schedule_state.hpp"

namespace tailc {

// Without clock, lock and thread; for one thread.
class Schedule {
 public:
  // Throws ScheduleError for a policy that needs another server, and PolicyError, other_form.
  Schedule(std::shared_ptr<Policy> policy, std::int64_t now_ns) { use(std::move(policy), now_ns); }

  // What the server must do; the caller clears it.
  std::vector<Decision> decisions;
  // The step of the controller at the last exit, if that ended an epoch.
  std::optional<ControlStep> step;

  const ScheduleCounts& counts() const noexcept { return counts_; }
  const std::shared_ptr<Policy>& policy() const noexcept { return policy_; }
  // Look-ups by name of the rung.
  std::map<std::string, std::int64_t> lookups() const {
    std::map<std::string, std::int64_t> found = past_lookups_;
    for (const auto& queue : queues_)
      for (std::size_t rung = 0; rung < queue->ladder.rungs().size(); ++rung)
        found[queue->ladder.rungs()[rung]] += lookups_[queue->first_lookup + rung];
    return found;
  }
  // Requests in the system, waiting ones included, and those that have started.
  std::int64_t in_system() const noexcept { return in_system_; }
  std::int64_t running() const noexcept { return running_; }

  // Time of the next timer.
  std::optional<std::int64_t> due_ns() {
    const detail::Timer* first = first_timer();
    if (first != nullptr && !is_start_first(*first)) return first->due_ns;
    return start_ns_ == detail::kUnset ? std::nullopt : std::optional(start_ns_);
  }

  // The request that arrived; null: it is refused. An empty class is that of requests without a
  // ladder of their own. Throws PolicyError, unknown_class.
  Request* arrive(std::int64_t now_ns, std::string_view request_class = {}) {
    const std::shared_ptr<detail::Queue>& queue = queue_of(queues_, request_class);
    ++counts_.arrived;
    const Overload& overload = queue->ladder.overload();
    if (overload.refuses(in_system_)) {
      ++counts_.refused;
      return nullptr;
    }
    Request& request = take_free();
    request.number = counts_.arrived;
    request.request_class = request_class;
    request.queue = queue;
    request.arrived_ns = now_ns;
    request.work_ppm = overload.work_ppm(in_system_);
    counts_.degraded += request.work_ppm < kPpm ? 1 : 0;
    ++in_system_;
    if (window_) window_->count_arrival();
    queue->waiting.push_back(&request);
    start_waiting(now_ns);
    return &request;
  }

  // The request left; one that waited leaves no room for another.
  void exit(Request& request, std::int64_t now_ns) {
    --in_system_;
    ++counts_.exits;
    step.reset();
    if (request.has_started) {
      --running_;
      count_use(request, -1);
      request.tick_ns = request.cut_ns = detail::kUnset;
      if (window_) step = window_->count_exit(now_ns - request.arrived_ns, now_ns);
      if (places_) {
        on_cores_.erase(std::find(on_cores_.begin(), on_cores_.end(), &request));
        leave_core(request, now_ns);
      } else {
        release(now_ns);
      }
    } else {
      auto& waiting = request.queue->waiting;
      waiting.erase(std::find(waiting.begin(), waiting.end(), &request));
    }
    request.queue.reset();
    free_.push_back(&request);
    start_waiting(now_ns);
  }

  // Handles the first due timer, if it is due.
  void wake(std::int64_t now_ns) {
    const detail::Timer* first = first_timer();
    if (first == nullptr || is_start_first(*first)) {
      if (start_ns_ != detail::kUnset && start_ns_ <= now_ns) start_waiting(now_ns);
      return;
    }
    if (first->due_ns > now_ns) return;
    const detail::Timer timer = *first;
    timers_.pop();
    Request& request = *timer.request;
    if (timer.phase == detail::Phase::cut) {
      request.tick_ns = request.cut_ns = detail::kUnset;
      ++counts_.cut_off;
      return decide(DecisionKind::cut_off, request);
    }
    tick(request, now_ns);
    if (request.queue->start_unit) start_waiting(now_ns);
  }

  // Uses another policy for waiting and new requests. Throws like the constructor, and PolicyError,
  // unknown_class; then the old one is in use.
  void reload(std::shared_ptr<Policy> policy, std::int64_t now_ns) {
    std::vector<Request*> waiting;
    for (const auto& queue : queues_)
      waiting.insert(waiting.end(), queue->waiting.begin(), queue->waiting.end());
    std::sort(waiting.begin(), waiting.end(),
              [](const Request* a, const Request* b) { return a->number < b->number; });
    const Queues replacing = queues_of(policy);
    for (const Request* request : waiting) queue_of(replacing, request->request_class);
    use(std::move(policy), now_ns);
    ++counts_.reloads;
    for (Request* request : waiting) {
      request->queue = queue_of(queues_, request->request_class);
      request->queue->waiting.push_back(request);
    }
    start_waiting(now_ns);
  }

 private:
  using Queues = std::vector<std::shared_ptr<detail::Queue>>;

  void use(std::shared_ptr<Policy> policy, std::int64_t now_ns) {
    Queues queues = queues_of(policy);
    use_cores(policy->ladders());
    past_lookups_ = lookups();
    queues_ = std::move(queues);
    policy_ = std::move(policy);
    std::size_t rungs = 0;
    for (const auto& queue : queues_) rungs += queue->ladder.rungs().size();
    lookups_.assign(rungs, 0);
    window_.reset();
    if (Controller* controller = policy_->controller()) window_.emplace(*controller, now_ns);
  }

  static Queues queues_of(const std::shared_ptr<Policy>& policy) {
    Queues found;
    std::size_t first = 0;
    for (const Ladder& ladder : policy->ladders()) {
      if (ladder.load_axis() != LoadAxis::IN_SYSTEM)
        throw ScheduleError("the load of the policy is not the number in the system");
      const Ladder& first_ladder = policy->ladders().front();
      if (ladder.core_unit() != first_ladder.core_unit() ||
          ladder.core_count() != first_ladder.core_count())
        throw ScheduleError("the ladders of the policy have different cores");
      found.push_back(std::make_shared<detail::Queue>(policy, ladder, first));
      first += ladder.rungs().size();
    }
    return found;
  }

  // The cores of a policy; while requests run, they must be those of the policy before.
  void use_cores(const std::vector<Ladder>& ladders) {
    const Ladder& ladder = ladders.front();
    const bool has_cores = !ladder.core_unit().empty();
    if (running_ == 0) {
      places_ = has_cores ? std::optional<detail::CorePlaces>(ladder) : std::nullopt;
    } else if (places_ ? !places_->is_same(ladder) : has_cores) {
      throw ScheduleError("the policy has other cores than the running requests");
    }
  }

  static const std::shared_ptr<detail::Queue>& queue_of(const Queues& queues,
                                                        std::string_view request_class) {
    const Policy& policy = *queues.front()->policy;
    const Ladder& ladder = request_class.empty() ? policy.ladder() : policy.ladder(request_class);
    return *std::find_if(queues.begin(), queues.end(),
                         [&](const auto& queue) { return &queue->ladder == &ladder; });
  }

  Request& take_free() {
    if (free_.empty()) return requests_.emplace_back();
    Request& request = *free_.back();
    free_.pop_back();
    request = Request{};
    return request;
  }

  // The first timer that its request still has, or null.
  const detail::Timer* first_timer() {
    while (!timers_.empty() && !is_set(timers_.top())) timers_.pop();
    return timers_.empty() ? nullptr : &timers_.top();
  }

  static bool is_set(const detail::Timer& timer) noexcept {
    const Request& request = *timer.request;
    const bool is_cut = timer.phase == detail::Phase::cut;
    return request.number == timer.number &&
           timer.due_ns == (is_cut ? request.cut_ns : request.tick_ns);
  }

  bool is_start_first(const detail::Timer& first) const noexcept {
    if (start_ns_ == detail::kUnset) return false;
    return start_ns_ < first.due_ns ||
           (start_ns_ == first.due_ns && first.phase == detail::Phase::tick);
  }

  static bool is_earlier(const detail::Queue& one, const detail::Queue& other) noexcept {
    return one.waiting.front()->number < other.waiting.front()->number;
  }

  // The queue of the waiting request that arrived first, or null.
  detail::Queue* first_waiting() const {
    detail::Queue* first = nullptr;
    for (const auto& queue : queues_)
      if (!queue->waiting.empty() && (first == nullptr || is_earlier(*queue, *first)))
        first = queue.get();
    return first;
  }

  // Starts the waiting request that arrived first, unless starts depend on the use.
  void release(std::int64_t now_ns) {
    detail::Queue* first = first_waiting();
    if (first != nullptr && !first->start_unit) start(*first, now_ns);
  }

  // Starts all waiting requests that may start; sets the timer of the next end of a delay.
  void start_waiting(std::int64_t now_ns) {
    if (places_) return start_on_cores(now_ns);
    for (;;) {
      detail::Queue* first = nullptr;
      start_ns_ = detail::kUnset;
      for (const auto& queue : queues_) {
        const std::int64_t at = queue->waiting.empty() ? detail::kUnset : start_of(*queue, now_ns);
        if (at == detail::kUnset) continue;
        if (first == nullptr || at < start_ns_ || (at == start_ns_ && is_earlier(*queue, *first))) {
          first = queue.get();
          start_ns_ = at;
        }
      }
      if (first == nullptr || start_ns_ > now_ns) return;
      start(*first, now_ns);
    }
  }

  // When the first request of a queue starts if nothing else happens; unset: not before.
  std::int64_t start_of(const detail::Queue& queue, std::int64_t now_ns) const {
    if (queue.start_unit)
      return queue.ladder.sharing().starts(used_ppm_) ? now_ns : detail::kUnset;
    const Request& request = *queue.waiting.front();
    const std::int64_t waited_us = (now_ns - request.arrived_ns) / 1'000;
    const Answer answer = queue.ladder.peek(in_system_, waited_us, 0);
    if (answer.start == Start::now || (answer.start == Start::on_exit && running_ == 0))
      return now_ns;
    if (answer.start == Start::on_exit) return detail::kUnset;
    return request.arrived_ns + (waited_us + static_cast<std::int64_t>(answer.wait_us)) * 1'000;
  }

  // Starts waiting requests in order of arrival, as cores are free; sets the timer of the age at which
  // the first one wants a higher rung.
  void start_on_cores(std::int64_t now_ns) {
    start_ns_ = detail::kUnset;
    for (detail::Queue* queue = first_waiting(); queue != nullptr; queue = first_waiting()) {
      Request& first = *queue->waiting.front();
      const int wanted = wanted_rung(first, now_ns);
      read_cores(now_ns);
      const int rung = places_->rung_to_start(wanted, wants_, in_system_, queue->makes_room);
      if (rung == detail::kNowhere) {
        start_ns_ = wants_more_ns(first, wanted, now_ns);
        return;
      }
      first.spent_ns = places_->start(rung, now_ns > first.arrived_ns);
      queue->ladder.count_outside(in_system_);
      count_lookup(*queue, static_cast<std::uint32_t>(wanted));
      start(*queue, now_ns, rung);
    }
  }

  // The rungs that running requests have and want, the oldest first.
  void read_cores(std::int64_t now_ns) {
    rungs_.clear();
    wants_.clear();
    for (const Request* request : on_cores_) {
      rungs_.push_back(static_cast<int>(request->rung));
      wants_.push_back(wanted_rung(*request, now_ns));
    }
  }

  // The rung of the look-up of a request whose rungs are cores.
  int wanted_rung(const Request& request, std::int64_t now_ns) const {
    const detail::Queue& queue = *request.queue;
    const std::int64_t begun_ns = request.has_started ? request.started_ns : now_ns;
    const bool has_waited = begun_ns > request.arrived_ns;
    const std::int64_t waited_us = (begun_ns - request.arrived_ns) / 1'000;
    std::int64_t spent_ns = 0;
    if (queue.ages_by_core && (request.has_started || has_waited))
      spent_ns = request.has_started ? request.spent_ns : places_->next_spent_ns();
    std::int64_t executed_us = (now_ns - begun_ns + spent_ns) / 1'000;
    if (queue.waited_start_last && has_waited) {
      executed_us = kOldestUs;
    } else if (queue.ages_from_arrival) {
      executed_us = (now_ns - request.arrived_ns) / 1'000 - waited_us;
    }
    return static_cast<int>(queue.ladder.peek(load_of(request), waited_us, executed_us).rung);
  }

  // The load at which a request is looked up.
  std::int64_t load_of(const Request& request) const {
    const bool rereads = !request.has_started || request.queue->rereads;
    return rereads ? in_system_ : request.load_at_start;
  }

  // When a waiting request wants a rung above `wanted` by its age; unset: never.
  std::int64_t wants_more_ns(const Request& request, int wanted, std::int64_t now_ns) const {
    const detail::Queue& queue = *request.queue;
    const auto wants_more = [&](std::int64_t waited_us) {
      return static_cast<int>(queue.ladder.peek(in_system_, waited_us, 0).rung) > wanted;
    };
    std::int64_t low = (now_ns - request.arrived_ns) / 1'000, high = kOldestUs;
    if (!queue.ages_from_arrival || !wants_more(high)) return detail::kUnset;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (wants_more(middle) ? high : low) = middle;
    }
    return request.arrived_ns + high * 1'000;
  }

  void leave_core(Request& request, std::int64_t now_ns) {
    places_->give_back(static_cast<int>(request.rung), request.core, now_ns - request.since_ns);
  }

  void take_core(Request& request, int rung, std::int64_t now_ns) {
    request.core = places_->take(rung);
    request.since_ns = now_ns;
  }

  // Moves a request to another core if it must; then others may start.
  void tick_on_core(Request& request, std::int64_t now_ns) {
    read_cores(now_ns);
    const auto found = std::find(on_cores_.begin(), on_cores_.end(), &request);
    const auto place = static_cast<std::size_t>(found - on_cores_.begin());
    request.queue->ladder.count_outside(load_of(request));
    count_lookup(*request.queue, static_cast<std::uint32_t>(wants_[place]));
    const detail::Queue* first = first_waiting();
    const int first_wants =
        first == nullptr ? detail::kNowhere : wanted_rung(*first->waiting.front(), now_ns);
    const int rung = places_->rung_to_move(place, rungs_, wants_, first_wants, in_system_,
                                           request.queue->makes_room);
    set_tick(request, now_ns);
    if (rung == detail::kNowhere) return;
    leave_core(request, now_ns);
    take_core(request, rung, now_ns);
    ++counts_.climbs;
    move(request, static_cast<std::uint32_t>(rung), DecisionKind::climb, now_ns);
    start_waiting(now_ns);
  }

  // Starts the first request of a queue on the rung of its look-up, or on a core of another one.
  void start(detail::Queue& queue, std::int64_t now_ns, int core_rung = detail::kNowhere) {
    Request& request = *queue.waiting.front();
    queue.waiting.pop_front();
    ++running_;
    ++counts_.started;
    counts_.waited += now_ns > request.arrived_ns ? 1 : 0;
    request.started_ns = request.granted_since_ns = now_ns;
    request.load_at_start = in_system_;
    request.waited_us = (now_ns - request.arrived_ns) / 1'000;
    request.has_started = true;
    if (places_) {
      on_cores_.push_back(&request);
      request.rung = static_cast<std::uint32_t>(core_rung);
      take_core(request, core_rung, now_ns);
    } else {
      request.rung = look_up(request, now_ns);
    }
    count_use(request, 1);
    set_tick(request, now_ns);
    const auto cut_ns = queue.ladder.overload().cut_ns(request.arrived_ns, request.started_ns);
    if (cut_ns) {
      request.cut_ns = *cut_ns;
      timers_.push({*cut_ns, detail::Phase::cut, request.number, &request});
    }
    decide(DecisionKind::start, request);
  }

  // Sets the first tick after now; a request that gave up needs none.
  void set_tick(Request& request, std::int64_t now_ns) {
    request.tick_ns = detail::kUnset;
    if (request.has_given_up) return;
    const std::int64_t quantum_ns = request.queue->ladder.quantum_us() * 1'000;
    const std::int64_t ticks = (now_ns - request.started_ns) / quantum_ns + 1;
    request.tick_ns = request.started_ns + ticks * quantum_ns;
    timers_.push({request.tick_ns, detail::Phase::tick, request.number, &request});
  }

  void tick(Request& request, std::int64_t now_ns) {
    ++counts_.ticks;
    counts_.late_ns += now_ns - request.tick_ns;
    request.late_ns += now_ns - request.tick_ns;
    if (places_) return tick_on_core(request, now_ns);
    const std::uint32_t rung = look_up(request, now_ns);
    const bool may_descend = request.has_given_up || !request.queue->never_descends;
    if (rung > request.rung) {
      ++counts_.climbs;
      move(request, rung, DecisionKind::climb, now_ns);
    } else if (rung < request.rung && may_descend) {
      ++counts_.descents;
      move(request, rung, DecisionKind::descend, now_ns);
    }
    set_tick(request, now_ns);
  }

  // The rung of a running request, which may give up now.
  std::uint32_t look_up(Request& request, std::int64_t now_ns) {
    const detail::Queue& queue = *request.queue;
    const std::int64_t executed_us = (now_ns - request.started_ns) / 1'000;
    if (queue.ladder.sharing().gives_up(request.waited_us, executed_us)) {
      counts_.gave_up += request.has_given_up ? 0 : 1;
      request.has_given_up = true;
      return 0;
    }
    const std::int64_t load = queue.rereads ? in_system_ : request.load_at_start;
    const std::uint32_t rung = queue.ladder.lookup(load, request.waited_us, executed_us).rung;
    count_lookup(queue, rung);
    return rung;
  }

  // A request that started under an earlier policy is not counted by its rungs.
  void count_lookup(const detail::Queue& queue, std::uint32_t rung) {
    if (queue.policy == policy_) ++lookups_[queue.first_lookup + rung];
  }

  void move(Request& request, std::uint32_t rung, DecisionKind kind, std::int64_t now_ns) {
    count_use(request, -1);
    request.granted_ns = request.granted_until(now_ns);
    request.granted_since_ns = now_ns;
    request.rung = rung;
    request.is_boosted = kind == DecisionKind::climb && may_boost(request);
    counts_.boosts += request.is_boosted ? 1 : 0;
    count_use(request, 1);
    decide(kind, request);
  }

  bool may_boost(const Request& request) const {
    const Ladder& ladder = request.queue->ladder;
    const auto& boost = ladder.boost();
    if (!boost || request.rung + 1 < ladder.rungs().size()) return false;
    return boosted_ppm_ + cost_ppm(request, boost->unit) < boost->below_ppm;
  }

  // Adds what a running request uses, or subtracts it.
  void count_use(const Request& request, std::int64_t sign) {
    const detail::Queue& queue = *request.queue;
    if (request.is_boosted) boosted_ppm_ += sign * cost_ppm(request, queue.ladder.boost()->unit);
    if (queue.start_unit) used_ppm_ += sign * cost_ppm(request, *queue.start_unit);
  }

  static std::int64_t cost_ppm(const Request& request, std::int64_t unit) {
    const RungSetting& rung = request.queue->ladder.settings()[request.rung];
    return rung.cost_ppm[static_cast<std::size_t>(unit)];
  }

  void decide(DecisionKind kind, Request& request) {
    decisions.push_back({kind, &request, request.rung, request.is_boosted, request.core});
  }

  // No age in a policy is as late.
  static constexpr std::int64_t kOldestUs = std::int64_t{1} << 53;

  ScheduleCounts counts_;
  // Of the policy in use, by rung of its ladders one after another, and of earlier ones.
  std::vector<std::int64_t> lookups_;
  std::map<std::string, std::int64_t> past_lookups_;
  std::shared_ptr<Policy> policy_;
  Queues queues_;
  std::optional<detail::LatencyWindow> window_;
  std::optional<detail::CorePlaces> places_;
  std::vector<Request*> on_cores_;  // running, the oldest first
  std::vector<int> rungs_, wants_;
  std::deque<Request> requests_;
  std::vector<Request*> free_;
  std::priority_queue<detail::Timer, std::vector<detail::Timer>, std::greater<detail::Timer>>
      timers_;
  std::int64_t start_ns_ = detail::kUnset;
  std::int64_t in_system_ = 0, running_ = 0, boosted_ppm_ = 0, used_ppm_ = 0;
};

}  // namespace tailc
