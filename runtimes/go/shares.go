package tailc

import "github.com/tailc/tailc/runtimes/go/internal/flat"

// Shares are a broker of one host: how much of its processor time virtual machines get, by what they
// get done. Ticks are for one goroutine at a time. Doubles are rounded after each operation, so that
// all runtimes agree to the bit. What it returns is its own: not to be changed.
type Shares struct {
	raw          *rawShares
	pole         float64
	forget       forgetting
	lag, full    int64 // in ticks
	sample       int64 // ticks with work waiting before throughput says anything of the share
	ticks        int64
	served       []Served
	isServed     []bool // by machine
	granted      []int64
	beforeServed []int64 // what those served had before the last step

	// Work space of a tick, by machine served.
	had, asked, parts []int64
	hasLeast          []bool
}

// A Machine is on the host; without a target it gets what is left.
type Machine struct {
	Name                   string
	TargetMilli            *int64 // thousandths of a unit of work per second
	FirstAPpm, FirstBMilli int64
}

// Tick is the new GrantedPpm; to be called once in EstimateUs.
//
// throughput: of each machine of Served the work per second, its mean over the last WindowUs, or
// since the start while that is shorter. One that is negative or no number is an ErrArgument, and
// then everything stays as it was.
func (s *Shares) Tick(throughput []float64) ([]int64, error) {
	return s.tick(throughput, nil)
}

// TickWaiting is Tick where the host knows how many requests of each machine of Served wait now. Of a
// machine of which it does not, it reports any number above 0.
func (s *Shares) TickWaiting(throughput []float64, waiting []int64) ([]int64, error) {
	isRight := len(waiting) == len(s.served)
	for _, count := range waiting {
		isRight = isRight && count >= 0
	}
	if !isRight {
		return s.granted, argumentError(
			"waiting requests must be numbers, 0 or more, for each machine with a target")
	}
	return s.tick(throughput, waiting)
}

// tick is Tick, with waiting nil if it is unknown.
func (s *Shares) tick(throughput []float64, waiting []int64) ([]int64, error) {
	const largestLevel = 1000.0 // more counts as that
	if !areMeasured(throughput) || len(throughput) != len(s.served) {
		return s.granted, argumentError(
			"throughputs must be numbers, 0 or more, one for each machine with a target")
	}
	s.ticks++
	slot := (s.ticks - 1) % s.lag
	since := slot + 1
	s.had = s.ofServed(s.had, s.granted)
	for i := range s.served {
		one := &s.served[i]
		level := min(throughput[i]/one.target, largestLevel)
		one.busyTicks++
		if waiting != nil && waiting[i] == 0 {
			one.busyTicks = 0
		}
		isSample := one.cap.mode == capFree && one.busyTicks >= s.sample
		if isSample && s.ticks >= s.full+s.lag {
			shares := since*s.had[i] + (s.lag-since)*s.beforeServed[i]
			one.estimate(&s.forget, one.levels[slot], quotient(shares, s.lag*ppm), level)
		}
		if slot == int64(len(one.levels)) {
			one.levels = append(one.levels, level)
		}
		one.levels[slot], one.level = level, level
	}
	if s.ticks%s.lag == 0 && s.ticks >= s.full {
		s.step()
	}
	return s.granted, nil
}

func areMeasured(throughput []float64) bool {
	for _, workPerS := range throughput {
		if !(workPerS >= 0) {
			return false
		}
	}
	return true
}

// step computes new shares.
func (s *Shares) step() {
	for i := range s.served {
		s.asked[i] = s.askedOf(&s.served[i], s.had[i])
	}
	s.shareOut()
	s.had, s.beforeServed = s.beforeServed, s.had
	given := s.ofServed(s.had, s.granted)
	for i := range s.served {
		one := &s.served[i]
		isBelow := one.levelBefore < 1
		if isBelow && (given[i] < s.asked[i] || given[i] == s.raw.hostPpm) {
			one.ShortSteps++
		} else if !isBelow || !one.cap.isTested() {
			one.ShortSteps = 0
		}
	}
}

// askedOf is the share of a machine by its law or cap, and sets its levelBefore to the level of
// this step.
func (s *Shares) askedOf(one *Served, hadPpm int64) int64 {
	share := quotient(hadPpm, ppm)
	ranOut := one.busyTicks < s.full
	if ranOut {
		one.level = max(one.level, 1) // at its target at least: it has no more work to do
	}
	if s.raw.cap != nil && one.cap.step(s, one, hadPpm) {
		one.begin(s.forget.firstCovariance)
	}
	request := 0.0
	if ranOut {
		one.missed = 0
		request = min(share, (1-one.BelievedA)/one.BelievedB)
	} else {
		request = s.request(one, share)
	}
	one.hasStepped, one.levelBefore = true, one.level
	if one.cap.mode != capFree {
		return one.CapPpm
	}
	return s.askedPpm(request)
}

// request is the share by the control law, before limits are applied.
func (s *Shares) request(one *Served, share float64) float64 {
	a, b := one.BelievedA, one.BelievedB
	missed := 0.0
	if one.hasStepped {
		missed = one.level - (float64(a*one.levelBefore) + float64(b*share))
	}
	lasting := common(missed, one.missed)
	one.missed = missed
	if s.raw.law == flat.ShareLawOBSERVER {
		return (((1 - s.pole) + float64((s.pole-a)*one.level)) - lasting) / b
	}
	gain := (1 - s.pole) / b
	errorBefore := 0.0
	if one.hasStepped {
		errorBefore = 1 - one.levelBefore
	}
	return (share + float64(gain*(1-one.level))) - float64(float64(a*gain)*errorBefore)
}

func (s *Shares) askedPpm(request float64) int64 {
	asked := float64(request * ppm)
	switch {
	case asked >= float64(s.raw.hostPpm):
		return s.raw.hostPpm
	case asked > float64(s.raw.leastPpm):
		return int64(asked)
	}
	return s.raw.leastPpm
}

// shareOut grants parts of the requested shares, and the rest to machines without a target.
func (s *Shares) shareOut() {
	s.cut()
	rest := s.raw.hostPpm
	for _, asked := range s.asked {
		rest -= asked
	}
	if others := int64(len(s.isServed) - len(s.served)); others > 0 {
		rest = max(rest, 0) / others
	}
	next := 0
	for i, isServed := range s.isServed {
		s.granted[i] = rest
		if isServed {
			s.granted[i] = s.parts[next]
			next++
		}
	}
}

// cut returns the requested shares; if their sum exceeds the host, in proportion to them, with the
// minimum for each.
func (s *Shares) cut() {
	among, rest := int64(0), s.raw.hostPpm
	for i, asked := range s.asked {
		among += asked
		s.parts[i], s.hasLeast[i] = asked, false
	}
	for isCut := among > s.raw.hostPpm; isCut; {
		for i, asked := range s.asked {
			s.parts[i] = s.raw.leastPpm
			if !s.hasLeast[i] {
				s.parts[i] = asked * rest / among
			}
		}
		isCut = false
		for i, part := range s.parts {
			if part < s.raw.leastPpm {
				isCut, s.hasLeast[i] = true, true
				among -= s.asked[i]
				rest -= s.raw.leastPpm
			}
		}
	}
}

// ofServed are the amounts of those served, in `into`.
func (s *Shares) ofServed(into, amounts []int64) []int64 {
	into = into[:0]
	for i, isServed := range s.isServed {
		if isServed {
			into = append(into, amounts[i])
		}
	}
	return into
}

// CannotMeet says of each machine of Served whether a lasting shortage means that its target is too high.
// Under a policy with caps, a machine that was capped after a trial; and where one that is short needs
// more than the whole host, only such machines.
func (s *Shares) CannotMeet() []bool {
	found := make([]bool, len(s.served))
	hasCause := false
	host := quotient(s.raw.hostPpm, ppm)
	for i := range s.served {
		one := &s.served[i]
		found[i] = one.ShortSteps >= s.raw.shortageSteps
		hasCause = hasCause || found[i] && one.needsMore(host)
	}
	if s.raw.cap == nil {
		return found
	}
	for i := range s.served {
		one := &s.served[i]
		found[i] = found[i] && (!hasCause || one.needsMore(host)) || one.cap.mode >= capCapped
	}
	return found
}

// GrantedPpm are the shares by machine, in millionths of the host.
func (s *Shares) GrantedPpm() []int64 { return s.granted }
func (s *Shares) Machines() []Machine { return s.raw.machines }

// Served are those with a target, in the order of Machines.
func (s *Shares) Served() []Served  { return s.served }
func (s *Shares) WindowUs() int64   { return s.raw.windowUs }
func (s *Shares) EstimateUs() int64 { return s.raw.estimateUs }
func (s *Shares) StepUs() int64     { return s.raw.stepUs }
func (s *Shares) EnforceUs() int64  { return s.raw.enforceUs }
func (s *Shares) HostPpm() int64    { return s.raw.hostPpm }
func (s *Shares) LeastPpm() int64   { return s.raw.leastPpm }

func newShares(raw *rawShares) *Shares {
	raw.check()
	s := &Shares{
		raw: raw, pole: quotient(raw.polePpm, ppm), lag: raw.stepUs / raw.estimateUs,
		forget: forgetting{
			quotient(raw.forgettingPpm, ppm), float64(raw.firstCovariance),
			quotient(raw.leastBPpm, ppm),
		},
	}
	s.full = raw.windowUs / raw.estimateUs
	if raw.windowUs%raw.estimateUs > 0 {
		s.full++
	}
	s.sample = max(s.full, s.lag)
	for i := range raw.machines {
		machine := &raw.machines[i]
		s.isServed = append(s.isServed, machine.TargetMilli != nil)
		if machine.TargetMilli == nil {
			continue
		}
		one := newServed(machine, s.forget.firstCovariance)
		one.busyTicks, one.CapPpm = s.sample, raw.hostPpm
		s.served = append(s.served, one)
		s.asked = append(s.asked, s.askedPpm((1-one.A)/one.B))
	}
	s.granted = make([]int64, len(raw.machines))
	s.parts, s.hasLeast = make([]int64, len(s.served)), make([]bool, len(s.served))
	s.had, s.beforeServed = make([]int64, 0, len(s.served)), make([]int64, 0, len(s.served))
	s.shareOut()
	s.beforeServed = s.ofServed(s.beforeServed, s.granted)
	return s
}
