package tailc

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"tailc/internal/flat"
)

// rawTailTable is a tail table before it is checked for meaning.
type rawTailTable struct {
	percentilePpm, boundUs, cores int64
	levels                        []level
	cycles, memoryNs              []tailRow
	sleep                         Sleep
	batch                         *Batch
	referenceKhz                  *int64
	transition                    *Transition
}

type level struct{ frequencyKhz, powerMw int64 }

type tailRow struct {
	fromElapsed int64
	left        []int64
}

// Limits such that neither side of the comparison of levels leaves 64 bits.
const (
	largestKhz     = 1 << 23
	largestBoundUs = 1 << 28
	largestCycles  = 1 << 43
	largestWhole   = 1<<53 - 1
)

func (raw *rawTailTable) check() {
	require(0 < raw.percentilePpm && raw.percentilePpm < ppm, "a percentile lies between 0 and 1")
	require(0 < raw.boundUs && raw.boundUs <= largestBoundUs, "a bound is 1 to 2^28 us")
	require(raw.cores > 0, "a table needs a core")
	clock := raw.referenceKhz
	require(clock == nil || 0 < *clock && *clock <= largestKhz, "a clock runs at 1 to 2^23 kHz")
	raw.checkLevels()
	require(raw.sleep.PowerMw >= 0 && raw.sleep.WakeNs >= 0,
		"a core draws, or sleeps for, less than nothing")
	if raw.batch != nil {
		raw.checkBatch()
	}
	change := raw.transition
	require(change == nil || change.HaltNs >= 0 && change.EnergyNj >= 0,
		"a change costs less than nothing")
	checkTailRows(raw.cycles, largestCycles)
	checkTailRows(raw.memoryNs, largestWhole)
	require(len(raw.cycles[0].left) == len(raw.memoryNs[0].left),
		"cycles and memory time have as many positions")
}

func (raw *rawTailTable) checkLevels() {
	before := int64(0)
	for _, level := range raw.levels {
		require(before < level.frequencyKhz, "frequencies ascend, from above 0")
		require(level.frequencyKhz <= largestKhz, "a frequency is at most 2^23 kHz")
		require(level.powerMw >= 0, "a core draws less than nothing")
		before = level.frequencyKhz
	}
	require(before > 0, "a table needs a frequency above 0")
}

func (raw *rawTailTable) checkBatch() {
	isLevel := func(khz int64) bool {
		for _, level := range raw.levels {
			if level.frequencyKhz == khz {
				return true
			}
		}
		return false
	}
	require(isLevel(raw.batch.LeastKhz) && isLevel(raw.batch.FrequencyKhz),
		"batch work runs at a frequency that is not there")
	require(raw.batch.PowerMw >= 0, "a core draws less than nothing")
}

func checkTailRows(rows []tailRow, most int64) {
	require(len(rows) > 0 && rows[0].fromElapsed == 0,
		"the first row must hold from nothing elapsed")
	for i, row := range rows {
		require(i == 0 || rows[i-1].fromElapsed < row.fromElapsed, "rows must ascend")
		require(len(row.left) == len(rows[0].left), "all rows have as many positions")
		require(len(row.left) > 0, "a row needs a position")
		before := int64(0)
		for _, entry := range row.left {
			require(entry >= 0 && entry <= most, "an entry is beyond its range")
			require(before <= entry, "more requests cannot be done sooner")
			before = entry
		}
	}
}

func readTailTable(table flatbuffers.Table) rawForm {
	var form flat.TailTable
	form.Init(table.Bytes, table.Pos)
	sleep := form.Sleep(nil)
	var at flat.Level
	raw := &rawTailTable{
		percentilePpm: form.PercentilePpm(), boundUs: form.BoundUs(), cores: form.Cores(),
		levels: list(form.LevelsLength(), func(i int) level {
			form.Levels(&at, i)
			return level{at.FrequencyKhz(), at.PowerMw()}
		}),
		cycles:       readTailRows(form.CyclesLength(), form.Cycles),
		memoryNs:     readTailRows(form.MemoryNsLength(), form.MemoryNs),
		sleep:        Sleep{sleep.PowerMw(), sleep.WakeNs()},
		referenceKhz: form.ReferenceKhz(),
	}
	if batch := form.Batch(nil); batch != nil {
		raw.batch = &Batch{batch.LeastKhz(), batch.FrequencyKhz(), batch.PowerMw()}
	}
	if change := form.Transition(nil); change != nil {
		raw.transition = &Transition{change.HaltNs(), change.EnergyNj()}
	}
	return raw
}

func readTailRows(length int, at func(*flat.TailRow, int) bool) []tailRow {
	var row flat.TailRow
	return list(length, func(i int) tailRow {
		at(&row, i)
		return tailRow{row.FromElapsed(), list(row.LeftLength(), row.Left)}
	})
}
