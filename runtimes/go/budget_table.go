package tailc

import "sort"

// A BudgetTable limits what the next iteration of a language model's server batches. Any number of
// goroutines may look up at once.
type BudgetTable struct {
	raw           *rawBudgetTable
	firstDecoding []int64
}

// A Budget is the most tokens of an iteration, of which every decoding sequence takes one first and
// prompts take the rest, and the most sequences that may start in it.
type Budget struct{ Tokens, NewSequences int64 }

// Lookup is the budget of the next iteration, by the number of sequences that decode, and the tokens
// of prompts that are not computed yet: of sequences that run, and of requests that wait. Negative
// numbers count as 0.
func (t *BudgetTable) Lookup(decoding, waitingTokens int64) Budget {
	row := &t.raw.rows[cellOf(t.firstDecoding, decoding)]
	return Budget{row.budgets[cellOf(t.raw.firstWaiting, waitingTokens)], row.newSequences}
}

// KvBlocks, BlockTokens and MaxSequences are the limits of the engine that the table is for: blocks
// of its key-value cache, tokens of a block, and sequences in a batch.
func (t *BudgetTable) KvBlocks() int64     { return t.raw.kvBlocks }
func (t *BudgetTable) BlockTokens() int64  { return t.raw.blockTokens }
func (t *BudgetTable) MaxSequences() int64 { return t.raw.maxSequences }

// cellOf is the number of the last edge that is at most `value`; 0 if none is.
func cellOf(edges []int64, value int64) int {
	above := sort.Search(len(edges), func(i int) bool { return edges[i] > value })
	return max(above-1, 0)
}

func newBudgetTable(raw *rawBudgetTable) *BudgetTable {
	raw.check()
	return &BudgetTable{raw, raw.firstDecoding()}
}
