package tailc

import "slices"

// Wake handles the timers that are due, as the alarm does.
func (s *Scheduler) Wake() { s.wake() }

// DropLadderForAll leaves the policy with the ladders of classes.
func (p *Policy) DropLadderForAll() {
	p.ladders = slices.DeleteFunc(p.ladders, func(ladder *Ladder) bool {
		return ladder.requestClass == nil
	})
}
