package tailc

import "github.com/tailc/tailc/runtimes/go/internal/flat"

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
	require(raw.loadAxis == InSystem || raw.loadAxis == Rate, "unknown value of `load_axis`")
	isGuard := raw.outside == flat.OutsideCLAMP || raw.outside == flat.OutsideFIRST_RUNG
	require(isGuard, "unknown value of `guard.outside`")
	for i := 1; i < len(raw.rules); i++ {
		require(raw.rules[i-1] < raw.rules[i],
			"`rules` must be in ascending order without duplicates")
	}
	require(!raw.has(AgeFromArrival) || !raw.has(BusyPeriodAge),
		"rules `age-from-arrival` and `busy-period-age` exclude each other")
	require(raw.quantumUs > 0, "`quantum_us` must be at least 1")
	require(len(raw.rungs) > 0 && len(raw.rows) > 0, "`rungs` and `rows` must not be empty")
	require(0 <= raw.minLoad && raw.minLoad <= raw.maxLoad,
		"`guard` must have 0 <= `min_load` <= `max_load`")
	for i := range raw.rows {
		require(i == 0 || raw.rows[i-1].firstLoad < raw.rows[i].firstLoad,
			"`first_load` must increase from row to row")
		raw.rows[i].check(len(raw.rungs))
	}
	for i := range raw.rungs {
		require(len(raw.rungs[i].CostPpm) == len(raw.units),
			"`cost_ppm` of a rung must have an entry for each cost unit")
		raw.rungs[i].check()
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
			"`age_us` of a climb must be at most 2^43 with a controller")
	}
}

func (row *rawRow) check(rungs int) {
	delays := row.admission == flat.AdmissionKindDELAY
	isKnown := row.admission == flat.AdmissionKindAT_ONCE ||
		row.admission == flat.AdmissionKindON_EXIT
	require(delays || isKnown, "unknown value of `admission`")
	require(delays == (row.delayUs > 0),
		"`delay_us` must be at least 1 for admission `delay`, and otherwise 0")
	climbs := row.climbs
	require(len(climbs) > 0 && climbs[0].ageUs == 0,
		"`age_us` of the first climb of a row must be 0")
	for i := 1; i < len(climbs); i++ {
		require(climbs[i-1].ageUs < climbs[i].ageUs, "`age_us` must increase from climb to climb")
		require(climbs[i-1].rung < climbs[i].rung, "`rung` must increase from climb to climb")
	}
	require(int64(climbs[len(climbs)-1].rung) < int64(rungs),
		"`rung` of a climb must be the number of a rung, counted from 0")
}

func (raw *rawLadder) checkBoost() {
	require(raw.has(BoostLastRung) == (raw.boost != nil),
		"`boost` must be present with rule `boost-last-rung`, and otherwise absent")
	if raw.boost == nil {
		return
	}
	require(0 <= raw.boost.Unit && raw.boost.Unit < int64(len(raw.units)),
		"`boost.unit` must be the number of a cost unit, counted from 0")
	require(raw.boost.BelowPpm > 0, "`boost.below_ppm` must be at least 1")
}

func (raw *rawLadder) checkCores() {
	takesOver := raw.has(BusyPeriodAge) || raw.has(WaitedStartLast)
	if !raw.has(CorePerRequest) {
		raw.checkNoCores(takesOver)
		return
	}
	require(raw.power != nil, "`power` must be present with rule `core-per-request`")
	raw.checkPower()
	require(raw.boost == nil, "rules `boost-last-rung` and `core-per-request` exclude each other")
	require(raw.sharing == nil, "`sharing` must be absent with rule `core-per-request`")
	first := raw.coreUnit(0)
	for i := range raw.rungs {
		isAlike := raw.coreUnit(i) == first
		require(isAlike || !takesOver,
			"rules `busy-period-age` and `waited-start-last` need rungs on one type of core")
	}
}

func (raw *rawLadder) checkNoCores(takesOver bool) {
	require(!raw.has(MakeRoom), "rule `make-room` needs rule `core-per-request`")
	require(!takesOver,
		"rules `busy-period-age` and `waited-start-last` need rule `core-per-request`")
	require(raw.power == nil, "`power` must be absent without rule `core-per-request`")
	for _, rung := range raw.rungs {
		require(rung.MoveUs == nil, "`move_us` must be absent without rule `core-per-request`")
	}
}

func (raw *rawLadder) checkPower() {
	power := raw.power
	require(len(power.idlePpm) == len(raw.units),
		"`idle_ppm` must have an entry for each cost unit")
	require(0 <= power.unit && power.unit < int64(len(raw.units)),
		"`power.unit` must be the number of a cost unit, counted from 0")
	require(raw.units[power.unit].capacityPpm == nil,
		"`power.unit` must be a cost unit without `capacity_ppm`")
	for n, unit := range raw.units {
		limit, idle := unit.capacityPpm, power.idlePpm[n]
		require(limit == nil || *limit > 0 && *limit%ppm == 0,
			"`capacity_ppm` must be a multiple of 1,000,000 (whole cores)")
		require(idle == 0 || idle > 0 && limit != nil,
			"`idle_ppm` must be 0 or more, and 0 for a cost unit without `capacity_ppm`")
	}
}

// coreUnit is the cost unit of a rung's core: the only one with a capacity in which it costs, one
// whole core.
func (raw *rawLadder) coreUnit(rung int) int {
	found := -1
	for n, cost := range raw.rungs[rung].CostPpm {
		if raw.units[n].capacityPpm == nil || cost == 0 {
			continue
		}
		require(found < 0 && cost == ppm,
			"`cost_ppm` of a rung must be 1,000,000 for one type of core and 0 for the others")
		found = n
	}
	require(found >= 0,
		"`cost_ppm` of a rung must be 1,000,000 for one type of core and 0 for the others")
	return found
}
