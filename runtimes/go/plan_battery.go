package tailc

// Stored is the power and energy of a battery: in an epoch it charges BatteryMj, or discharges them
// if negative; StoredMj at its end.
type Stored struct{ BatteryMj, StoredMj int64 }

// servers are by epoch, then by pool.
type servers [][]int64

func newServers(epochs, pools int) servers {
	rows := make(servers, epochs)
	all := make([]int64, epochs*pools)
	for i := range rows {
		rows[i] = all[i*pools:][:pools:pools]
	}
	return rows
}

// storedByEpoch is nil where the plan has no battery. Jobs have no server twice.
func (raw *rawPlan) storedByEpoch() []Stored {
	for _, epoch := range raw.epochs {
		require((epoch.BatteryMj != nil) == (raw.battery != nil),
			"`battery_mj` must be present in every epoch with a `battery`, and otherwise in none")
	}
	if raw.battery == nil {
		return nil
	}
	raw.checkBattery()
	spareMj := raw.spareMj()
	var states []Stored
	storedMj := raw.battery.FirstMj
	for i, epoch := range raw.epochs {
		flowMj := *epoch.BatteryMj
		raw.checkFlow(flowMj, spareMj[i])
		kept := raw.battery.keptMj(flowMj)
		require(-storedMj <= kept && kept <= raw.battery.CapacityMj-storedMj,
			"`battery_mj` must leave the stored energy at 0 to `capacity_mj`")
		storedMj += kept
		states = append(states, Stored{flowMj, storedMj})
	}
	return states
}

func (raw *rawPlan) checkBattery() {
	battery := raw.battery
	require(battery.CapacityMj > 0, "`capacity_mj` must be at least 1")
	require(min(battery.ChargeMw, battery.DischargeMw) > 0,
		"`charge_mw` and `discharge_mw` must be at least 1")
	require(0 < battery.KeptPpm && battery.KeptPpm <= ppm,
		"`kept_ppm` must be 1 to 1,000,000")
	require(0 <= battery.FirstMj && battery.FirstMj <= battery.CapacityMj,
		"`first_mj` must be 0 to `capacity_mj`")
	require(raw.largestMj() <= largestWhole, "the energy of an epoch must be below 2^53 mJ")
}

// largestMj is the largest energy that an epoch may use, receive, or charge to or discharge from a
// battery.
func (raw *rawPlan) largestMj() int64 {
	drawnMj := int64(0)
	for _, pool := range raw.pools {
		busyMj := cappedProduct(pool.BusyMw, raw.epochS)
		each := cappedSum(busyMj, cappedProduct(pool.MigrationMj, 2))
		drawnMj = cappedSum(drawnMj, cappedProduct(each, pool.Servers))
	}
	mostMw := max(raw.battery.ChargeMw, raw.battery.DischargeMw)
	for _, epoch := range raw.epochs {
		mostMw = max(mostMw, epoch.GreenMw)
	}
	return max(drawnMj, cappedProduct(mostMw, raw.epochS))
}

// cappedProduct is of what is not negative, and 2^53 where it is that or more.
func cappedProduct(one, other int64) int64 {
	if other == 0 || one <= largestWhole/other {
		return one * other
	}
	return largestWhole + 1
}

func cappedSum(one, other int64) int64 {
	if one > largestWhole-min(other, largestWhole) {
		return largestWhole + 1
	}
	return one + other
}

func (raw *rawPlan) checkFlow(flowMj, spareMj int64) {
	battery := raw.battery
	require(-battery.DischargeMw*raw.epochS <= flowMj && flowMj <= battery.ChargeMw*raw.epochS,
		"`battery_mj` must be at most `charge_mw` or `discharge_mw` times `epoch_s`")
	require(min(spareMj, 0) <= flowMj && flowMj <= max(spareMj, 0),
		"`battery_mj` may only charge unused green energy or replace brown energy")
}

// keptMj is of what goes in, in two parts, since the whole product may leave 64 bits; all of what
// comes out.
func (battery *Battery) keptMj(flowMj int64) int64 {
	if flowMj <= 0 {
		return flowMj
	}
	return flowMj/ppm*battery.KeptPpm + flowMj%ppm*battery.KeptPpm/ppm
}

// spareMj is green energy minus the energy of servers, by epoch.
func (raw *rawPlan) spareMj() []int64 {
	busy := newServers(len(raw.epochs), len(raw.pools))
	moved := newServers(len(raw.epochs), len(raw.pools))
	for i := range raw.jobs {
		first, places := raw.placesOf(&raw.jobs[i])
		for n, now := range places {
			add(busy[first+n], now)
			// A job that starts or ends moves nothing; the first epoch has no epoch before it.
			if n > 0 && isAny(now) {
				add(moved[first+n], moves(places[n-1], now, raw.malleable != nil))
			}
		}
	}
	spare := make([]int64, len(raw.epochs))
	for i, epoch := range raw.epochs {
		spare[i] = epoch.GreenMw*raw.epochS - raw.drawnMj(busy[i], moved[i])
	}
	return spare
}

// placesOf are the servers of a job from its first epoch to its last.
func (raw *rawPlan) placesOf(job *plannedJob) (first int, places servers) {
	start := job.spans[0].FirstEpoch
	end := start
	for _, span := range job.spans {
		end = max(end, span.FirstEpoch+span.Epochs)
	}
	places = newServers(int(end-start), len(raw.pools))
	for _, span := range job.spans {
		for epoch := span.FirstEpoch; epoch < span.FirstEpoch+span.Epochs; epoch++ {
			places[epoch-start][span.Pool] = span.Servers
		}
	}
	return int(start), places
}

// moves are servers by pool whose work moves; for a malleable job that shrinks, the servers that it
// releases.
func moves(before, now []int64, isMalleable bool) []int64 {
	taken, given := make([]int64, len(now)), make([]int64, len(now))
	more := int64(0)
	for pool := range now {
		taken[pool] = max(0, now[pool]-before[pool])
		given[pool] = max(0, before[pool]-now[pool])
		more += given[pool] - taken[pool]
	}
	if isMalleable && more > 0 {
		return given
	}
	return taken
}

func (raw *rawPlan) drawnMj(busy, moved []int64) int64 {
	drawn := int64(0)
	for i, pool := range raw.pools {
		asleep := pool.Servers - busy[i]
		drawn += (busy[i]*pool.BusyMw + asleep*pool.AsleepMw) * raw.epochS
		drawn += moved[i] * pool.MigrationMj
	}
	return drawn
}

func add(row, more []int64) {
	for i := range row {
		row[i] += more[i]
	}
}

func isAny(row []int64) bool {
	for _, count := range row {
		if count > 0 {
			return true
		}
	}
	return false
}
