package tailc

import "slices"

// PermittedProcessors are those on which this thread may run.
func PermittedProcessors() []int { return permittedProcessors() }

// Wake handles the timers that are due, as the alarm does.
func (s *Scheduler) Wake() { s.wake() }

// DropLadderForAll leaves the policy with the ladders of classes.
func (p *Policy) DropLadderForAll() {
	p.ladders = slices.DeleteFunc(p.ladders, func(ladder *Ladder) bool {
		return ladder.requestClass == nil
	})
}
