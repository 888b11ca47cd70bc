package tailc

import (
	"sort"

	"tailc/internal/flat"
)

// Start says whether a request that has not started may.
type Start uint8

const (
	StartNow    Start = iota // it may start
	StartWait                // look up again in WaitUs, and at every arrival and exit
	StartOnExit              // it starts when a request exits
)

func (start Start) String() string { return [...]string{"now", "wait", "on-exit"}[start] }

// LoadAxis says what the load of a look-up counts.
type LoadAxis uint8

const (
	InSystem = LoadAxis(flat.LoadAxisIN_SYSTEM) // requests, waiting ones included
	Rate     = LoadAxis(flat.LoadAxisRATE)      // arrivals in thousandths of a request per second
)

// A Rule is something that a server must do beyond the look-up.
type Rule string

const (
	RereadRow       Rule = "reread-row"
	NeverDescend    Rule = "never-descend"
	BoostLastRung   Rule = "boost-last-rung"
	AgeFromArrival  Rule = "age-from-arrival"
	CorePerRequest  Rule = "core-per-request"
	MakeRoom        Rule = "make-room"
	WaitedStartLast Rule = "waited-start-last"
	BusyPeriodAge   Rule = "busy-period-age"
)

// An Answer is for one request at one moment. Start and WaitUs concern requests that have not
// started; Rung, an index into Rungs, is where a request of that age runs.
type Answer struct {
	Start  Start
	Rung   int
	WaitUs uint64
}

// Boosted requests cost less than BelowPpm in all, in cost unit number Unit.
type Boost struct{ Unit, BelowPpm int64 }

// Cores tells of rungs that are cores: by rung the cost unit of its core, and how long a climb to it
// takes; by cost unit the number of cores, 0 for power.
type Cores struct {
	Unit   []int
	MoveUs []int64
	Count  []int64
}

// A Ladder is looked up by any number of goroutines at once, without lock or allocation. What it
// returns is its own: not to be changed.
type Ladder struct {
	// Read by every look-up.
	controller    *Controller
	counters      *Counters
	minLoad       uint64
	loadsAboveMin uint64
	countsWaiting uint64   // all bits, or none
	rowOfLoad     []uint16 // up to mostEntries loads have an entry of their own
	rows          []row
	agesUs        []uint64
	rungOfClimb   []uint32
	firstLoads    []uint64 // by row

	loadAxis     LoadAxis
	requestClass *string
	costUnits    []string
	rungs        []string
	rules        []Rule
	quantumUs    int64
	boost        *Boost
	cores        *Cores
}

type row struct {
	delayUs                uint64
	firstClimb, climbCount uint32
	start                  Start
}

const (
	// Beyond so many loads rows are found by bisection.
	mostEntries = 4096
	// Rows have at least as many climbs; those beyond their own never come.
	shortRow = 8
	neverUs  = ^uint64(0)
	// No age in a policy is as late.
	everUs = uint64(1) << 53
)

const errNegative = argumentError("load, waited and executed cannot be negative")

// Lookup answers for a request that has waited and executed so long, under what the controller puts
// out at that moment, if there is one. Negative arguments are an ErrArgument.
func (l *Ladder) Lookup(load, waitedUs, executedUs int64) (Answer, error) {
	outputPpm := uint64(ppm)
	if l.controller != nil {
		outputPpm = uint64(l.controller.OutputPpm())
	}
	return l.answer(load, waitedUs, executedUs, outputPpm)
}

// LookupScaled is Lookup with ages of climbs scaled by outputPpm millionths, 0 to 1,000,000.
func (l *Ladder) LookupScaled(load, waitedUs, executedUs, outputPpm int64) (Answer, error) {
	if outputPpm < 0 || outputPpm > ppm {
		return Answer{}, argumentError("an output lies between 0 and 1,000,000")
	}
	return l.answer(load, waitedUs, executedUs, uint64(outputPpm))
}

func (l *Ladder) answer(load, waitedUs, executedUs int64, outputPpm uint64) (Answer, error) {
	if load|waitedUs|executedUs < 0 {
		return Answer{}, errNegative
	}
	row := l.rowAt(uint64(load))
	waited := uint64(waitedUs)
	ageUs := uint64(executedUs) + waited&l.countsWaiting
	if outputPpm != ppm {
		ageUs = unscaledUs(ageUs, outputPpm)
	}
	if row.delayUs > waited {
		return Answer{StartWait, l.rungAt(row, ageUs), row.delayUs - waited}, nil
	}
	return Answer{row.start, l.rungAt(row, ageUs), 0}, nil
}

func (l *Ladder) rowAt(load uint64) *row {
	if load-l.minLoad > l.loadsAboveMin {
		l.counters.outside.Add(1)
	}
	if load < uint64(len(l.rowOfLoad)) {
		return &l.rows[l.rowOfLoad[load]]
	}
	last := len(l.rows) - 1
	if load >= l.firstLoads[last] {
		return &l.rows[last]
	}
	return &l.rows[sort.Search(last, func(i int) bool { return load < l.firstLoads[i] })-1]
}

// rungAt bisects without branches: in which half the last climb is that has come cannot be
// predicted.
func (l *Ladder) rungAt(row *row, ageUs uint64) int {
	at := 0
	if row.climbCount <= shortRow {
		ages := (*[shortRow]uint64)(l.agesUs[row.firstClimb:])
		if ages[4] <= ageUs {
			at = 4
		}
		if next := at + 2; ages[next&7] <= ageUs {
			at = next
		}
		if next := at + 1; ages[next&7] <= ageUs {
			at = next
		}
	} else {
		ages := l.agesUs[row.firstClimb:][:row.climbCount]
		for left := len(ages); left > 1; left -= left / 2 {
			if next := at + left/2; ages[next] <= ageUs {
				at = next
			}
		}
	}
	return int(l.rungOfClimb[int(row.firstClimb)+at])
}

// unscaledUs is the last age as written that has come at ageUs, all being scaled by z and rounded
// down: floor(a z) <= t exactly if a z < t + 1; at z = 0 every climb has come.
func unscaledUs(ageUs, outputPpm uint64) uint64 {
	if outputPpm == 0 || ageUs >= everUs {
		return max(everUs, ageUs)
	}
	whole, rest := (ageUs+1)/outputPpm, (ageUs+1)%outputPpm
	switch {
	case whole > everUs/ppm:
		return everUs
	case rest > 0:
		// No product leaves 64 bits: floor(((t + 1) 10^6 - 1) / z), in two parts.
		return whole*ppm + (rest*ppm-1)/outputPpm
	default:
		return whole*ppm - 1
	}
}

func (l *Ladder) LoadAxis() LoadAxis { return l.loadAxis }

// RequestClass is the class of requests that the ladder is for; false: all without one of their own.
func (l *Ladder) RequestClass() (string, bool) {
	if l.requestClass == nil {
		return "", false
	}
	return *l.requestClass, true
}

func (l *Ladder) CostUnits() []string { return l.costUnits }

// Rungs are the names of the rungs.
func (l *Ladder) Rungs() []string { return l.rungs }

// Rules are what the server must do beyond the look-up.
func (l *Ladder) Rules() []Rule { return l.rules }

// QuantumUs is the time between two look-ups of a running request.
func (l *Ladder) QuantumUs() int64 { return l.quantumUs }

// Boost is nil where no request is boosted.
func (l *Ladder) Boost() *Boost { return l.boost }

// Cores is nil where rungs are not cores.
func (l *Ladder) Cores() *Cores { return l.cores }

func newLadder(raw *rawLadder, controller *Controller, counters *Counters) *Ladder {
	raw.check()
	if controller != nil {
		raw.checkScaled()
	}
	l := &Ladder{
		controller: controller, counters: counters,
		loadAxis: raw.loadAxis, requestClass: raw.requestClass, rules: raw.rules,
		quantumUs: raw.quantumUs, boost: raw.boost,
	}
	for _, unit := range raw.units {
		l.costUnits = append(l.costUnits, unit.name)
	}
	for _, rung := range raw.rungs {
		l.rungs = append(l.rungs, rung.name)
	}
	if raw.has(AgeFromArrival) {
		l.countsWaiting = ^uint64(0)
	}
	if raw.has(CorePerRequest) {
		l.cores = coresOf(raw)
	}
	l.readRows(raw)
	l.readEntries()
	return l
}

func coresOf(raw *rawLadder) *Cores {
	cores := &Cores{}
	for _, unit := range raw.units {
		count := int64(0)
		if unit.capacityPpm != nil {
			count = *unit.capacityPpm / ppm
		}
		cores.Count = append(cores.Count, count)
	}
	for i, rung := range raw.rungs {
		moveUs := int64(0)
		if rung.moveUs != nil {
			moveUs = *rung.moveUs
		}
		cores.Unit = append(cores.Unit, raw.coreUnit(i))
		cores.MoveUs = append(cores.MoveUs, moveUs)
	}
	return cores
}

// readRows makes rows from load 0 on, each to the first load of the next; the guard's first rung
// outside.
func (l *Ladder) readRows(raw *rawLadder) {
	l.minLoad = uint64(raw.minLoad)
	l.loadsAboveMin = uint64(raw.maxLoad) - l.minLoad
	low, end := uint64(0), ^uint64(0)
	clamps := raw.outside == flat.OutsideCLAMP
	if !clamps {
		low, end = l.minLoad, uint64(raw.maxLoad)+1
	}
	firstRung := rawRow{climbs: []climb{{0, 0}}}
	if low > 0 {
		l.addRow(0, &firstRung)
	}
	for i := range raw.rows {
		held := &raw.rows[i]
		switch {
		case i == 0:
			l.addRow(low, held)
		case held.firstLoad < end:
			l.addRow(max(held.firstLoad, low), held)
		}
	}
	if !clamps {
		l.addRow(end, &firstRung)
	}
}

// addRow adds a row; one that begins where the one before does takes its place.
func (l *Ladder) addRow(firstLoad uint64, held *rawRow) {
	if last := len(l.rows) - 1; last >= 0 && l.firstLoads[last] == firstLoad {
		l.rows, l.firstLoads = l.rows[:last], l.firstLoads[:last]
	}
	start := StartNow
	if held.admission == flat.AdmissionKindON_EXIT {
		start = StartOnExit
	}
	first, count := uint32(len(l.agesUs)), uint32(len(held.climbs))
	l.firstLoads = append(l.firstLoads, firstLoad)
	l.rows = append(l.rows, row{held.delayUs, first, count, start})
	for _, climb := range held.climbs {
		l.agesUs = append(l.agesUs, climb.ageUs)
		l.rungOfClimb = append(l.rungOfClimb, climb.rung)
	}
	for n := count; n < shortRow; n++ {
		l.agesUs = append(l.agesUs, neverUs)
		l.rungOfClimb = append(l.rungOfClimb, 0)
	}
}

// readEntries numbers the row of each of the first loads.
func (l *Ladder) readEntries() {
	last := len(l.rows) - 1
	dense := min(l.firstLoads[last], mostEntries)
	l.rowOfLoad = make([]uint16, dense)
	held := uint16(0)
	for load := range l.rowOfLoad {
		if l.firstLoads[held+1] == uint64(load) {
			held++
		}
		l.rowOfLoad[load] = held
	}
}
