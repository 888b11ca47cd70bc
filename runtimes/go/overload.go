package tailc

import "github.com/tailc/tailc/runtimes/go/internal/flat"

// An Overload says what requests lose where a server has more of them than it can serve in time. It
// is called once at a request's arrival, before the request is counted, and at each of its ticks.
// Without a rule for it, no request is refused, degraded or cut off.
type Overload struct {
	raw           rawOverload
	countsWaiting bool
}

// rawOverload has nil for what there is no rule for.
type rawOverload struct {
	shedFrom, cutOffUs, degradeFrom, workPpm *int64
}

// Refuses returns whether a request is refused that arrives with this number of others in the
// system.
func (o Overload) Refuses(inSystem int64) bool { return isReached(o.raw.shedFrom, inSystem) }

// WorkPpm is how many millionths of its work are to be done of one that arrives then.
func (o Overload) WorkPpm(inSystem int64) int64 {
	if isReached(o.raw.degradeFrom, inSystem) {
		return *o.raw.workPpm
	}
	return ppm
}

// CutsOff returns whether a running request must end now, with its partial result.
func (o Overload) CutsOff(waitedUs, executedUs int64) bool {
	ageUs := uint64(executedUs)
	if o.countsWaiting {
		ageUs += uint64(waitedUs)
	}
	return o.raw.cutOffUs != nil && ageUs >= uint64(*o.raw.cutOffUs)
}

func isReached(limit *int64, value int64) bool { return limit != nil && value >= *limit }

func readOverload(form *flat.Ladder) *rawOverload {
	told := form.Overload(nil)
	if told == nil {
		return nil
	}
	return &rawOverload{told.ShedFrom(), told.CutOffUs(), told.DegradeFrom(), told.WorkPpm()}
}

func (raw *rawLadder) checkOverload() {
	var told rawOverload
	if raw.overload != nil {
		told = *raw.overload
	}
	sheds, cuts, degrades := told.shedFrom != nil, told.cutOffUs != nil, told.degradeFrom != nil
	require(raw.has(Shed) == sheds && raw.has(CutOff) == cuts && raw.has(Degrade) == degrades,
		"each rule for overload must have its field in `overload`, and each field its rule")
	require((sheds || cuts || degrades) == (raw.overload != nil),
		"`overload` must be absent without rule `shed`, `cut-off` or `degrade`")
	require(!sheds || *told.shedFrom > 0, "`shed_from` must be at least 1")
	require(!cuts || *told.cutOffUs > 0, "`cut_off_us` must be at least 1")
	require(degrades == (told.workPpm != nil),
		"`degrade_from` and `work_ppm` must both be present or both be absent")
	if degrades {
		require(*told.degradeFrom >= 0, "`degrade_from` must not be negative")
		require(0 < *told.workPpm && *told.workPpm < ppm,
			"`work_ppm` must be 1 to 999,999")
		require(!sheds || *told.degradeFrom < *told.shedFrom,
			"`degrade_from` must be below `shed_from`")
	}
}
