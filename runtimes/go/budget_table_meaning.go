package tailc

import (
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/tailc/tailc/runtimes/go/internal/flat"
)

// rawBudgetTable is a budget table before it is checked for meaning.
type rawBudgetTable struct {
	firstWaiting                        []int64
	rows                                []budgetRow
	kvBlocks, blockTokens, maxSequences int64
	fixedNs                             int64
	parts                               []stepPart
}

type budgetRow struct {
	firstDecoding, newSequences int64
	budgets                     []int64
}

// A stepPart is one part of the time of an iteration, linear between knots.
type stepPart struct{ knots, timeNs []int64 }

// Limits such that products of an amount and a time stay below 2^63.
const (
	largestAmount = 1 << 26
	largestStepNs = 1 << 36
)

func (raw *rawBudgetTable) check() {
	const mostRows, mostColumns = 4_096, 1_024
	columns := raw.firstWaiting
	require(0 < len(columns) && len(columns) <= mostColumns,
		"`first_waiting` must have 1 to 1024 columns")
	require(ascendsFrom0(columns), "`first_waiting` must ascend from 0 to at most 2^26")
	require(0 < len(raw.rows) && len(raw.rows) <= mostRows, "`rows` must have 1 to 4096 rows")
	require(ascendsFrom0(raw.firstDecoding()), "`first_decoding` must ascend from 0 to at most 2^26")
	for _, row := range raw.rows {
		require(row.newSequences >= 0, "`new_sequences` must not be negative")
		require(len(row.budgets) == len(columns),
			"`budgets` of a row must have a budget for each column")
		require(slices.Min(row.budgets) >= 0 && slices.Max(row.budgets) <= largestAmount,
			"`budgets` must be 0 to 2^26")
	}
	require(raw.rows[0].newSequences > 0 && slices.Min(raw.rows[0].budgets) > 0,
		"`budgets` and `new_sequences` of the first row must be above 0")
	raw.checkEngine()
}

func (raw *rawBudgetTable) checkEngine() {
	require(min(raw.kvBlocks, raw.blockTokens, raw.maxSequences) > 0,
		"`kv_blocks`, `block_tokens`, `max_sequences` must be above 0")
	fits := max(raw.kvBlocks, raw.blockTokens, raw.maxSequences) <= largestAmount &&
		raw.kvBlocks <= largestAmount/raw.blockTokens
	require(fits, "`kv_blocks` x `block_tokens` and `max_sequences` must be at most 2^26")
	require(0 < raw.fixedNs && raw.fixedNs <= largestStepNs, "`fixed_ns` must be 1 to 2^36")
	for _, part := range raw.parts {
		part.check()
	}
}

func (part *stepPart) check() {
	require(len(part.knots) == len(part.timeNs), "a knot must have a time, and no other")
	require(len(part.knots) > 1, "`knots` must have at least two amounts")
	require(ascendsFrom0(part.knots), "`knots` must ascend from 0 to at most 2^26")
	require(part.timeNs[0] == 0 && slices.IsSorted(part.timeNs),
		"`time_ns` must begin with 0 and not decrease")
	require(slices.Max(part.timeNs) <= largestStepNs, "`time_ns` must be at most 2^36")
}

// ascendsFrom0 is whether the first of amounts is 0, and each is above the one before.
func ascendsFrom0(amounts []int64) bool {
	for i := 1; i < len(amounts); i++ {
		if amounts[i-1] >= amounts[i] {
			return false
		}
	}
	return amounts[0] == 0 && amounts[len(amounts)-1] <= largestAmount
}

func (raw *rawBudgetTable) firstDecoding() []int64 {
	return list(len(raw.rows), func(i int) int64 { return raw.rows[i].firstDecoding })
}

func readBudgetTable(table flatbuffers.Table) rawForm {
	var form flat.BudgetTable
	form.Init(table.Bytes, table.Pos)
	engine := form.Engine(nil)
	step := engine.Step(nil)
	parts := []*flat.StepPart{step.Tokens(nil), step.Prompt(nil), step.Decoding(nil), step.Context(nil)}
	var row flat.BudgetRow
	return &rawBudgetTable{
		firstWaiting: list(form.FirstWaitingLength(), form.FirstWaiting),
		rows: list(form.RowsLength(), func(i int) budgetRow {
			form.Rows(&row, i)
			budgets := list(row.BudgetsLength(), row.Budgets)
			return budgetRow{row.FirstDecoding(), row.NewSequences(), budgets}
		}),
		kvBlocks: engine.KvBlocks(), blockTokens: engine.BlockTokens(),
		maxSequences: engine.MaxSequences(), fixedNs: step.FixedNs(),
		parts: list(len(parts), func(i int) stepPart {
			part := parts[i]
			return stepPart{
				list(part.KnotsLength(), part.Knots), list(part.TimeNsLength(), part.TimeNs),
			}
		}),
	}
}
