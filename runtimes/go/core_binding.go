package tailc

import (
	"fmt"
	"runtime"
	"slices"
)

// coreBinding has the processors of a policy's cores, by core type; empty: no thread is bound.
type coreBinding struct {
	processors map[string][]int
	all        []int
}

// newCoreBinding checks that threads may run on the processors.
func newCoreBinding(processors map[string][]int) (*coreBinding, error) {
	binding := &coreBinding{processors: processors}
	permitted := permittedProcessors()
	for _, numbers := range processors {
		for _, number := range numbers {
			if !slices.Contains(permitted, number) {
				return nil, scheduleError(fmt.Sprintf("no thread can be bound to processor %d", number))
			}
		}
		binding.all = append(binding.all, numbers...)
	}
	return binding, nil
}

// check refuses a policy that needs other processors.
func (b *coreBinding) check(policy *Policy) error {
	ladders, err := policy.Ladders()
	for _, ladder := range ladders {
		if ladder.cores == nil {
			if len(b.all) > 0 {
				return scheduleError("the rungs of the policy are not cores")
			}
			continue
		}
		for rung, unit := range ladder.cores.Unit {
			if err := b.checkType(ladder.settings[rung], ladder.cores.Count[unit]); err != nil {
				return err
			}
		}
	}
	return err
}

func (b *coreBinding) checkType(setting RungSetting, count int64) error {
	switch {
	case len(b.all) == 0:
		return scheduleError("the rule `core-per-request` needs a server that places requests")
	case setting.CoreType == nil:
		return scheduleError(fmt.Sprintf(
			"rung `%s` has no core type, so its processors are unknown", setting.Name))
	case int64(len(b.processors[*setting.CoreType])) < count:
		return scheduleError(fmt.Sprintf(
			"the policy needs %d processors of core type `%s`", count, *setting.CoreType))
	}
	return nil
}

// processorOf is the processor of a request on its core; false: it has none.
func (b *coreBinding) processorOf(request *Request) (int, bool) {
	if len(b.all) == 0 || request.core == nowhere {
		return 0, false
	}
	return b.processors[*request.ladder.settings[request.rung].CoreType][request.core], true
}

// partThreads are the threads of a request's parts that run now. The scheduler guards them.
type partThreads struct {
	numbers   []int
	processor int
	isBound   bool
}

// move binds the threads to another processor. They stay where they are if the system no longer
// permits it.
func (p *partThreads) move(processor int) {
	p.processor, p.isBound = processor, true
	for _, thread := range p.numbers {
		bindThread(thread, []int{processor})
	}
}

// onCore runs a part in a thread that is bound to the core of the request and moves with it. After it
// the thread may run on any of the processors.
func (r *Running) onCore(run func() error) error {
	s := r.scheduler
	if len(s.binding.all) == 0 {
		return run()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread, before := threadNumber(), permittedProcessors()
	s.mu.Lock()
	r.threads.numbers = append(r.threads.numbers, thread)
	if r.threads.isBound {
		bindThread(thread, []int{r.threads.processor})
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		at := slices.Index(r.threads.numbers, thread)
		r.threads.numbers = slices.Delete(r.threads.numbers, at, at+1)
		bindThread(thread, before)
	}()
	return run()
}
