package tailc

import "tailc/internal/flat"

// A Sharing says how requests share what they draw on, where rows by requests in the system do not.
// It is asked whenever what is in use may have become less, and at each tick of a request. Without a
// rule for it nothing in use holds anybody back, and nobody gives up.
type Sharing struct {
	raw           rawSharing
	countsWaiting bool
}

// rawSharing has nil for what there is no rule for.
type rawSharing struct {
	startUnit, startBelowPpm, giveUpUs *int64
}

// StartUnit is the cost unit that is counted at starts, and whether they go by what is in use.
func (s Sharing) StartUnit() (unit int64, isCounted bool) {
	if s.raw.startUnit == nil {
		return 0, false
	}
	return *s.raw.startUnit, true
}

// Starts tells whether the request that came first of those that wait may start while all that run
// take so much of that unit.
func (s Sharing) Starts(inUsePpm int64) bool {
	return s.raw.startBelowPpm == nil || inUsePpm < *s.raw.startBelowPpm
}

// GivesUp tells whether a request is on the first rung from now on, and boosted no longer.
func (s Sharing) GivesUp(waitedUs, executedUs int64) bool {
	ageUs := uint64(executedUs)
	if s.countsWaiting {
		ageUs += uint64(waitedUs)
	}
	return s.raw.giveUpUs != nil && ageUs >= uint64(*s.raw.giveUpUs)
}

func readSharing(form *flat.Ladder) *rawSharing {
	told := form.Sharing(nil)
	if told == nil {
		return nil
	}
	return &rawSharing{told.StartUnit(), told.StartBelowPpm(), told.GiveUpUs()}
}

func (raw *rawLadder) checkSharing() {
	var told rawSharing
	if raw.sharing != nil {
		told = *raw.sharing
	}
	starts, givesUp := told.startBelowPpm != nil, told.giveUpUs != nil
	require(raw.has(StartBelow) == starts && raw.has(GiveUp) == givesUp,
		"a rule for sharing and what it needs go together")
	require((starts || givesUp) == (raw.sharing != nil), "what is said of sharing needs a rule")
	require(!givesUp || *told.giveUpUs > 0, "`give_up_us` must be at least 1")
	require(starts == (told.startUnit != nil),
		"what is counted at starts and its limit go together")
	if starts {
		require(*told.startBelowPpm > 0, "nobody starts below nothing in use")
		require(0 <= *told.startUnit && *told.startUnit < int64(len(raw.units)),
			"starts count no cost unit")
		for _, row := range raw.rows {
			require(row.admission == flat.AdmissionKindAT_ONCE,
				"where starts go by what is in use, no row makes a request wait")
		}
	}
}
