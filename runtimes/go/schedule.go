package tailc

import "slices"

// A DecisionKind is what a server must do with a request.
type DecisionKind uint8

const (
	DecideStart   DecisionKind = iota // it runs the request on its rung
	DecideClimb                       // it moves the request up to its rung
	DecideDescend                     // it moves the request down to its rung
	DecideCutOff                      // it ends the request, unfinished
)

func (kind DecisionKind) String() string {
	return [...]string{"start", "climb", "descend", "cut-off"}[kind]
}

// A Decision is about one request.
type Decision struct {
	Kind      DecisionKind
	Request   *Request
	Rung      int
	IsBoosted bool
	Core      int // number of its core among those of the rung's type; -1 unless rungs are cores
}

// ErrSchedule is the error of a policy that a Schedule cannot apply.
const ErrSchedule = scheduleError("no schedule for this policy")

type scheduleError string

func (e scheduleError) Error() string        { return string(e) }
func (e scheduleError) Is(target error) bool { return target == ErrSchedule }

const (
	notStarted = -1
	unset      = int64(-1)
)

// A Request is in the system from its arrival to its exit, after which its Schedule uses it again.
type Request struct {
	number      int64
	class       string
	ladder      *Ladder
	queue       *queue
	workPpm     int64
	arrivedNs   int64
	startedNs   int64
	waitedUs    int64
	loadAtStart int64
	tickNs      int64
	cutNs       int64
	rung        int
	core        int
	sinceNs     int64 // on its core
	spentNs     int64 // below the last rung, that its core had when it started
	grantedNs   int64 // threads times time on earlier rungs
	rungNs      int64 // when it got its rung
	lateNs      int64 // by how much its ticks were late, in all
	isBoosted   bool
	hasGivenUp  bool
}

// Number counts requests from 1 in order of arrival, refused ones included.
func (r *Request) Number() int64 { return r.number }

// WorkPpm is how many millionths of its work are to be done.
func (r *Request) WorkPpm() int64 { return r.workPpm }

// Threads is the number of threads of its rung, 1 if the rung does not determine it, and 0 while it
// waits.
func (r *Request) Threads() int {
	if r.rung == notStarted {
		return 0
	}
	if threads := r.ladder.settings[r.rung].Threads; threads != nil {
		return int(*threads)
	}
	return 1
}

// Times are those of the request, if it exits now and its threads worked for threadNs in all.
func (r *Request) Times(nowNs, threadNs int64) RequestTimes {
	lateNs := r.lateNs
	if r.tickNs != unset {
		lateNs += max(nowNs-r.tickNs, 0)
	}
	return RequestTimes{
		ArrivalUs: r.arrivedNs / 1_000, WaitUs: (r.startedNs - r.arrivedNs) / 1_000,
		RunUs: (nowNs - r.startedNs) / 1_000, ThreadUs: threadNs / 1_000,
		GrantedUs: r.grantedUntil(nowNs) / 1_000, LateUs: lateNs / 1_000,
	}
}

func (r *Request) grantedUntil(nowNs int64) int64 {
	return r.grantedNs + (nowNs-r.rungNs)*int64(r.Threads())
}

// ScheduleCounts are counts since the schedule was made.
type ScheduleCounts struct {
	Arrived, Refused, Degraded, Started, Waited, Climbs, Descents, Boosts, GaveUp, CutOff, Exits,
	Reloads, Ticks int64
	LateNs  int64            // by how much ticks were late, in all
	Lookups map[string]int64 // by name of the rung that was looked up
}

// A queue has the waiting requests of a ladder, in order of arrival.
type queue struct {
	ladder  *Ladder
	all     []*Request // from its first element on, so that it is used again when nobody waits
	waiting []*Request
	rules   ladderRules
}

type ladderRules struct {
	rereads, neverDescends, makesRoom, agesFromArrival, waitedStartLast, agesByCore bool
}

func rulesOf(ladder *Ladder) ladderRules {
	return ladderRules{
		ladder.has(RereadRow), ladder.has(NeverDescend), ladder.has(MakeRoom),
		ladder.has(AgeFromArrival), ladder.has(WaitedStartLast), ladder.has(BusyPeriodAge),
	}
}

// A Schedule is the state machine of a server: admission, ticks and rules of a policy whose load is
// the number in the system. It has no clock, lock or goroutine; docs/scheduler.md defines the calls.
// Decisions are appended to those that the caller has not taken yet.
type Schedule struct {
	Counts    ScheduleCounts
	Decisions []Decision

	policy     *Policy
	queues     []*queue
	window     *latencyWindow
	timers     timers
	cores      coreState
	free       []*Request
	startNs    int64
	inSystem   int64
	running    int64
	boostedPpm int64
	usedPpm    int64
}

// NewSchedule is a schedule without requests. The error is ErrSchedule, or OtherForm.
func NewSchedule(policy *Policy, nowNs int64) (*Schedule, error) {
	s := &Schedule{startNs: unset, Counts: ScheduleCounts{Lookups: make(map[string]int64)}}
	return s, s.use(policy, nowNs)
}

// InSystem is the number of requests in the system, waiting ones included.
func (s *Schedule) InSystem() int64 { return s.inSystem }

// Running is the number of requests that have started.
func (s *Schedule) Running() int64 { return s.running }

// DueNs is the time of the next timer; false: there is none.
func (s *Schedule) DueNs() (int64, bool) {
	next, isSet := s.nextTimer()
	return next.dueNs, isSet
}

// Arrive is the request that arrived; nil: it is refused. An empty class is that of requests without
// a ladder of their own; the error is UnknownClass.
func (s *Schedule) Arrive(nowNs int64, class string) (*Request, error) {
	held, err := s.queueOf(class)
	if err != nil {
		return nil, err
	}
	s.Counts.Arrived++
	overload := held.ladder.overload
	if overload.Refuses(s.inSystem) {
		s.Counts.Refused++
		return nil, nil
	}
	request := s.takeFree()
	*request = Request{
		number: s.Counts.Arrived, class: class, ladder: held.ladder, queue: held, arrivedNs: nowNs,
		workPpm: overload.WorkPpm(s.inSystem), rung: notStarted, core: nowhere, tickNs: unset,
		cutNs: unset,
	}
	if request.workPpm < ppm {
		s.Counts.Degraded++
	}
	s.inSystem++
	if s.window != nil {
		s.window.arrived++
	}
	held.push(request)
	s.startWaiting(nowNs)
	return request, nil
}

func (s *Schedule) takeFree() *Request {
	last := len(s.free) - 1
	if last < 0 {
		return new(Request)
	}
	request := s.free[last]
	s.free = s.free[:last]
	return request
}

// Exit is for a request that left; one that waited leaves no room for another.
func (s *Schedule) Exit(request *Request, nowNs int64) {
	s.inSystem--
	s.Counts.Exits++
	if request.rung == notStarted {
		request.queue.remove(request)
	} else {
		s.running--
		s.countUse(request, -1)
		request.tickNs, request.cutNs = unset, unset
		if s.window != nil {
			s.window.countExit(nowNs-request.arrivedNs, nowNs)
		}
		if s.cores.places != nil {
			s.exitCore(request, nowNs)
		} else {
			s.release(nowNs)
		}
	}
	s.free = append(s.free, request)
	s.startWaiting(nowNs)
}

// Wake handles the first due timer, if it is due.
func (s *Schedule) Wake(nowNs int64) {
	next, isSet := s.nextTimer()
	if !isSet || next.dueNs > nowNs {
		return
	}
	if next.phase == startPhase {
		s.startWaiting(nowNs)
		return
	}
	s.timers.pop()
	request := next.request
	if next.phase == cutPhase {
		request.tickNs, request.cutNs = unset, unset
		s.Counts.CutOff++
		s.decide(DecideCutOff, request)
		return
	}
	s.tick(request, nowNs)
	if _, isCounted := request.ladder.sharing.StartUnit(); isCounted {
		s.startWaiting(nowNs)
	}
}

// Reload uses another policy for waiting and new requests. After an error the old one is in use.
func (s *Schedule) Reload(policy *Policy, nowNs int64) error {
	waiting := s.waiting()
	for _, request := range waiting {
		if _, err := ladderFor(policy, request.class); err != nil {
			return err
		}
	}
	if err := s.use(policy, nowNs); err != nil {
		return err
	}
	s.Counts.Reloads++
	for _, request := range waiting {
		held, err := s.queueOf(request.class)
		if err != nil {
			return err
		}
		request.queue, request.ladder = held, held.ladder
		held.push(request)
	}
	s.startWaiting(nowNs)
	return nil
}

// waiting are the waiting requests of all ladders, in order of arrival.
func (s *Schedule) waiting() []*Request {
	var all []*Request
	for _, held := range s.queues {
		all = append(all, held.waiting...)
	}
	slices.SortFunc(all, func(one, other *Request) int { return int(one.number - other.number) })
	return all
}

func (s *Schedule) use(policy *Policy, nowNs int64) error {
	ladders, err := policy.Ladders()
	if err != nil {
		return err
	}
	queues := make([]*queue, 0, len(ladders))
	for _, ladder := range ladders {
		if ladder.loadAxis != InSystem {
			return scheduleError("the load of the policy is not the number in the system")
		}
		queues = append(queues, &queue{ladder: ladder, rules: rulesOf(ladder)})
	}
	if err := s.useCores(ladders); err != nil {
		return err
	}
	s.policy, s.queues, s.window = policy, queues, nil
	for _, ladder := range ladders {
		for _, name := range ladder.rungs {
			s.Counts.Lookups[name] += 0
		}
	}
	if controller := policy.Controller(); controller != nil {
		s.window = newLatencyWindow(controller, nowNs)
	}
	return nil
}

func (l *Ladder) has(rule Rule) bool {
	for _, held := range l.rules {
		if held == rule {
			return true
		}
	}
	return false
}

func (s *Schedule) queueOf(class string) (*queue, error) {
	ladder, err := ladderFor(s.policy, class)
	if err != nil {
		return nil, err
	}
	isIts := func(q *queue) bool { return q.ladder == ladder }
	return s.queues[slices.IndexFunc(s.queues, isIts)], nil
}

// ladderFor is the ladder of requests of a class; empty: of those without one.
func ladderFor(policy *Policy, class string) (*Ladder, error) {
	if class == "" {
		return policy.Ladder()
	}
	return policy.LadderFor(class)
}

func (q *queue) push(request *Request) {
	if len(q.waiting) == 0 {
		q.waiting = q.all[:0]
	}
	q.waiting = append(q.waiting, request)
	if cap(q.waiting) > cap(q.all) {
		q.all = q.waiting
	}
}

func (q *queue) take() *Request {
	first := q.waiting[0]
	q.waiting[0] = nil
	q.waiting = q.waiting[1:]
	return first
}

func (q *queue) remove(request *Request) {
	for at, held := range q.waiting {
		if held == request {
			q.waiting = append(q.waiting[:at], q.waiting[at+1:]...)
			return
		}
	}
}

func (s *Schedule) nextTimer() (timer, bool) {
	for len(s.timers) > 0 && !s.timers[0].isSet() {
		s.timers.pop()
	}
	start := timer{dueNs: s.startNs, phase: startPhase}
	switch {
	case len(s.timers) == 0:
		return start, s.startNs != unset
	case s.startNs == unset:
		return s.timers[0], true
	}
	first := s.timers[0]
	isFirst := start.dueNs < first.dueNs || start.dueNs == first.dueNs && start.phase < first.phase
	if isFirst {
		return start, true
	}
	return first, true
}

// firstWaiting is the queue of the waiting request that arrived first, or nil.
func (s *Schedule) firstWaiting() *queue {
	var first *queue
	for _, held := range s.queues {
		if len(held.waiting) > 0 && (first == nil || held.waiting[0].number < first.waiting[0].number) {
			first = held
		}
	}
	return first
}

// release starts the waiting request that arrived first, unless starts depend on the use.
func (s *Schedule) release(nowNs int64) {
	first := s.firstWaiting()
	if first == nil {
		return
	}
	if _, isCounted := first.ladder.sharing.StartUnit(); !isCounted {
		s.start(first, nowNs)
	}
}

// startWaiting starts all waiting requests that may start, and sets the timer of the next end of a
// delay.
func (s *Schedule) startWaiting(nowNs int64) {
	if s.cores.places != nil {
		s.startOnCores(nowNs)
		return
	}
	for {
		var first *queue
		s.startNs = unset
		for _, held := range s.queues {
			if len(held.waiting) == 0 {
				continue
			}
			at, mayStart := s.startOf(held, nowNs)
			isEarlier := first == nil || at < s.startNs ||
				at == s.startNs && held.waiting[0].number < first.waiting[0].number
			if mayStart && isEarlier {
				first, s.startNs = held, at
			}
		}
		if first == nil || s.startNs > nowNs {
			return
		}
		s.start(first, nowNs)
	}
}

// startOf is when the first request of a queue starts if nothing else happens; false: not before.
func (s *Schedule) startOf(held *queue, nowNs int64) (int64, bool) {
	ladder := held.ladder
	if _, isCounted := ladder.sharing.StartUnit(); isCounted {
		return nowNs, ladder.sharing.Starts(s.usedPpm)
	}
	arrivedNs := held.waiting[0].arrivedNs
	waitedUs := (nowNs - arrivedNs) / 1_000
	answer, _ := ladder.peek(s.inSystem, waitedUs, 0)
	switch {
	case answer.Start == StartNow || answer.Start == StartOnExit && s.running == 0:
		return nowNs, true
	case answer.Start == StartOnExit:
		return 0, false
	}
	return arrivedNs + (waitedUs+int64(answer.WaitUs))*1_000, true
}

func (s *Schedule) start(held *queue, nowNs int64) { s.startOn(held, nowhere, nowNs) }

// startOn starts the first request of a queue on a core of a rung, or on the rung of its look-up.
func (s *Schedule) startOn(held *queue, coreRung int, nowNs int64) {
	request := held.take()
	s.running++
	s.Counts.Started++
	if nowNs > request.arrivedNs {
		s.Counts.Waited++
	}
	request.startedNs, request.rungNs, request.loadAtStart = nowNs, nowNs, s.inSystem
	request.waitedUs = (nowNs - request.arrivedNs) / 1_000
	if coreRung == nowhere {
		request.rung = s.lookUp(request, nowNs)
	} else {
		request.rung = coreRung
		s.takeCore(request, coreRung, nowNs)
		s.cores.running = append(s.cores.running, request)
	}
	s.countUse(request, 1)
	s.setTick(request, nowNs)
	s.setCut(request)
	s.decide(DecideStart, request)
}

func (s *Schedule) setCut(request *Request) {
	overload := request.ladder.overload
	if overload.raw.cutOffUs == nil {
		return
	}
	begunNs := request.startedNs
	if overload.countsWaiting {
		begunNs = request.arrivedNs
	}
	request.cutNs = max(begunNs+*overload.raw.cutOffUs*1_000, request.startedNs)
	s.timers.push(timer{request.cutNs, cutPhase, request.number, request})
}

// setTick sets the first tick after now; a request that gave up needs none.
func (s *Schedule) setTick(request *Request, nowNs int64) {
	request.tickNs = unset
	if request.hasGivenUp {
		return
	}
	quantumNs := request.ladder.quantumUs * 1_000
	ticks := (nowNs-request.startedNs)/quantumNs + 1
	request.tickNs = request.startedNs + ticks*quantumNs
	s.timers.push(timer{request.tickNs, tickPhase, request.number, request})
}

func (s *Schedule) tick(request *Request, nowNs int64) {
	s.Counts.Ticks++
	s.Counts.LateNs += nowNs - request.tickNs
	request.lateNs += nowNs - request.tickNs
	if s.cores.places != nil {
		s.tickOnCore(request, nowNs)
		return
	}
	rung := s.lookUp(request, nowNs)
	mayDescend := request.hasGivenUp || !request.queue.rules.neverDescends
	switch {
	case rung > request.rung:
		s.Counts.Climbs++
		s.move(request, rung, DecideClimb, nowNs)
	case rung < request.rung && mayDescend:
		s.Counts.Descents++
		s.move(request, rung, DecideDescend, nowNs)
	}
	s.setTick(request, nowNs)
}

// lookUp is the rung of a running request, which may give up now.
func (s *Schedule) lookUp(request *Request, nowNs int64) int {
	ladder := request.ladder
	executedUs := (nowNs - request.startedNs) / 1_000
	if ladder.sharing.GivesUp(request.waitedUs, executedUs) {
		if !request.hasGivenUp {
			s.Counts.GaveUp++
		}
		request.hasGivenUp = true
		return 0
	}
	load := request.loadAtStart
	if request.queue.rules.rereads {
		load = s.inSystem
	}
	answer, _ := ladder.Lookup(load, request.waitedUs, executedUs)
	s.Counts.Lookups[ladder.rungs[answer.Rung]]++
	return answer.Rung
}

func (s *Schedule) move(request *Request, rung int, kind DecisionKind, nowNs int64) {
	s.countUse(request, -1)
	request.grantedNs, request.rungNs = request.grantedUntil(nowNs), nowNs
	request.rung = rung
	request.isBoosted = kind == DecideClimb && s.mayBoost(request)
	if request.isBoosted {
		s.Counts.Boosts++
	}
	s.countUse(request, 1)
	s.decide(kind, request)
}

func (s *Schedule) mayBoost(request *Request) bool {
	ladder := request.ladder
	if ladder.boost == nil || request.rung < len(ladder.rungs)-1 {
		return false
	}
	cost := ladder.settings[request.rung].CostPpm[ladder.boost.Unit]
	return s.boostedPpm+cost < ladder.boost.BelowPpm
}

// countUse adds what a running request uses, or subtracts it.
func (s *Schedule) countUse(request *Request, sign int64) {
	ladder := request.ladder
	costPpm := ladder.settings[request.rung].CostPpm
	if request.isBoosted && ladder.boost != nil {
		s.boostedPpm += sign * costPpm[ladder.boost.Unit]
	}
	if unit, isCounted := ladder.sharing.StartUnit(); isCounted {
		s.usedPpm += sign * costPpm[unit]
	}
}

func (s *Schedule) decide(kind DecisionKind, request *Request) {
	s.Decisions = append(s.Decisions,
		Decision{kind, request, request.rung, request.isBoosted, request.core})
}
