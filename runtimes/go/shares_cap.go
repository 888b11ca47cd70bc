package tailc

// What is done to a machine.
const (
	capFree = iota
	capTrial
	capCapped
	capProbe
)

// shareCap is when a machine whose throughput does not follow its share gets a cap.
type shareCap struct{ steps, probeSteps, headroomPpm int64 }

// capState is what is measured of a machine to decide on its next cap.
type capState struct {
	mode                     int
	count                    int64 // steps that count in this mode, below 0 while none does
	levels                   float64
	sharesPpm                int64
	levelBefore, shareBefore float64 // means over the steps of the mode before
}

// isTested says whether the machine is in a trial, or settles after a test of its share.
func (c *capState) isTested() bool { return c.mode == capTrial || c.count < 0 }

// step takes another step of a policy with caps, and says whether a trial begins.
func (c *capState) step(s *Shares, one *Served, hadPpm int64) bool {
	rule := s.raw.cap
	isMet := one.level >= 1 && one.hasStepped && one.levelBefore >= 1
	isLow := one.ShortSteps > 0 && one.level < 1
	switch {
	case isMet:
		c.begin(one, capFree, s.raw.hostPpm, 0)
	case c.count < 0:
		c.count++
	case c.mode == capFree && !(isLow && hadPpm > s.withHeadroomPpm(one, one.level)):
		c.begin(one, capFree, s.raw.hostPpm, 0)
	default:
		c.count++
		c.levels += one.level
		c.sharesPpm += hadPpm
		lasts := rule.steps
		if c.mode == capCapped {
			lasts = rule.probeSteps
		}
		return c.count >= lasts && c.decide(s, one)
	}
	return false
}

// decide begins the mode after one that is over, and says whether that is a trial.
func (c *capState) decide(s *Shares, one *Served) bool {
	factorPpm := ppm + s.raw.cap.headroomPpm
	settling := (s.raw.windowUs - 1) / s.raw.stepUs
	targetPpm := s.askedPpm(one.firstNeed())
	level, share := c.levels/float64(c.count), quotient(c.sharesPpm, c.count*ppm)
	lowLevel, lowShare, highLevel, highShare := level, share, c.levelBefore, c.shareBefore
	if c.mode == capProbe {
		lowLevel, lowShare, highLevel, highShare = highLevel, highShare, lowLevel, lowShare
	}
	c.levelBefore, c.shareBefore = level, share
	switch {
	case c.mode == capFree:
		trialPpm := max(c.sharesPpm*ppm/(c.count*factorPpm), s.raw.leastPpm)
		c.begin(one, capTrial, trialPpm, -settling)
		return true
	case c.mode == capCapped:
		probePpm := max(one.CapPpm*factorPpm/ppm, targetPpm*ppm/factorPpm)
		c.begin(one, capProbe, min(probePpm, s.raw.hostPpm), -settling)
	case follows(lowLevel, lowShare, highLevel, highShare):
		c.begin(one, capFree, s.raw.hostPpm, -s.raw.cap.probeSteps)
	default:
		c.begin(one, capCapped, min(s.withHeadroomPpm(one, level), targetPpm), -settling)
	}
	return false
}

func (c *capState) begin(one *Served, mode int, capPpm, count int64) {
	c.mode, c.count, c.levels, c.sharesPpm = mode, count, 0, 0
	one.CapPpm = capPpm
}

// follows says whether throughput changes by more than half of what is proportional to the share.
func follows(lowLevel, lowShare, highLevel, highShare float64) bool {
	return float64(lowLevel*highShare) < float64(highLevel*float64(0.5*(lowShare+highShare)))
}

// withHeadroomPpm is the share that the first model needs for the level, and the headroom.
func (s *Shares) withHeadroomPpm(one *Served, level float64) int64 {
	factor := quotient(ppm+s.raw.cap.headroomPpm, ppm)
	return s.askedPpm(factor * float64(level*one.firstNeed()))
}

// firstNeed is the share that the first model needs for the target.
func (s *Served) firstNeed() float64 { return (1 - s.firstA) / s.firstB }
