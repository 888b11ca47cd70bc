package tailc

import "slices"

// No age in a policy is as late.
const oldestUs = int64(1) << 53

// coreState is that of a schedule whose rungs are cores.
type coreState struct {
	places  *corePlaces // nil for other rungs
	running []*Request  // the oldest first
	rungs   []int       // which those have and want
	wants   []int
}

// useCores takes the cores of a policy; while requests run, they must be those of the policy before.
func (s *Schedule) useCores(ladders []*Ladder) error {
	cores := ladders[0].cores
	for _, ladder := range ladders {
		if (ladder.cores == nil) != (cores == nil) ||
			cores != nil && !newCorePlaces(cores).isSame(ladder.cores) {
			return scheduleError("the ladders of the policy have different cores")
		}
	}
	places := s.cores.places
	switch {
	case s.running == 0:
		s.cores.places = nil
		if cores != nil {
			s.cores.places = newCorePlaces(cores)
		}
	case places == nil && cores != nil, places != nil && !places.isSame(cores):
		return scheduleError("the policy has other cores than the running requests")
	}
	return nil
}

// startOnCores starts waiting requests in order of arrival, as cores are free, and sets the timer of
// the age at which the first one wants a higher rung.
func (s *Schedule) startOnCores(nowNs int64) {
	s.startNs = unset
	for held := s.firstWaiting(); held != nil; held = s.firstWaiting() {
		first := held.waiting[0]
		wanted := s.wantedRung(first, nowNs)
		s.readCores(nowNs)
		rung := s.cores.places.rungToStart(wanted, s.cores.wants, s.inSystem, held.rules.makesRoom)
		if rung == nowhere {
			s.startNs = s.wantsMoreNs(first, wanted, nowNs)
			return
		}
		first.spentNs = s.cores.places.start(rung, nowNs > first.arrivedNs)
		held.ladder.countOutside(s.inSystem)
		s.Counts.Lookups[held.ladder.rungs[wanted]]++
		s.startOn(held, rung, nowNs)
	}
}

// readCores reads the rungs that running requests have and want.
func (s *Schedule) readCores(nowNs int64) {
	s.cores.rungs, s.cores.wants = s.cores.rungs[:0], s.cores.wants[:0]
	for _, request := range s.cores.running {
		s.cores.rungs = append(s.cores.rungs, request.rung)
		s.cores.wants = append(s.cores.wants, s.wantedRung(request, nowNs))
	}
}

// wantedRung is the rung of the look-up of a request whose rungs are cores.
func (s *Schedule) wantedRung(request *Request, nowNs int64) int {
	rules, hasStarted := request.queue.rules, request.rung != notStarted
	begunNs := nowNs
	if hasStarted {
		begunNs = request.startedNs
	}
	hasWaited := begunNs > request.arrivedNs
	waitedUs, spentNs := (begunNs-request.arrivedNs)/1_000, int64(0)
	switch {
	case rules.agesByCore && hasStarted:
		spentNs = request.spentNs
	case rules.agesByCore && hasWaited:
		spentNs = s.cores.places.nextSpentNs()
	}
	executedUs := (nowNs - begunNs + spentNs) / 1_000
	if rules.waitedStartLast && hasWaited {
		executedUs = oldestUs
	} else if rules.agesFromArrival {
		executedUs = (nowNs-request.arrivedNs)/1_000 - waitedUs
	}
	answer, _ := request.ladder.peek(s.loadOf(request), waitedUs, executedUs)
	return answer.Rung
}

// loadOf is the load at which a request is looked up.
func (s *Schedule) loadOf(request *Request) int64 {
	if request.rung == notStarted || request.queue.rules.rereads {
		return s.inSystem
	}
	return request.loadAtStart
}

// wantsMoreNs is when a waiting request wants a rung above wanted by its age; unset: never.
func (s *Schedule) wantsMoreNs(request *Request, wanted int, nowNs int64) int64 {
	wantsMore := func(waitedUs int64) bool {
		answer, _ := request.ladder.peek(s.inSystem, waitedUs, 0)
		return answer.Rung > wanted
	}
	low, high := (nowNs-request.arrivedNs)/1_000, oldestUs
	if !request.queue.rules.agesFromArrival || !wantsMore(high) {
		return unset
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; wantsMore(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return request.arrivedNs + high*1_000
}

func (s *Schedule) takeCore(request *Request, rung int, nowNs int64) {
	request.core, request.sinceNs = s.cores.places.take(rung), nowNs
}

func (s *Schedule) leaveCore(request *Request, nowNs int64) {
	s.cores.places.giveBack(request.rung, request.core, nowNs-request.sinceNs)
}

func (s *Schedule) exitCore(request *Request, nowNs int64) {
	at := slices.Index(s.cores.running, request)
	s.cores.running = slices.Delete(s.cores.running, at, at+1)
	s.leaveCore(request, nowNs)
}

// tickOnCore moves a request to another core if it must; then others may start.
func (s *Schedule) tickOnCore(request *Request, nowNs int64) {
	s.readCores(nowNs)
	place := slices.Index(s.cores.running, request)
	request.ladder.countOutside(s.loadOf(request))
	s.Counts.Lookups[request.ladder.rungs[s.cores.wants[place]]]++
	firstWants := nowhere
	if first := s.firstWaiting(); first != nil {
		firstWants = s.wantedRung(first.waiting[0], nowNs)
	}
	rung := s.cores.places.rungToMove(place, s.cores.rungs, s.cores.wants, firstWants, s.inSystem,
		request.queue.rules.makesRoom)
	s.setTick(request, nowNs)
	if rung == nowhere {
		return
	}
	s.leaveCore(request, nowNs)
	s.takeCore(request, rung, nowNs)
	s.Counts.Climbs++
	s.move(request, rung, DecideClimb, nowNs)
	s.startWaiting(nowNs)
}
