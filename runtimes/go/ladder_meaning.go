package tailc

import "tailc/internal/flat"

// ppm is how many millionths are 1.
const ppm = 1_000_000

// A controller scales no age beyond it.
const largestScaledAgeUs = 1 << 43

func (raw *rawLadder) has(rule Rule) bool {
	for _, held := range raw.rules {
		if held == rule {
			return true
		}
	}
	return false
}

// check refuses a ladder that contradicts itself.
func (raw *rawLadder) check() {
	require(raw.loadAxis == InSystem || raw.loadAxis == Rate, "the load axis is not known here")
	isGuard := raw.outside == flat.OutsideCLAMP || raw.outside == flat.OutsideFIRST_RUNG
	require(isGuard, "the guard is not known here")
	for i := 1; i < len(raw.rules); i++ {
		require(raw.rules[i-1] < raw.rules[i], "rules must be sorted and stand once")
	}
	require(!raw.has(AgeFromArrival) || !raw.has(BusyPeriodAge),
		"ages count from arrival, or over the busy period of a core")
	require(raw.quantumUs > 0, "the quantum must be positive")
	require(len(raw.rungs) > 0 && len(raw.rows) > 0, "a ladder needs a rung and a row")
	require(0 <= raw.minLoad && raw.minLoad <= raw.maxLoad, "a guard's range must ascend")
	for i := range raw.rows {
		require(i == 0 || raw.rows[i-1].firstLoad < raw.rows[i].firstLoad, "rows must ascend")
		raw.rows[i].check(len(raw.rungs))
	}
	for _, rung := range raw.rungs {
		require(len(rung.costPpm) == len(raw.units),
			"every rung must state a cost in every cost unit")
		require(rung.moveUs == nil || *rung.moveUs > 0, "only a move that takes time states it")
	}
	raw.checkBoost()
	raw.checkOverload()
	raw.checkSharing()
	raw.checkCores()
}

// checkScaled refuses ages that a controller cannot scale.
func (raw *rawLadder) checkScaled() {
	for _, row := range raw.rows {
		require(row.climbs[len(row.climbs)-1].ageUs <= largestScaledAgeUs,
			"a controller scales no age beyond 2^43 us")
	}
}

func (row *rawRow) check(rungs int) {
	delays := row.admission == flat.AdmissionKindDELAY
	isKnown := row.admission == flat.AdmissionKindAT_ONCE ||
		row.admission == flat.AdmissionKindON_EXIT
	require(delays || isKnown, "an admission is not known here")
	require(delays == (row.delayUs > 0), "only a delay has a length")
	climbs := row.climbs
	require(len(climbs) > 0 && climbs[0].ageUs == 0, "a row's first rung must begin at age 0")
	for i := 1; i < len(climbs); i++ {
		require(climbs[i-1].ageUs < climbs[i].ageUs, "a row's ages must ascend")
		require(climbs[i-1].rung < climbs[i].rung, "a row's rungs must ascend")
	}
	require(int64(climbs[len(climbs)-1].rung) < int64(rungs), "a row climbs to no rung")
}

func (raw *rawLadder) checkBoost() {
	require(raw.has(BoostLastRung) == (raw.boost != nil),
		"the boost rule and its limit go together")
	if raw.boost == nil {
		return
	}
	require(0 <= raw.boost.Unit && raw.boost.Unit < int64(len(raw.units)),
		"the boost names no cost unit")
	require(raw.boost.BelowPpm > 0, "a boost needs a limit")
}

func (raw *rawLadder) checkCores() {
	takesOver := raw.has(BusyPeriodAge) || raw.has(WaitedStartLast)
	if !raw.has(CorePerRequest) {
		raw.checkNoCores(takesOver)
		return
	}
	require(raw.power != nil, "a ladder of cores needs its power")
	raw.checkPower()
	require(raw.boost == nil, "a request with a core of its own needs no boost")
	require(raw.sharing == nil, "a request with a core of its own shares none")
	first := raw.coreUnit(0)
	for i := range raw.rungs {
		isAlike := raw.coreUnit(i) == first
		require(isAlike || !takesOver, "rules of taking over a core need cores of one kind")
	}
}

func (raw *rawLadder) checkNoCores(takesOver bool) {
	require(!raw.has(MakeRoom), "only requests with a core make room")
	require(!takesOver, "only requests with a core take one over")
	require(raw.power == nil, "power is told of rungs that are cores")
	for _, rung := range raw.rungs {
		require(rung.moveUs == nil, "only a move to another core takes time")
	}
}

func (raw *rawLadder) checkPower() {
	power := raw.power
	require(len(power.idlePpm) == len(raw.units), "power is told by cost unit")
	require(0 <= power.unit && power.unit < int64(len(raw.units)), "power names no cost unit")
	require(raw.units[power.unit].capacityPpm == nil, "power is no capacity that requests share")
	for n, unit := range raw.units {
		limit, idle := unit.capacityPpm, power.idlePpm[n]
		require(limit == nil || *limit > 0 && *limit%ppm == 0,
			"cores are counted in whole numbers")
		require(idle == 0 || idle > 0 && limit != nil, "only free cores draw power")
	}
}

// coreUnit is the cost unit of a rung's core: the only one with a capacity in which it costs, one
// whole core.
func (raw *rawLadder) coreUnit(rung int) int {
	found := -1
	for n, cost := range raw.rungs[rung].costPpm {
		if raw.units[n].capacityPpm == nil || cost == 0 {
			continue
		}
		require(found < 0 && cost == ppm, "a rung is not one core of one kind")
		found = n
	}
	require(found >= 0, "a rung is not one core of one kind")
	return found
}
