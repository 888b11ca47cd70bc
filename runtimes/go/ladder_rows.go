package tailc

import "github.com/tailc/tailc/runtimes/go/internal/flat"

// With more loads than this, rows are found by bisection.
const mostEntries = 4096

func newLadder(raw *rawLadder, controller *Controller, counters *Counters) *Ladder {
	raw.check()
	if controller != nil {
		raw.checkScaled()
	}
	l := &Ladder{
		controller: controller, counters: counters,
		loadAxis: raw.loadAxis, requestClass: raw.requestClass, rules: raw.rules,
		quantumUs: raw.quantumUs, boost: raw.boost, settings: raw.rungs,
	}
	for _, unit := range raw.units {
		l.costUnits = append(l.costUnits, unit.name)
	}
	for _, rung := range raw.rungs {
		l.rungs = append(l.rungs, rung.Name)
	}
	if raw.has(AgeFromArrival) {
		l.countsWaiting = ^uint64(0)
		l.overload.countsWaiting = true
		l.sharing.countsWaiting = true
	}
	if raw.overload != nil {
		l.overload.raw = *raw.overload
	}
	if raw.sharing != nil {
		l.sharing.raw = *raw.sharing
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
		if rung.MoveUs != nil {
			moveUs = *rung.MoveUs
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
	// The last row of a ladder by requests in the system is compiled for all larger loads.
	lastLoad := raw.rows[len(raw.rows)-1].firstLoad
	if clamps && raw.loadAxis == InSystem && uint64(lastLoad) <= uint64(raw.maxLoad) {
		l.loadsAboveMin = ^uint64(0) - l.minLoad
	}
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
	made := row{delayUs: held.delayUs, start: start}
	for i := range made.agesUs {
		made.agesUs[i] = neverUs
	}
	if len(held.climbs) > shortRow {
		made.long = held.climbs
	} else {
		for i, climb := range held.climbs {
			made.agesUs[i], made.rungs[i] = climb.ageUs, climb.rung
		}
	}
	l.firstLoads, l.rows = append(l.firstLoads, firstLoad), append(l.rows, made)
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
