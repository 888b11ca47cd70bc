package main

import (
	"errors"
	"math"
	"strconv"

	"github.com/tailc/tailc/runtimes/go"
)

// Questions of forms that remember what they are told.

func askShares(shares *tailc.Shares) question {
	throughput := make([]float64, len(shares.Served()))
	waiting := make([]int64, len(shares.Served()))
	return func(_ uint64, from *draw, into *checksum) error {
		for i := range throughput {
			throughput[i] = float64(from.below(1_000_000)) / 1_000
		}
		for i := range waiting {
			waiting[i] = int64(from.below(64)) // nothing once in a while
		}
		granted, err := shares.TickWaiting(throughput, waiting)
		for _, sharePpm := range granted {
			into.fold(uint64(sharePpm))
		}
		for _, one := range shares.Served() {
			into.fold(math.Float64bits(one.A), math.Float64bits(one.B))
		}
		return err
	}
}

// What the answer of a plan is folded as.
const (
	foldAdmitted = iota
	foldRefused
	foldNoRoom
	foldInvalid
	foldNotQuoted = 8
	foldNotTaken  = 9
)

type planQuestion struct {
	plan     *tailc.Plan
	into     *checksum
	admitted []string
}

// Questions that are for one plan as it was opened: it fills up.
const spell = 128

func openPlan(path string) (*tailc.Plan, error) {
	policy, err := tailc.Open(path)
	if err != nil {
		return nil, err
	}
	return policy.Plan()
}

func largestPool(plan *tailc.Plan) int64 {
	largest := int64(0)
	for _, pool := range plan.Pools() {
		largest = max(largest, pool.Servers)
	}
	return largest
}

func askPlan(path string) question {
	asked := &planQuestion{}
	return func(number uint64, from *draw, into *checksum) error {
		if number%spell == 0 {
			plan, err := openPlan(path)
			if err != nil {
				return err
			}
			asked.plan, asked.admitted = plan, nil
		}
		plan := asked.plan
		what := from.below(8)
		first := int64(from.below(uint64(len(plan.Epochs())) + 2))
		count := 1 + int64(from.below(8))
		width := 1 + int64(from.below(uint64(largestPool(plan))+2))
		greenPpm := int64(from.below(1_000_001))
		asked.into = into
		switch {
		case what == 6:
			return asked.release(first)
		case what == 7:
			return asked.take("t"+strconv.FormatUint(number, 10), first, count, width)
		case plan.Terms() == nil:
			into.fold(foldNotQuoted)
			return nil
		case what >= 4:
			return asked.admit("q"+strconv.FormatUint(number, 10), first, count, width, greenPpm)
		}
		told, err := plan.Quote(first, count, width, greenPpm)
		return asked.foldQuote(told, err)
	}
}

func (q *planQuestion) foldQuote(told tailc.Quote, err error) error {
	answer := uint64(foldRefused)
	switch {
	case errors.Is(err, tailc.ErrArgument):
		q.into.fold(foldInvalid)
		return nil
	case told.Places == nil:
		answer = foldNoRoom
	case told.IsAdmitted():
		answer = foldAdmitted
	}
	q.into.fold(answer, uint64(told.PaysUdollars), uint64(told.WorthUdollars), uint64(told.GreenSlots))
	return err
}

func (q *planQuestion) foldPlaces(places []tailc.Span) {
	for _, one := range places {
		q.into.fold(uint64(one.FirstEpoch), uint64(one.Pool), uint64(one.Epochs), uint64(one.Servers))
	}
}

func (q *planQuestion) admit(job string, first, count, width, greenPpm int64) error {
	told, err := q.plan.Admit(job, first, count, width, greenPpm)
	if err == nil && told.IsAdmitted() {
		q.admitted = append(q.admitted, job)
	}
	err = q.foldQuote(told, err)
	q.foldPlaces(told.Places)
	return err
}

func (q *planQuestion) release(epoch int64) error {
	last := len(q.admitted) - 1
	if last < 0 {
		q.into.fold(0)
		return nil
	}
	q.into.fold(1)
	job := q.admitted[last]
	q.admitted = q.admitted[:last]
	return q.plan.Release(job, epoch)
}

func (q *planQuestion) take(job string, first, count, width int64) error {
	if q.plan.Malleable() == nil {
		q.into.fold(foldNotTaken)
		return nil
	}
	places, err := q.plan.Take(job, first, count, width)
	switch {
	case errors.Is(err, tailc.ErrArgument):
		q.into.fold(foldInvalid)
		return nil
	case places == nil:
		q.into.fold(0)
	default:
		q.into.fold(1)
		q.foldPlaces(places)
	}
	return err
}
