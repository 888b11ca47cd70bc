package tailc

import (
	"math/bits"
	"sort"

	"github.com/tailc/tailc/runtimes/go/internal/flat"
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
	Shed            Rule = "shed"
	CutOff          Rule = "cut-off"
	Degrade         Rule = "degrade"
	StartBelow      Rule = "start-below"
	GiveUp          Rule = "give-up"
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

// Cores is for rungs that are cores: by rung the cost unit of its core, and how long a climb to it
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
	firstLoads    []uint64 // by row

	loadAxis     LoadAxis
	requestClass *string
	costUnits    []string
	rungs        []string
	settings     []RungSetting
	rules        []Rule
	quantumUs    int64
	boost        *Boost
	overload     Overload
	sharing      Sharing
	cores        *Cores
}

type row struct {
	delayUs uint64
	start   Start
	// Climbs that never come fill what a row has not.
	agesUs [shortRow]uint64
	rungs  [shortRow]uint32
	// All climbs, where a row has more.
	long []climb
}

const (
	// Up to this number of climbs is stored in the row itself.
	shortRow = 8
	neverUs  = ^uint64(0)
	// No age in a policy is as late.
	everUs = uint64(1) << 53
)

const errNegative = argumentError("the load and the times waited and executed must not be negative")

// Lookup answers for a request that has waited and executed so long, under what the controller puts
// out at that moment, if there is one. Negative arguments are an ErrArgument.
func (l *Ladder) Lookup(load, waitedUs, executedUs int64) (Answer, error) {
	l.countOutside(load)
	return l.peek(load, waitedUs, executedUs)
}

// peek is Lookup for a schedule that looks what a request would get: it counts nothing.
func (l *Ladder) peek(load, waitedUs, executedUs int64) (Answer, error) {
	outputPpm := uint64(ppm)
	if l.controller != nil {
		outputPpm = uint64(l.controller.OutputPpm())
	}
	return l.answer(load, waitedUs, executedUs, outputPpm)
}

// LookupScaled is Lookup with ages of climbs scaled by outputPpm millionths, 0 to 1,000,000.
func (l *Ladder) LookupScaled(load, waitedUs, executedUs, outputPpm int64) (Answer, error) {
	if outputPpm < 0 || outputPpm > ppm {
		return Answer{}, argumentError("the output must be 0 to 1,000,000")
	}
	l.countOutside(load)
	return l.answer(load, waitedUs, executedUs, uint64(outputPpm))
}

// countOutside leaves out negative loads, which have no answer.
func (l *Ladder) countOutside(load int64) {
	if uint64(load)-l.minLoad > l.loadsAboveMin && load >= 0 {
		l.counters.outside.Add(1)
	}
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
	// Whether there is a delay cannot be predicted: no branch. A row with one has StartNow.
	waits := ^hasCome(row.delayUs, waited)
	start := row.start + StartWait&Start(waits)
	return Answer{start, row.rungAt(ageUs), (row.delayUs - waited) & waits}, nil
}

func (l *Ladder) rowAt(load uint64) *row {
	if load < uint64(len(l.rowOfLoad)) {
		return &l.rows[l.rowOfLoad[load]]
	}
	return l.rowBeyond(load)
}

func (l *Ladder) rowBeyond(load uint64) *row {
	after := sort.Search(len(l.rows), func(i int) bool { return load < l.firstLoads[i] })
	return &l.rows[after-1]
}

// rungAt bisects without branches: in which half the last climb is that has come cannot be
// predicted.
func (r *row) rungAt(ageUs uint64) int {
	if r.long != nil {
		return r.longRungAt(ageUs)
	}
	at := hasCome(r.agesUs[4], ageUs) & 4
	at += hasCome(r.agesUs[(at+2)%shortRow], ageUs) & 2
	at += hasCome(r.agesUs[(at+1)%shortRow], ageUs) & 1
	return int(r.rungs[at%shortRow])
}

// hasCome is all bits where a moment is not above the time that passed, else none.
func hasCome(momentUs, passedUs uint64) uint64 {
	_, borrow := bits.Sub64(passedUs, momentUs, 0)
	return borrow - 1
}

func (r *row) longRungAt(ageUs uint64) int {
	at := 0
	for left := len(r.long); left > 1; left -= left / 2 {
		if next := at + left/2; r.long[next].ageUs <= ageUs {
			at = next
		}
	}
	return int(r.long[at].rung)
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

// Settings are what each rung is.
func (l *Ladder) Settings() []RungSetting { return l.settings }

// Rules are what the server must do beyond the look-up.
func (l *Ladder) Rules() []Rule { return l.rules }

// QuantumUs is the time between two look-ups of a running request.
func (l *Ladder) QuantumUs() int64 { return l.quantumUs }

// Boost is nil where no request is boosted.
func (l *Ladder) Boost() *Boost { return l.boost }

// Overload determines the requests that the server refuses, degrades or cuts off; none without a
// rule for it.
func (l *Ladder) Overload() Overload { return l.overload }

// Sharing determines the requests that must wait or release threads or cores because of the used
// amount; none without a rule for it.
func (l *Ladder) Sharing() Sharing { return l.sharing }

// Cores is nil where rungs are not cores.
func (l *Ladder) Cores() *Cores { return l.cores }
