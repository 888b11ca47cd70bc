package tailc

import (
	"cmp"
	"slices"
)

const (
	mostServers     = 1 << 20
	mostEpochs      = 1 << 14
	largestUdollars = 1 << 28
	latestUnixS     = 253_402_300_799 // the last second of the year 9999
)

// check refuses a plan that contradicts itself, but for servers that jobs have twice, and the battery.
func (raw *rawPlan) check() {
	raw.checkTimes()
	require(0 <= raw.violationsPpm && raw.violationsPpm <= ppm, "a part of jobs lies from 0 to 1")
	raw.checkPools()
	raw.checkEpochs()
	raw.checkMoney()
	require(haveNamesApart(raw.jobs, func(job *plannedJob) string { return job.name }),
		"two jobs have one name")
	for i := range raw.jobs {
		raw.checkJob(&raw.jobs[i])
	}
}

func haveNamesApart[T any](named []T, nameOf func(*T) string) bool {
	names := make(map[string]bool)
	for i := range named {
		names[nameOf(&named[i])] = true
	}
	return len(names) == len(named)
}

func (raw *rawPlan) checkTimes() {
	require(raw.epochS > 0, "an epoch lasts a second at least")
	require(len(raw.pools) > 0 && len(raw.epochs) > 0, "a plan needs a pool and an epoch")
	require(len(raw.epochs) <= mostEpochs, "a plan has 2^14 epochs at most")
	require(raw.startUnixS >= 0 && raw.startUnixS <= latestUnixS &&
		raw.epochS <= (latestUnixS-raw.startUnixS)/int64(len(raw.epochs)),
		"a plan lies in the years 1970 to 9999")
}

func (raw *rawPlan) checkPools() {
	servers := int64(0)
	for _, pool := range raw.pools {
		require(pool.Name != "", "a pool needs a name")
		require(0 < pool.Servers && pool.Servers <= mostServers, "a pool has 1 to 2^20 servers")
		require(0 <= pool.AsleepMw && pool.AsleepMw <= pool.BusyMw && pool.BusyMw > 0,
			"a busy server draws power, and what a sleeping one does")
		require(pool.MigrationMj >= 0, "to move work gives no energy")
		require(pool.Racks == nil || *pool.Racks > 0 && pool.Servers%*pool.Racks == 0,
			"racks of a pool have as many servers each")
		require((pool.Racks == nil) == (raw.pools[0].Racks == nil),
			"all pools are of racks or none")
		servers += pool.Servers
	}
	require(servers <= mostServers, "a plan has 2^20 servers")
	require(haveNamesApart(raw.pools, func(pool *Pool) string { return pool.Name }),
		"two pools have one name")
}

func (raw *rawPlan) checkEpochs() {
	hasBuses := raw.epochs[0].FirstGreenPool != nil
	for _, epoch := range raw.epochs {
		require(min(epoch.GreenMw, epoch.BrownUdollarsPerKwh, epoch.BrownMgPerKwh) >= 0,
			"power, prices and CO2 are not negative")
		first := epoch.FirstGreenPool
		require((first != nil) == hasBuses, "two buses in every epoch or in none")
		require(first == nil || 0 <= *first && *first <= int64(len(raw.pools)),
			"the first green pool is there, or none")
	}
}

func (raw *rawPlan) checkMoney() {
	require(len(raw.prices) == len(raw.pools), "each pool has a price in each epoch")
	var amounts []int64
	for _, prices := range raw.prices {
		require(len(prices) == len(raw.epochs), "each pool has a price in each epoch")
		amounts = append(amounts, prices...)
	}
	require((raw.terms != nil) != (raw.malleable != nil), "jobs are rigid or malleable")
	if terms := raw.terms; terms != nil {
		amounts = append(amounts, terms.GreenUdollars, terms.BrownUdollars, terms.PenaltyUdollars)
	}
	least, most := slices.Min(amounts), slices.Max(amounts)
	require(0 <= least && most <= largestUdollars, "prices and terms are 0 to 2^28")
	slots := int64(0)
	for _, pool := range raw.pools {
		slots += pool.Servers * int64(len(raw.epochs))
	}
	require(slots*most <= largestWhole, "a plan is worth 2^53 or more")
	if raw.malleable != nil {
		delayUdollars := raw.malleable.DelayUdollars
		require(0 <= delayUdollars && delayUdollars <= largestUdollars, "a delay costs 0 to 2^28")
		require(raw.malleable.SlowdownPpm >= ppm, "a slowdown is a factor of 1 or more")
	}
}

func (raw *rawPlan) checkJob(job *plannedJob) {
	require(job.name != "" && len(job.spans) > 0, "a job has a name, and runs")
	raw.checkSpans(job)
	slots := int64(0)
	for _, span := range job.spans {
		slots += span.Servers * span.Epochs
	}
	require(0 <= job.greenSlots && job.greenSlots <= slots, "no more than all of a job is green")
	require(raw.terms != nil || job.greenSlots == 0, "malleable jobs are promised nothing")
}

func (raw *rawPlan) checkSpans(job *plannedJob) {
	pools, epochs := int64(len(raw.pools)), int64(len(raw.epochs))
	ends := make([]int64, pools)
	for _, span := range job.spans {
		require(0 <= span.Pool && span.Pool < pools && span.FirstEpoch >= 0 &&
			span.Epochs > 0 && span.Servers > 0, "a span is of a pool, and runs")
		require(span.Epochs <= epochs && span.FirstEpoch <= epochs-span.Epochs,
			"a span ends with the plan")
		require(span.Servers <= raw.pools[span.Pool].Servers, "a span is no larger than its pool")
		require(span.FirstEpoch >= ends[span.Pool], "two spans of a pool at once")
		ends[span.Pool] = span.FirstEpoch + span.Epochs
	}
	require(slices.IsSortedFunc(job.spans, compareSpans),
		"spans are in order of epoch, then of pool")
}

// compareSpans orders by first epoch, then by pool.
func compareSpans(one, other Span) int {
	if one.FirstEpoch != other.FirstEpoch {
		return cmp.Compare(one.FirstEpoch, other.FirstEpoch)
	}
	return cmp.Compare(one.Pool, other.Pool)
}
