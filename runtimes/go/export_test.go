package tailc

// Wake handles the timers that are due, as the alarm does.
func (s *Scheduler) Wake() { s.wake() }
