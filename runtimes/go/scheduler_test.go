package tailc_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tailc/tailc/runtimes/go"
)

// clock is a time that a test sets.
type clock struct{ now atomic.Int64 }

func (c *clock) Now() time.Duration { return time.Duration(c.now.Load()) }

func (c *clock) set(at time.Duration) { c.now.Store(int64(at)) }

func scheduler(t testing.TB, name string) (*tailc.Scheduler, *clock) {
	t.Helper()
	time := &clock{}
	s, err := tailc.NewScheduler(open(t, name), tailc.SchedulerOptions{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, time
}

func admit(t testing.TB, s *tailc.Scheduler) *tailc.Running {
	t.Helper()
	running, err := s.Admit(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	return running
}

func has(t testing.TB, s *tailc.Scheduler, line string) {
	t.Helper()
	expect(t, strings.Contains(s.Metrics(), line+"\n"), "metrics have "+line)
}

// until waits for other goroutines: it returns when the metrics have the line.
func until(s *tailc.Scheduler, line string) {
	for !strings.Contains(s.Metrics(), line+"\n") {
		runtime.Gosched()
	}
}

func TestAPolicyThatNeedsAnotherServerHasNoScheduler(t *testing.T) {
	for _, name := range []string{"lanes", "rate"} {
		_, err := tailc.NewScheduler(open(t, name), tailc.SchedulerOptions{})
		expect(t, errors.Is(err, tailc.ErrSchedule), name+" is refused")
	}
	_, err := tailc.NewScheduler(open(t, "tails"), tailc.SchedulerOptions{})
	expect(t, errors.Is(err, tailc.OtherForm), "a tail table has no ladder")
}

func TestPartsRunAtOnceAsManyAsTheRungHasThreads(t *testing.T) {
	s, _ := scheduler(t, "settings")
	running := admit(t, s)
	degree, _ := running.Degree()
	expect(t, degree == 4, "one request alone is on four threads")
	// All four meet, so they run at once.
	var meeting sync.WaitGroup
	meeting.Add(4)
	part := func(context.Context) error {
		meeting.Done()
		meeting.Wait()
		return nil
	}
	expect(t, running.Do(part, part, part, part) == nil, "no part fails")
	running.Exit()
	has(t, s, "tailc_exits_total 1")
	has(t, s, "tailc_in_system 0")
}

func TestTheFirstErrorOfAPartEndsTheOthers(t *testing.T) {
	s, _ := scheduler(t, "smallest")
	running := admit(t, s)
	defer running.Exit()
	wrong := errors.New("no such document")
	ran := 0
	fails := func(context.Context) error { ran++; return wrong }
	expect(t, errors.Is(running.Do(fails, fails, fails), wrong), "Do returns it")
	expect(t, ran == 1, "no part begins after it")
}

func TestARequestClimbsAtItsTicks(t *testing.T) {
	s, time := scheduler(t, "settings")
	var last *tailc.Running
	for i := 0; i < 10; i++ {
		last = admit(t, s)
	}
	degree, changed := last.Degree()
	expect(t, degree == 1, "the tenth starts on one thread")
	time.set(25e6)
	s.Wake()
	<-changed
	degree, _ = last.Degree()
	expect(t, degree == 2, "from 25 ms on it has two")
	expect(t, !last.IsBoosted(), "only the last rung is boosted")
}

func TestTimesHaveThreadsOfAllRungsAndLateTicks(t *testing.T) {
	schedule, err := tailc.NewSchedule(open(t, "settings"), 0)
	if err != nil {
		t.Fatal(err)
	}
	var last *tailc.Request
	for i := 0; i < 10; i++ {
		last, _ = schedule.Arrive(0, "")
	}
	for due, isSet := schedule.DueNs(); isSet && due <= 27e6; due, isSet = schedule.DueNs() {
		schedule.Wake(27e6)
	}
	wanted := tailc.RequestTimes{RunUs: 31_000, ThreadUs: 33_000, GrantedUs: 35_000, LateUs: 23_000}
	expect(t, last.Times(31e6, 33e6) == wanted, "one thread until 27 ms, and then two")
}

func TestLooksAtWaitingRequestsAreNotCountedAsOutside(t *testing.T) {
	policy := open(t, "settings")
	schedule, err := tailc.NewSchedule(policy, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 30; i++ {
		_, _ = schedule.Arrive(0, "")
	}
	expect(t, policy.Counters().Outside() == 0, "arrivals of a queue are no look-ups")
	for due, isSet := schedule.DueNs(); isSet && due <= 20e6; due, isSet = schedule.DueNs() {
		schedule.Wake(due)
	}
	expect(t, policy.Counters().Outside() == 13*4, "13 requests run, each has four ticks")
}

func TestAWaitingRequestStartsAtItsDelayOrLeavesWithItsContext(t *testing.T) {
	s, time := scheduler(t, "settings")
	for i := 0; i < 13; i++ {
		admit(t, s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan error)
	go func() {
		_, err := s.Admit(ctx, "")
		left <- err
	}()
	until(s, "tailc_in_system 14")
	cancel()
	expect(t, errors.Is(<-left, context.Canceled), "a cancelled request leaves")
	has(t, s, "tailc_in_system 13")

	started := make(chan *tailc.Running)
	go func() { started <- admit(t, s) }()
	until(s, "tailc_in_system 14")
	time.set(10e6)
	s.Wake()
	(<-started).Exit()
	has(t, s, "tailc_waits_total 1")
}

func TestARequestIsCutOffByItsContext(t *testing.T) {
	s, time := scheduler(t, "overload")
	running := admit(t, s)
	ended := make(chan error)
	go func() {
		ended <- running.Do(func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	time.set(3600e9)
	s.Wake()
	s.Wake()
	expect(t, errors.Is(<-ended, context.Canceled), "its context ends")
	degree, _ := running.Degree()
	expect(t, degree == 0, "it has no more threads")
	running.Exit()
	has(t, s, "tailc_cut_offs_total 1")
}

func TestASecondExitOfARequestDoesNothing(t *testing.T) {
	s, _ := scheduler(t, "settings")
	first := admit(t, s)
	first.Exit()
	first.Exit()
	second := admit(t, s)
	first.Exit()
	has(t, s, "tailc_exits_total 1")
	has(t, s, "tailc_in_system 1")
	second.Exit()
}

func TestAHandlerRefusesAndAdmits(t *testing.T) {
	s, _ := scheduler(t, "overload")
	served := s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		degree, _ := tailc.RunningOf(r.Context()).Degree()
		expect(t, degree > 0, "a handler finds its request")
		w.WriteHeader(http.StatusNoContent)
	}), nil)
	codeOf := func() int {
		answer := httptest.NewRecorder()
		served.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
		return answer.Code
	}
	expect(t, codeOf() == http.StatusNoContent, "one request is served")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ladder := ladderOf(t, "overload")
	arrivals := int64(0)
	for ; !ladder.Overload().Refuses(arrivals); arrivals++ {
		go func() { _, _ = s.Admit(ctx, "") }()
	}
	until(s, fmt.Sprint("tailc_in_system ", arrivals))
	expect(t, codeOf() == http.StatusServiceUnavailable, "a request too many is refused")
	expect(t, tailc.RunningOf(ctx) == nil, "elsewhere is no request")

	answer := httptest.NewRecorder()
	s.MetricsHandler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	expect(t, strings.HasSuffix(answer.Body.String(), "# EOF\n"), "metrics end with their mark")
}

func TestAWatchedPolicyIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.tailc")
	write(t, path, bytesOf(t, "lucene"))
	watched := watch(t, path)
	time, reloaded := &clock{}, make(chan *tailc.Policy)
	s, err := tailc.FollowScheduler(watched, tailc.SchedulerOptions{
		Now: time.Now, OnReload: func(policy *tailc.Policy) { reloaded <- policy },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	swap(t, path, bytesOf(t, "settings"))
	if _, err := watched.Check(); err != nil {
		t.Fatal(err)
	}
	s.Wake()
	expect(t, <-reloaded == watched.Current(), "the callback gets the new policy")
	has(t, s, "tailc_reloads_total 1")

	swap(t, path, bytesOf(t, "cores"))
	if _, err := watched.Check(); err != nil {
		t.Fatal(err)
	}
	s.Wake()
	expect(t, strings.Contains(s.Metrics(), `last_refusal="no-schedule"`), "cores are not used")
	admit(t, s).Exit()
}

func TestAWaitingRequestThatAnotherPolicyStartsMayLeave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.tailc")
	write(t, path, bytesOf(t, "settings"))
	watched := watch(t, path)
	s, err := tailc.FollowScheduler(watched, tailc.SchedulerOptions{Now: (&clock{}).Now})
	if err != nil {
		t.Fatal(err)
	}
	// Without its alarm, only the request that leaves follows the policy.
	s.Close()
	for i := 0; i < 13; i++ {
		admit(t, s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan error)
	go func() {
		_, err := s.Admit(ctx, "")
		left <- err
	}()
	until(s, "tailc_in_system 14")
	swap(t, path, bytesOf(t, "smallest"))
	if _, err := watched.Check(); err != nil {
		t.Fatal(err)
	}
	cancel()
	expect(t, errors.Is(<-left, context.Canceled), "a cancelled request leaves")
	has(t, s, "tailc_in_system 13")
	has(t, s, "tailc_reloads_total 1")
}

func TestAClassWithoutALadderIsNamed(t *testing.T) {
	policy := open(t, "classes")
	policy.DropLadderForAll()
	schedule, err := tailc.NewSchedule(policy, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = schedule.Arrive(0, "long")
	expect(t, errors.Is(err, tailc.UnknownClass), "the class is unknown")
	expect(t, strings.Contains(err.Error(), "class `long` of requests"), "it is named")
	_, err = schedule.Arrive(0, "")
	expect(t, strings.Contains(err.Error(), "no ladder for all requests"), "none has a class")
	request, err := schedule.Arrive(0, "short")
	expect(t, err == nil && request != nil, "the other class has its ladder")
}

func TestTheControllerIsSteppedAtTheEndOfAnEpoch(t *testing.T) {
	policy := open(t, "controller")
	schedule, err := tailc.NewSchedule(policy, 0)
	if err != nil {
		t.Fatal(err)
	}
	before := policy.Controller().OutputPpm()
	for request, nowNs := 1, int64(0); request <= 500; request++ {
		expect(t, policy.Controller().OutputPpm() == before, "the epoch has not ended")
		running, _ := schedule.Arrive(nowNs, "")
		nowNs += 400e6
		schedule.Exit(running, nowNs)
	}
	expect(t, policy.Controller().OutputPpm() < before, "latencies above the target lower the ages")
}

func TestStartClimbAndExitAllocateNothing(t *testing.T) {
	schedule, err := tailc.NewSchedule(open(t, "settings"), 0)
	if err != nil {
		t.Fatal(err)
	}
	nowNs := int64(0)
	one := func() {
		request, _ := schedule.Arrive(nowNs, "")
		schedule.Wake(nowNs + 5e6)
		schedule.Exit(request, nowNs+5e6)
		schedule.Decisions = schedule.Decisions[:0]
		nowNs += 5e6
	}
	one()
	expect(t, testing.AllocsPerRun(100, one) == 0, "requests are used again")
}

func BenchmarkStartTickAndExit(b *testing.B) {
	schedule, err := tailc.NewSchedule(open(b, "settings"), 0)
	if err != nil {
		b.Fatal(err)
	}
	nowNs := int64(0)
	for i := 0; i < b.N; i++ {
		request, _ := schedule.Arrive(nowNs, "")
		schedule.Wake(nowNs + 5e6)
		schedule.Exit(request, nowNs+5e6)
		schedule.Decisions = schedule.Decisions[:0]
		nowNs += 5e6
	}
}
