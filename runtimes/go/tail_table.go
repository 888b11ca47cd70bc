package tailc

import "sort"

// A TailTable has the lowest frequency at which all requests on a core end in time. Any number of
// goroutines may ask it at once, without lock or allocation.
type TailTable struct {
	controller *Controller
	counters   *Counters
	raw        *rawTailTable

	frequenciesKhz, powerMw []int64
	least, positions        int
	parts, memoryNs         left
}

// Sleep is what a core without requests does; it needs WakeNs to begin again.
type Sleep struct{ PowerMw, WakeNs int64 }

// Batch is the work of a core without requests; those run at LeastKhz at least.
type Batch struct{ LeastKhz, FrequencyKhz, PowerMw int64 }

// Transition is what a change of frequency costs; the entries of a table include halts.
type Transition struct{ HaltNs, EnergyNj int64 }

// left is what is left until requests are done, an entry by position for each row.
type left struct {
	fromElapsed, entries []int64
	positions            int
}

func (l *left) at(elapsed int64) []int64 {
	row := 0
	for size := len(l.fromElapsed); size > 1; size -= size / 2 {
		if next := row + size/2; l.fromElapsed[next] <= elapsed {
			row = next
		}
	}
	return l.entries[row*l.positions:][:l.positions]
}

// One kHz for one ns is a millionth of a cycle.
const partsPerCycle = 1_000_000

// Level is the number of the level that a core runs at until its next arrival or completion.
//
// agesNs are the times since each request of the core arrived, that of the running one first; the
// other two are what that one has had. Negative arguments, and a core without requests, are an
// ErrArgument.
func (t *TailTable) Level(agesNs []int64, elapsedCycles, elapsedMemoryNs int64) (int, error) {
	scalePpm := int64(ppm)
	if t.controller != nil {
		scalePpm = t.controller.OutputPpm()
	}
	return t.LevelScaled(agesNs, elapsedCycles, elapsedMemoryNs, scalePpm)
}

// LevelScaled is Level with the bound scaled by scalePpm millionths, 0 to 2,000,000.
func (t *TailTable) LevelScaled(
	agesNs []int64, elapsedCycles, elapsedMemoryNs, scalePpm int64,
) (int, error) {
	const nsPerUs = 1_000
	if err := checkAsked(agesNs, elapsedCycles, elapsedMemoryNs, scalePpm); err != nil {
		return 0, err
	}
	top := len(t.frequenciesKhz) - 1
	if len(agesNs) > t.positions {
		t.counters.outside.Add(1)
		return top, nil
	}
	parts, memoryNs := t.parts.at(elapsedCycles), t.memoryNs.at(elapsedMemoryNs)
	boundNs := t.raw.boundUs * scalePpm / nsPerUs
	level := t.least
	for i, ageNs := range agesNs {
		// Compared before the subtraction, so that no value exceeds 64 bits.
		if ageNs >= boundNs || boundNs-ageNs <= memoryNs[i] {
			return top, nil
		}
		slackNs := boundNs - ageNs - memoryNs[i]
		for level < top && t.frequenciesKhz[level]*slackNs < parts[i] {
			level++
		}
	}
	return level, nil
}

func checkAsked(agesNs []int64, elapsedCycles, elapsedMemoryNs, scalePpm int64) error {
	if len(agesNs) == 0 || scalePpm < 0 || scalePpm > 2*ppm {
		return errNoRequests
	}
	negative := elapsedCycles | elapsedMemoryNs
	for _, ageNs := range agesNs {
		negative |= ageNs
	}
	if negative < 0 {
		return errNegativeAge
	}
	return nil
}

const (
	errNoRequests  = argumentError("the ages must not be empty, and the scale must be 0 to 2,000,000")
	errNegativeAge = argumentError("ages and elapsed work must not be negative")
)

// FrequencyKhz is that of the Level.
func (t *TailTable) FrequencyKhz(agesNs []int64, elapsedCycles, elapsedMemoryNs int64) (int64, error) {
	level, err := t.Level(agesNs, elapsedCycles, elapsedMemoryNs)
	if err != nil {
		return 0, err
	}
	return t.frequenciesKhz[level], nil
}

// FrequenciesKhz are those of the levels, ascending.
func (t *TailTable) FrequenciesKhz() []int64 { return t.frequenciesKhz }

// PowerMw is the power of a core that serves a request, by level.
func (t *TailTable) PowerMw() []int64     { return t.powerMw }
func (t *TailTable) PercentilePpm() int64 { return t.raw.percentilePpm }
func (t *TailTable) BoundUs() int64       { return t.raw.boundUs }
func (t *TailTable) Cores() int64         { return t.raw.cores }

// Positions is the number of requests in a row; a core with more requests runs at the last level.
func (t *TailTable) Positions() int { return t.positions }
func (t *TailTable) Sleep() Sleep   { return t.raw.sleep }

// Batch is nil where a core without requests sleeps.
func (t *TailTable) Batch() *Batch { return t.raw.batch }

// Transition is nil if a change of frequency costs nothing.
func (t *TailTable) Transition() *Transition { return t.raw.transition }

func newTailTable(raw *rawTailTable, controller *Controller, counters *Counters) *TailTable {
	raw.check()
	t := &TailTable{
		controller: controller, counters: counters, raw: raw,
		parts: leftOf(raw.cycles, partsPerCycle), memoryNs: leftOf(raw.memoryNs, 1),
	}
	t.positions = t.parts.positions
	for _, level := range raw.levels {
		t.frequenciesKhz = append(t.frequenciesKhz, level.frequencyKhz)
		t.powerMw = append(t.powerMw, level.powerMw)
	}
	if raw.batch != nil {
		least := raw.batch.LeastKhz
		t.least = sort.Search(len(raw.levels), func(i int) bool {
			return raw.levels[i].frequencyKhz >= least
		})
	}
	return t
}

func leftOf(rows []tailRow, parts int64) left {
	l := left{positions: len(rows[0].left)}
	for _, row := range rows {
		l.fromElapsed = append(l.fromElapsed, row.fromElapsed)
		for _, entry := range row.left {
			l.entries = append(l.entries, entry*parts)
		}
	}
	return l
}
