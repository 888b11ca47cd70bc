package tailc

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/tailc/tailc/runtimes/go/internal/flat"
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
	require(0 < raw.percentilePpm && raw.percentilePpm < ppm,
		"`percentile_ppm` must be 1 to 999,999")
	require(0 < raw.boundUs && raw.boundUs <= largestBoundUs, "`bound_us` must be 1 to 2^28")
	require(raw.cores > 0, "`cores` must be at least 1")
	clock := raw.referenceKhz
	require(clock == nil || 0 < *clock && *clock <= largestKhz, "`reference_khz` must be 1 to 2^23")
	raw.checkLevels()
	require(raw.sleep.PowerMw >= 0 && raw.sleep.WakeNs >= 0,
		"`power_mw` and `wake_ns` must not be negative")
	if raw.batch != nil {
		raw.checkBatch()
	}
	change := raw.transition
	require(change == nil || change.HaltNs >= 0 && change.EnergyNj >= 0,
		"`halt_ns` and `energy_nj` of `transition` must not be negative")
	checkTailRows(raw.cycles, largestCycles)
	checkTailRows(raw.memoryNs, largestWhole)
	require(len(raw.cycles[0].left) == len(raw.memoryNs[0].left),
		"rows of `cycles` and `memory_ns` must have the same number of positions")
}

func (raw *rawTailTable) checkLevels() {
	before := int64(0)
	for _, level := range raw.levels {
		require(before < level.frequencyKhz,
			"`frequency_khz` must be at least 1 and increase from level to level")
		require(level.frequencyKhz <= largestKhz, "`frequency_khz` must be at most 2^23")
		require(level.powerMw >= 0, "`power_mw` must not be negative")
		before = level.frequencyKhz
	}
	require(before > 0, "`levels` must not be empty, and `frequency_khz` must be at least 1")
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
		"`least_khz` and `frequency_khz` of `batch` must be frequencies of `levels`")
	require(raw.batch.PowerMw >= 0, "`power_mw` must not be negative")
}

func checkTailRows(rows []tailRow, most int64) {
	require(len(rows) > 0 && rows[0].fromElapsed == 0,
		"`from_elapsed` of the first row must be 0")
	for i, row := range rows {
		require(i == 0 || rows[i-1].fromElapsed < row.fromElapsed,
			"`from_elapsed` must increase from row to row")
		require(len(row.left) == len(rows[0].left),
			"all rows must have the same number of positions")
		require(len(row.left) > 0, "`left` of a row must not be empty")
		before := int64(0)
		for _, entry := range row.left {
			require(entry >= 0 && entry <= most,
				"`left` of a row must be 0 to 2^43 cycles or 2^53 - 1 ns")
			require(before <= entry, "`left` of a row must not decrease with the position")
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
