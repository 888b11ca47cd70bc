package tailc

import (
	"cmp"
	"slices"
)

// A Bus is the source of a pool's energy.
type Bus uint8

const (
	Mixed Bus = iota // one bus: all servers draw green energy first
	Green
	Brown
)

func (bus Bus) String() string { return [...]string{"mixed", "green", "brown"}[bus] }

// An Allocation is so many servers of a pool.
type Allocation struct{ Pool, Servers int64 }

// A Plan is what jobs and energy of a datacentre do, epoch by epoch, and the free servers left. Pools
// and epochs are numbered from 0; times are Unix seconds.
//
// Admit, Take and Release change only this object; a plan that is opened again contains only its
// own jobs. One goroutine at a time changes, while none reads. Invalid numbers are an ErrArgument,
// and change nothing.
type Plan struct {
	raw      *rawPlan
	counters *Counters
	pricing  *pricing
	places   map[string][]Span
	free     servers
	stored   []Stored
}

// EpochAt is the epoch of a moment; false outside the plan.
func (p *Plan) EpochAt(unixS int64) (int64, bool) {
	if unixS >= p.raw.startUnixS {
		epoch := (unixS - p.raw.startUnixS) / p.raw.epochS
		if epoch < int64(len(p.raw.epochs)) {
			return epoch, true
		}
	}
	p.counters.outside.Add(1)
	return 0, false
}

// Source is which bus a pool hangs on at a moment; false outside the plan.
func (p *Plan) Source(pool, unixS int64) (Bus, bool) {
	epoch, isInside := p.EpochAt(unixS)
	if !isInside || pool < 0 || pool >= int64(len(p.raw.pools)) {
		return Mixed, false
	}
	first := p.raw.epochs[epoch].FirstGreenPool
	switch {
	case first == nil:
		return Mixed, true
	case pool >= *first:
		return Green, true
	}
	return Brown, true
}

// Stored is the power of the battery in the epoch of a time, and its energy at the end of the
// epoch; false without a battery, and outside the plan.
func (p *Plan) Stored(unixS int64) (Stored, bool) {
	epoch, isInside := p.EpochAt(unixS)
	if !isInside || p.stored == nil {
		return Stored{}, false
	}
	return p.stored[epoch], true
}

// Allocation is what a job has at a moment, in order of pool; false: the plan does not say, since it
// has no such job, or the moment is outside it.
func (p *Plan) Allocation(job string, unixS int64) ([]Allocation, bool) {
	epoch, isInside := p.EpochAt(unixS)
	spans, isHeld := p.places[job]
	if !isInside || !isHeld {
		return nil, false
	}
	found := []Allocation{}
	for _, span := range spans {
		if span.FirstEpoch <= epoch && epoch < span.FirstEpoch+span.Epochs {
			found = append(found, Allocation{span.Pool, span.Servers})
		}
	}
	slices.SortFunc(found, func(one, other Allocation) int { return cmp.Compare(one.Pool, other.Pool) })
	return found, true
}

// Free are the servers of each pool that no job has, in an epoch of the plan.
func (p *Plan) Free(epoch int) []int64 { return p.free[epoch] }

// Quote is what a rigid job of `width` servers for so many epochs would pay, and be worth; greenPpm is
// the share of its server-epochs that shall be green. Ties go to the earlier epoch, then the lower
// pool. It takes O(pools epochs log epochs).
func (p *Plan) Quote(firstEpoch, epochs, width, greenPpm int64) (Quote, error) {
	if p.raw.terms == nil {
		return Quote{}, argumentError(
			"jobs of this plan are malleable: use the cheapest width, not a quote")
	}
	if err := checkJob(firstEpoch, epochs, width); err != nil {
		return Quote{}, err
	}
	if greenPpm < 0 || greenPpm > ppm {
		return Quote{}, argumentError("the share of green energy must be 0 to 1,000,000 (millionths)")
	}
	return p.pricing.quote(p.free, firstEpoch, epochs, width, greenPpm), nil
}

// Admit is the quote of a job, which has its places from now on if it is admitted.
func (p *Plan) Admit(job string, firstEpoch, epochs, width, greenPpm int64) (Quote, error) {
	if err := p.checkNew(job); err != nil {
		return Quote{}, err
	}
	told, err := p.Quote(firstEpoch, epochs, width, greenPpm)
	if err == nil && told.IsAdmitted() {
		p.give(job, told.Places)
	}
	return told, err
}

// CheapestWidth is, of the widths of a malleable job, each with the epochs that it then takes, the
// one whose places and epochs cost least; of equal costs the smallest; false: none has room.
func (p *Plan) CheapestWidth(firstEpoch int64, epochsOf map[int64]int64) (int64, bool, error) {
	if p.raw.malleable == nil {
		return 0, false, argumentError("jobs of this plan are rigid: use a quote, not the cheapest width")
	}
	widths := make([]int64, 0, len(epochsOf))
	for width, epochs := range epochsOf {
		if err := checkJob(firstEpoch, epochs, width); err != nil {
			return 0, false, err
		}
		widths = append(widths, width)
	}
	slices.Sort(widths)
	best, hasRoom, leastUdollars := int64(0), false, int64(0)
	for _, width := range widths {
		held, fits := p.pricing.within(p.free, firstEpoch, epochsOf[width], width)
		if !fits {
			continue
		}
		udollars := p.pricing.worth(held, p.pricing.filled(p.free, held, width)) +
			epochsOf[width]*p.raw.malleable.DelayUdollars
		if !hasRoom || udollars < leastUdollars {
			best, hasRoom, leastUdollars = width, true, udollars
		}
	}
	return best, hasRoom, nil
}

// Take gives a job its cheapest places from now on; nil: there is no room.
func (p *Plan) Take(job string, firstEpoch, epochs, width int64) ([]Span, error) {
	if err := p.checkNew(job); err != nil {
		return nil, err
	}
	if err := checkJob(firstEpoch, epochs, width); err != nil {
		return nil, err
	}
	held, fits := p.pricing.within(p.free, firstEpoch, epochs, width)
	if !fits {
		return nil, nil
	}
	spans := spansOf(held, p.pricing.filled(p.free, held, width))
	p.give(job, spans)
	return spans, nil
}

// Release ends a job: its servers from an epoch on are free.
func (p *Plan) Release(job string, epoch int64) error {
	spans, isHeld := p.places[job]
	if !isHeld {
		return argumentError("the plan has no job of that name")
	}
	var kept []Span
	for _, span := range spans {
		end := span.FirstEpoch + span.Epochs
		from := min(max(epoch, span.FirstEpoch), end)
		p.move(Span{span.Pool, from, end - from, span.Servers}, 1)
		span.Epochs = from - span.FirstEpoch
		if span.Epochs > 0 {
			kept = append(kept, span)
		}
	}
	p.places[job] = kept
	if kept == nil {
		delete(p.places, job)
	}
	return nil
}

// StartUnixS is when epoch 0 begins; each lasts EpochS.
func (p *Plan) StartUnixS() int64 { return p.raw.startUnixS }
func (p *Plan) EpochS() int64     { return p.raw.epochS }

func (p *Plan) Pools() []Pool   { return p.raw.pools }
func (p *Plan) Epochs() []Epoch { return p.raw.epochs }

// Terms are nil where jobs are malleable.
func (p *Plan) Terms() *Terms { return p.raw.terms }

// Malleable is nil where jobs are rigid.
func (p *Plan) Malleable() *Malleable { return p.raw.malleable }

// Battery is nil without a battery.
func (p *Plan) Battery() *Battery { return p.raw.battery }

// GridMw is the power that is bought at negative prices; nil where no price is negative.
func (p *Plan) GridMw() *int64 { return p.raw.gridMw }

// LaterJobs is the rule that decides about other jobs; nil: the prices of the plan.
func (p *Plan) LaterJobs() *string { return p.raw.laterJobs }

func checkJob(firstEpoch, epochs, width int64) error {
	const largestJob = 1 << 20
	if firstEpoch < 0 || min(epochs, width) < 1 || max(epochs, width) > largestJob {
		return argumentError("a job must start in epoch 0 or later, with 1 to 2^20 epochs and servers")
	}
	return nil
}

func (p *Plan) checkNew(job string) error {
	if _, isTaken := p.places[job]; isTaken || job == "" {
		return argumentError("a job must have a name that no other job of the plan has")
	}
	return nil
}

// give takes the places of a job away from the free ones; the caller may do with its spans as it likes.
func (p *Plan) give(job string, spans []Span) {
	for _, span := range spans {
		p.move(span, -1)
	}
	p.places[job] = slices.Clone(spans)
}

// move adds a span's servers to the free ones, or takes them away.
func (p *Plan) move(span Span, sign int64) {
	for _, row := range p.free[span.FirstEpoch:][:span.Epochs] {
		row[span.Pool] += sign * span.Servers
	}
}

func newPlan(raw *rawPlan, counters *Counters) *Plan {
	raw.check()
	p := &Plan{
		raw: raw, counters: counters, pricing: newPricing(raw), places: make(map[string][]Span),
		free: newServers(len(raw.epochs), len(raw.pools)),
	}
	for _, row := range p.free {
		for pool := range row {
			row[pool] = raw.pools[pool].Servers
		}
	}
	for _, job := range raw.jobs {
		p.give(job.name, job.spans)
	}
	for _, row := range p.free {
		require(slices.Min(row) >= 0, "the jobs of an epoch use more servers of a pool than it has")
	}
	p.stored = raw.storedByEpoch()
	return p
}
