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
	require(0 <= raw.violationsPpm && raw.violationsPpm <= ppm,
		"`violations_ppm` must be 0 to 1,000,000")
	raw.checkPools()
	raw.checkEpochs()
	raw.checkGrid()
	require(raw.laterJobs == nil || *raw.laterJobs != "", "`later_jobs` must not be empty")
	raw.checkMoney()
	require(haveNamesApart(raw.jobs, func(job *plannedJob) string { return job.name }),
		"two jobs have the same `name`")
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
	require(raw.epochS > 0, "`epoch_s` must be at least 1")
	require(len(raw.pools) > 0 && len(raw.epochs) > 0, "`pools` and `epochs` must not be empty")
	require(len(raw.epochs) <= mostEpochs, "`epochs` must have at most 2^14 entries")
	require(raw.startUnixS >= 0 && raw.startUnixS <= latestUnixS &&
		raw.epochS <= (latestUnixS-raw.startUnixS)/int64(len(raw.epochs)),
		"`start_unix_s` and the end of the last epoch must be in the years 1970 to 9999")
}

func (raw *rawPlan) checkPools() {
	servers := int64(0)
	for _, pool := range raw.pools {
		require(pool.Name != "", "`name` of a pool must not be empty")
		require(0 < pool.Servers && pool.Servers <= mostServers,
			"`servers` of a pool must be 1 to 2^20")
		require(0 <= pool.AsleepMw && pool.AsleepMw <= pool.BusyMw && pool.BusyMw > 0,
			"`busy_mw` of a pool must be at least 1, and `asleep_mw` 0 to `busy_mw`")
		require(pool.MigrationMj >= 0, "`migration_mj` of a pool must not be negative")
		require(pool.Racks == nil || *pool.Racks > 0 && pool.Servers%*pool.Racks == 0,
			"`servers` of a pool must be a multiple of `racks`, which must be at least 1")
		require((pool.Racks == nil) == (raw.pools[0].Racks == nil),
			"`racks` must be present in every pool or in none")
		servers += pool.Servers
	}
	require(servers <= mostServers, "`pools` must have at most 2^20 servers in total")
	require(haveNamesApart(raw.pools, func(pool *Pool) string { return pool.Name }),
		"two pools have the same `name`")
}

func (raw *rawPlan) checkEpochs() {
	hasBuses := raw.epochs[0].FirstGreenPool != nil
	for _, epoch := range raw.epochs {
		require(min(epoch.GreenMw, epoch.BrownMgPerKwh) >= 0,
			"`green_mw` and `brown_mg_per_kwh` must not be negative")
		require(epoch.BrownUdollarsPerKwh >= 0 || raw.gridMw != nil,
			"`brown_udollars_per_kwh` is negative only with `grid_mw`")
		first := epoch.FirstGreenPool
		require((first != nil) == hasBuses,
			"`first_green_pool` must be present in every epoch or in none")
		require(first == nil || 0 <= *first && *first <= int64(len(raw.pools)),
			"`first_green_pool` must be 0 to the number of pools")
	}
}

// checkGrid divides, since a product may not fit into 64 bits.
func (raw *rawPlan) checkGrid() {
	if raw.gridMw == nil {
		return
	}
	left := *raw.gridMw
	for _, pool := range raw.pools {
		require(pool.BusyMw <= left/pool.Servers, "`grid_mw` must be at least the power of all servers")
		left -= pool.Servers * pool.BusyMw
	}
}

func (raw *rawPlan) checkMoney() {
	require(len(raw.prices) == len(raw.pools),
		"`prices` must have an entry for each pool, with a price for each epoch")
	var amounts []int64
	for _, prices := range raw.prices {
		require(len(prices) == len(raw.epochs),
			"`prices` must have an entry for each pool, with a price for each epoch")
		amounts = append(amounts, prices...)
	}
	require((raw.terms != nil) != (raw.malleable != nil),
		"exactly one of `terms` and `malleable` must be present")
	if terms := raw.terms; terms != nil {
		amounts = append(amounts, terms.GreenUdollars, terms.BrownUdollars, terms.PenaltyUdollars)
	}
	least, most := slices.Min(amounts), slices.Max(amounts)
	require(0 <= least && most <= largestUdollars,
		"amounts of `prices` and `terms` must be 0 to 2^28")
	slots := int64(0)
	for _, pool := range raw.pools {
		slots += pool.Servers * int64(len(raw.epochs))
	}
	require(slots*most <= largestWhole,
		"servers times epochs times the largest price must be below 2^53")
	if raw.malleable != nil {
		delayUdollars := raw.malleable.DelayUdollars
		require(0 <= delayUdollars && delayUdollars <= largestUdollars,
			"`delay_udollars` must be 0 to 2^28")
		require(raw.malleable.SlowdownPpm >= ppm, "`slowdown_ppm` must be at least 1,000,000")
	}
}

func (raw *rawPlan) checkJob(job *plannedJob) {
	require(job.name != "" && len(job.spans) > 0, "`name` and `spans` of a job must not be empty")
	raw.checkSpans(job)
	slots := int64(0)
	for _, span := range job.spans {
		slots += span.Servers * span.Epochs
	}
	require(0 <= job.greenSlots && job.greenSlots <= slots,
		"`green_slots` must be 0 to the number of server-epochs of the job")
	require(raw.terms != nil || job.greenSlots == 0, "`green_slots` of malleable jobs must be 0")
}

func (raw *rawPlan) checkSpans(job *plannedJob) {
	pools, epochs := int64(len(raw.pools)), int64(len(raw.epochs))
	ends := make([]int64, pools)
	for _, span := range job.spans {
		require(0 <= span.Pool && span.Pool < pools && span.FirstEpoch >= 0 &&
			span.Epochs > 0 && span.Servers > 0,
			"a span needs an existing `pool`, `first_epoch` >= 0, `epochs` > 0 and `servers` > 0")
		require(span.Epochs <= epochs && span.FirstEpoch <= epochs-span.Epochs,
			"a span must end within the plan")
		require(span.Servers <= raw.pools[span.Pool].Servers,
			"`servers` of a span must be at most those of its pool")
		require(span.FirstEpoch >= ends[span.Pool], "spans of a job in one pool must not overlap")
		ends[span.Pool] = span.FirstEpoch + span.Epochs
	}
	require(slices.IsSortedFunc(job.spans, compareSpans),
		"`spans` must be in order of `first_epoch`, then of `pool`")
}

// compareSpans orders by first epoch, then by pool.
func compareSpans(one, other Span) int {
	if one.FirstEpoch != other.FirstEpoch {
		return cmp.Compare(one.FirstEpoch, other.FirstEpoch)
	}
	return cmp.Compare(one.Pool, other.Pool)
}
