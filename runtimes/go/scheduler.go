package tailc

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// ErrRefused is the error of a request that the policy refuses, because too many others are in the
// system.
var ErrRefused = errors.New("the policy refuses the request: too many others are in the system")

// WhyNoBoost says why a Scheduler boosts no request: Go chooses the threads of goroutines.
const WhyNoBoost = "goroutines have no priority"

// SchedulerOptions are the optional settings of a Scheduler.
type SchedulerOptions struct {
	// OnReload is called with each policy that replaces another, in a goroutine of its own.
	OnReload func(*Policy)
	// Log gets, at the exit of each request whose parts had no error, the processor time of these parts;
	// on systems other than Linux, the time for which they ran. In a log with classes, a request
	// without one has the empty class; a log with times also has those of the request. OnLogError is
	// called with its errors.
	Log        *DemandLog
	OnLogError func(error)
	// Processors are the numbers of those of each core type, to which the parts of Do are bound on Linux,
	// for a policy whose rungs are cores.
	Processors map[string][]int
	// Now is the clock, time since any moment. By default it is that of this process.
	Now func() time.Duration
}

// A Scheduler admits requests and gives each the degree of its rung, for any number of goroutines.
type Scheduler struct {
	options SchedulerOptions
	binding *coreBinding
	watched *Watched // nil: the policy stays

	mu         sync.Mutex
	policy     *Policy
	schedule   *Schedule
	running    map[*Request]*Running
	reloadedNs int64
	alarm      *time.Timer
	isClosed   bool
}

// NewScheduler applies a policy. The error is ErrSchedule for a policy that needs another server.
func NewScheduler(policy *Policy, options SchedulerOptions) (*Scheduler, error) {
	if options.Now == nil {
		began := time.Now()
		options.Now = func() time.Duration { return time.Since(began) }
	}
	s := &Scheduler{options: options, policy: policy, running: make(map[*Request]*Running)}
	s.reloadedNs = s.nowNs()
	var err error
	if s.schedule, err = NewSchedule(policy, s.reloadedNs); err != nil {
		return nil, err
	}
	if s.binding, err = newCoreBinding(options.Processors); err != nil {
		return nil, err
	}
	if err = s.binding.check(policy); err != nil {
		return nil, err
	}
	s.alarm = time.AfterFunc(time.Hour, s.wake)
	return s, nil
}

// FollowScheduler applies a watched policy, and follows it.
func FollowScheduler(watched *Watched, options SchedulerOptions) (*Scheduler, error) {
	s, err := NewScheduler(watched.Current(), options)
	if err == nil {
		s.watched = watched
	}
	return s, err
}

// Close ends the timers, when all requests have ended: one that waits may never start after it.
func (s *Scheduler) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isClosed = true
	s.alarm.Stop()
}

// Running is an admitted request. Its degree changes as its policy decides.
type Running struct {
	scheduler *Scheduler
	request   *Request // until its exit
	workPpm   int64
	cancel    context.CancelFunc
	ctx       context.Context
	started   chan struct{}
	changed   chan struct{} // closed and replaced at each change; guarded by the scheduler
	degree    int
	isBoosted bool
	threads   partThreads
	usedNs    atomic.Int64 // by parts, for the log
	workedNs  atomic.Int64 // for which parts ran, for the log
	hasFailed atomic.Bool
	hasExited atomic.Bool
}

// Admit waits until a request may start. Its error is ErrRefused, UnknownClass, or that of the
// context if that ends first. The caller calls Exit. An empty class is that of requests without a
// ladder of their own.
func (s *Scheduler) Admit(ctx context.Context, class string) (*Running, error) {
	r := &Running{scheduler: s, started: make(chan struct{}), changed: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancel(ctx)
	if err := s.arrive(r, class); err != nil {
		r.cancel()
		return nil, err
	}
	select {
	case <-r.started:
		return r, nil
	case <-ctx.Done():
		r.Exit()
		return nil, ctx.Err()
	}
}

func (s *Scheduler) arrive(r *Running, class string) error {
	nowNs := s.lock()
	defer s.unlock()
	request, err := s.schedule.Arrive(nowNs, class)
	if err != nil {
		return err
	}
	if request == nil {
		return ErrRefused
	}
	r.request, r.workPpm = request, request.workPpm
	s.running[request] = r
	return nil
}

// Exit is called when the request has ended; further calls do nothing.
func (r *Running) Exit() {
	if r.hasExited.Swap(true) {
		return
	}
	r.cancel()
	class, times := r.leave()
	r.log(class, times)
}

// leave ends the request, and returns its class and times.
func (r *Running) leave() (string, RequestTimes) {
	s := r.scheduler
	nowNs := s.lock()
	defer s.unlock()
	// The policy that lock has begun to use may start it.
	s.carryOut()
	delete(s.running, r.request)
	class, times := r.request.class, r.request.Times(nowNs, r.workedNs.Load())
	s.schedule.Exit(r.request, nowNs)
	return class, times
}

// Context ends when the request is cut off, when it exits, and with the context that it came with.
func (r *Running) Context() context.Context { return r.ctx }

// WorkPpm is how many millionths of its work are to be done.
func (r *Running) WorkPpm() int64 { return r.workPpm }

// Degree is how many goroutines may work for it now, and a channel that is closed when this changes.
func (r *Running) Degree() (int, <-chan struct{}) {
	r.scheduler.mu.Lock()
	defer r.scheduler.mu.Unlock()
	return r.degree, r.changed
}

// IsBoosted is whether the policy boosts it.
func (r *Running) IsBoosted() bool {
	r.scheduler.mu.Lock()
	defer r.scheduler.mu.Unlock()
	return r.isBoosted
}

// Do runs parts of the request, as many at once as its degree. It returns the first error of a part,
// or that of the context; no part begins after it. The parts get the context of the request.
func (r *Running) Do(parts ...func(context.Context) error) error {
	ended, active := make(chan error, len(parts)), 0
	var failure error
	for len(parts) > 0 || active > 0 {
		degree, changed := r.Degree()
		for failure == nil && r.ctx.Err() == nil && active < degree && len(parts) > 0 {
			part := parts[0]
			parts = parts[1:]
			active++
			go func() { ended <- r.onCore(func() error { return r.measured(part) }) }()
		}
		if failure == nil {
			failure = r.ctx.Err()
		}
		if failure != nil {
			parts = nil
			if active == 0 {
				break
			}
		}
		select {
		case err := <-ended:
			active--
			if failure == nil {
				failure = err
			}
		case <-changed:
		case <-r.doneUnless(failure):
		}
	}
	if failure != nil {
		r.hasFailed.Store(true)
	}
	return failure
}

// measured runs a part, and counts its processor time if there is a log.
func (r *Running) measured(part func(context.Context) error) error {
	if r.scheduler.options.Log == nil {
		return part(r.ctx)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begun, before := r.scheduler.nowNs(), threadTime()
	defer func() {
		r.usedNs.Add(int64(threadTime() - before))
		r.workedNs.Add(r.scheduler.nowNs() - begun)
	}()
	return part(r.ctx)
}

func (r *Running) log(class string, times RequestTimes) {
	log, usedUs := r.scheduler.options.Log, r.usedNs.Load()/1_000
	if log == nil || usedUs == 0 || r.hasFailed.Load() {
		return
	}
	var err error
	switch {
	case log.hasTimes:
		err = log.RecordTimes(usedUs, class, times)
	case log.hasClasses:
		err = log.RecordClass(usedUs, class)
	default:
		err = log.Record(usedUs)
	}
	if err != nil && r.scheduler.options.OnLogError != nil {
		r.scheduler.options.OnLogError(err)
	}
}

// doneUnless is the end of the context, or never after a failure.
func (r *Running) doneUnless(failure error) <-chan struct{} {
	if failure != nil {
		return nil
	}
	return r.ctx.Done()
}

type runningKey struct{}

// RunningOf is the request of a handler below Handler, or nil.
func RunningOf(ctx context.Context) *Running {
	running, _ := ctx.Value(runningKey{}).(*Running)
	return running
}

// Handler admits the requests of a server: the next handler runs when a request starts, and finds it
// by RunningOf. A refused request gets status 503. classOf is the class of a request; nil: none has
// one.
func (s *Scheduler) Handler(next http.Handler, classOf func(*http.Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		class := ""
		if classOf != nil {
			class = classOf(request)
		}
		running, err := s.Admit(request.Context(), class)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		defer running.Exit()
		ctx := context.WithValue(running.Context(), runningKey{}, running)
		next.ServeHTTP(w, request.WithContext(ctx))
	})
}

// MetricsHandler serves Metrics.
func (s *Scheduler) MetricsHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text := s.Metrics()
		w.Header().Set("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = w.Write([]byte(text))
	})
}

// Metrics are counters and gauges as OpenMetrics text.
func (s *Scheduler) Metrics() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return openMetrics(s.schedule, s.nowNs()-s.reloadedNs)
}

func (s *Scheduler) wake() {
	nowNs := s.lock()
	defer s.unlock()
	for dueNs, isSet := s.schedule.DueNs(); isSet && dueNs <= nowNs; dueNs, isSet = s.schedule.DueNs() {
		s.schedule.Wake(nowNs)
	}
}

func (s *Scheduler) nowNs() int64 { return s.options.Now().Nanoseconds() }

// lock begins a call of the schedule, at the time that is returned, with the policy in force.
func (s *Scheduler) lock() int64 {
	s.mu.Lock()
	nowNs := s.nowNs()
	if s.watched == nil || s.watched.Current() == s.policy {
		return nowNs
	}
	s.policy = s.watched.Current()
	err := s.binding.check(s.policy)
	if err == nil {
		err = s.schedule.Reload(s.policy, nowNs)
	}
	if err != nil {
		s.policy.Counters().refuse(err)
		return nowNs
	}
	s.reloadedNs = nowNs
	if s.options.OnReload != nil {
		go s.options.OnReload(s.policy)
	}
	return nowNs
}

// unlock carries out the decisions of a call, and sets the alarm for the next timer.
func (s *Scheduler) unlock() {
	defer s.mu.Unlock()
	s.carryOut()
	if dueNs, isSet := s.schedule.DueNs(); isSet && !s.isClosed {
		s.alarm.Reset(time.Duration(max(dueNs-s.nowNs(), 0)))
	}
}

func (s *Scheduler) carryOut() {
	for _, decision := range s.schedule.Decisions {
		s.running[decision.Request].carryOut(decision)
	}
	s.schedule.Decisions = s.schedule.Decisions[:0]
}

func (r *Running) carryOut(decision Decision) {
	r.degree, r.isBoosted = r.request.Threads(), decision.IsBoosted
	if processor, isOnCore := r.scheduler.binding.processorOf(r.request); isOnCore {
		r.threads.move(processor)
	}
	switch decision.Kind {
	case DecideStart:
		close(r.started)
	case DecideCutOff:
		r.degree = 0
		r.cancel()
	}
	close(r.changed)
	r.changed = make(chan struct{})
}
