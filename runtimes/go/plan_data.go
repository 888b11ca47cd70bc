package tailc

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/tailc/tailc/runtimes/go/internal/flat"
)

// A Pool is a group of servers without preference among them; Racks may be absent.
type Pool struct {
	Name                                   string
	Servers, BusyMw, AsleepMw, MigrationMj int64
	Racks                                  *int64
}

// An Epoch is what it is expected to bring; without FirstGreenPool there is one bus, without
// BatteryMj, which is below 0 where it gives, no battery.
type Epoch struct {
	GreenMw, BrownUdollarsPerKwh, BrownMgPerKwh int64
	FirstGreenPool, BatteryMj                   *int64
}

// A Span is so many servers of a pool, from an epoch on, for so many epochs.
type Span struct{ Pool, FirstEpoch, Epochs, Servers int64 }

// Terms are what a server-epoch that was promised to be green pays, and another, and what goes back.
type Terms struct{ GreenUdollars, BrownUdollars, PenaltyUdollars int64 }

// Malleable is what an epoch more until a job is done costs, and how much longer it may take.
type Malleable struct{ DelayUdollars, SlowdownPpm int64 }

// A Battery stores green energy that is left.
type Battery struct{ CapacityMj, ChargeMw, DischargeMw, KeptPpm, FirstMj int64 }

// rawPlan is a plan before it is checked for meaning; just one of terms and malleable is there, and
// prices are by pool, then by epoch.
type rawPlan struct {
	startUnixS, epochS, violationsPpm int64
	pools                             []Pool
	epochs                            []Epoch
	jobs                              []plannedJob
	prices                            [][]int64
	terms                             *Terms
	malleable                         *Malleable
	battery                           *Battery
	gridMw                            *int64
	laterJobs                         *string
}

type plannedJob struct {
	name       string
	spans      []Span
	greenSlots int64
}

func readPlan(table flatbuffers.Table) rawForm {
	var form flat.Plan
	form.Init(table.Bytes, table.Pos)
	raw := &rawPlan{
		startUnixS: form.StartUnixS(), epochS: form.EpochS(), violationsPpm: form.ViolationsPpm(),
		pools: readPools(&form), epochs: readEpochs(&form), jobs: readJobs(&form),
		prices: readPrices(&form),
	}
	if terms := form.Terms(nil); terms != nil {
		raw.terms = &Terms{terms.GreenUdollars(), terms.BrownUdollars(), terms.PenaltyUdollars()}
	}
	if malleable := form.Malleable(nil); malleable != nil {
		raw.malleable = &Malleable{malleable.DelayUdollars(), malleable.SlowdownPpm()}
	}
	if battery := form.Battery(nil); battery != nil {
		raw.battery = &Battery{
			battery.CapacityMj(), battery.ChargeMw(), battery.DischargeMw(),
			battery.KeptPpm(), battery.FirstMj(),
		}
	}
	raw.gridMw = form.GridMw()
	if rule := form.LaterJobs(); rule != nil {
		name := string(rule)
		raw.laterJobs = &name
	}
	return raw
}

func readPools(form *flat.Plan) []Pool {
	var pool flat.Pool
	return list(form.PoolsLength(), func(i int) Pool {
		form.Pools(&pool, i)
		return Pool{
			string(pool.Name()), pool.Servers(), pool.BusyMw(), pool.AsleepMw(),
			pool.MigrationMj(), pool.Racks(),
		}
	})
}

func readEpochs(form *flat.Plan) []Epoch {
	var epoch flat.Epoch
	return list(form.EpochsLength(), func(i int) Epoch {
		form.Epochs(&epoch, i)
		return Epoch{
			epoch.GreenMw(), epoch.BrownUdollarsPerKwh(), epoch.BrownMgPerKwh(),
			epoch.FirstGreenPool(), epoch.BatteryMj(),
		}
	})
}

func readJobs(form *flat.Plan) []plannedJob {
	var job flat.PlannedJob
	var span flat.Span
	return list(form.JobsLength(), func(i int) plannedJob {
		form.Jobs(&job, i)
		spans := list(job.SpansLength(), func(i int) Span {
			job.Spans(&span, i)
			return Span{span.Pool(), span.FirstEpoch(), span.Epochs(), span.Servers()}
		})
		return plannedJob{string(job.Name()), spans, job.GreenSlots()}
	})
}

func readPrices(form *flat.Plan) [][]int64 {
	var prices flat.PoolPrices
	return list(form.PricesLength(), func(i int) []int64 {
		form.Prices(&prices, i)
		return list(prices.UdollarsLength(), prices.Udollars)
	})
}
