package tailc_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/tailc/tailc/runtimes/go"
)

// A policy with one slow core and one fast core: requests climb at 37 ms.
const onCores = "../../../examples/finance/expected"

func permitted(t *testing.T) []int {
	t.Helper()
	numbers := tailc.PermittedProcessors()
	if len(numbers) == 0 {
		t.Skip("threads are bound only on Linux")
	}
	return numbers
}

func TestPartsRunOnTheProcessorOfTheirCoreAndMoveAtAClimb(t *testing.T) {
	numbers := permitted(t)
	slow, fast := numbers[0], numbers[len(numbers)-1]
	time := &clock{}
	s, err := tailc.NewScheduler(open(t, onCores), tailc.SchedulerOptions{
		Now: time.Now, Processors: map[string][]int{"slow": {slow}, "fast": {fast}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	running := admit(t, s)
	err = running.Do(func(context.Context) error {
		expect(t, slices.Equal(tailc.PermittedProcessors(), []int{slow}), "it starts on the slow one")
		time.set(37e6)
		s.Wake()
		expect(t, slices.Equal(tailc.PermittedProcessors(), []int{fast}), "it climbs to the fast one")
		return nil
	})
	running.Exit()
	expect(t, err == nil, "no part fails")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	expect(t, slices.Equal(tailc.PermittedProcessors(), numbers), "other threads are not bound")
}

func TestAPolicyWithoutItsProcessorsIsRefused(t *testing.T) {
	one := permitted(t)[0]
	for name, processors := range map[string]map[string][]int{
		onCores:       nil,
		"cores-lanes": {"core": {one, one}},
		"cores":       {"core": {one}},
		"settings":    {"core": {one}},
		"lucene":      {"core": {1 << 20}},
	} {
		_, err := tailc.NewScheduler(open(t, name), tailc.SchedulerOptions{Processors: processors})
		expect(t, errors.Is(err, tailc.ErrSchedule), name+" is refused")
	}
}
