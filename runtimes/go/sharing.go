package tailc

import "github.com/tailc/tailc/runtimes/go/internal/flat"

// A Sharing determines how requests share threads, cores or power, if the rows by requests in the
// system do not. It is called whenever the used amount may have decreased, and at each tick of a
// request. Without a rule for it, all requests may start and none releases its threads or cores.
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

// Starts returns whether the first waiting request may start while running requests use this amount
// of that unit.
func (s Sharing) Starts(inUsePpm int64) bool {
	return s.raw.startBelowPpm == nil || inUsePpm < *s.raw.startBelowPpm
}

// GivesUp returns whether a request must go to the first rung now, and is no longer boosted.
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
		"each rule for sharing must have its fields in `sharing`, and each field its rule")
	require((starts || givesUp) == (raw.sharing != nil),
		"`sharing` must be absent without rule `start-below` or `give-up`")
	require(!givesUp || *told.giveUpUs > 0, "`give_up_us` must be at least 1")
	require(starts == (told.startUnit != nil),
		"`start_unit` and `start_below_ppm` must both be present or both be absent")
	if starts {
		require(*told.startBelowPpm > 0, "`start_below_ppm` must be at least 1")
		require(0 <= *told.startUnit && *told.startUnit < int64(len(raw.units)),
			"`start_unit` must be the number of a cost unit, counted from 0")
		for _, row := range raw.rows {
			require(row.admission == flat.AdmissionKindAT_ONCE,
				"`admission` of every row must be `at-once` with rule `start-below`")
		}
	}
}
