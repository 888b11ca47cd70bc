package tailc_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/tailc/tailc/runtimes/go"
)

func tableOf(t testing.TB, name string) *tailc.TailTable {
	t.Helper()
	table, err := open(t, name).TailTable()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func sharesOf(t testing.TB, name string) *tailc.Shares {
	t.Helper()
	shares, err := open(t, name).Shares()
	if err != nil {
		t.Fatal(err)
	}
	return shares
}

func planOf(t testing.TB, name string) (*tailc.Plan, *tailc.Counters) {
	t.Helper()
	policy := open(t, name)
	plan, err := policy.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return plan, policy.Counters()
}

func TestFrequencyLookupsAllocateNothing(t *testing.T) {
	table := tableOf(t, "tails-trim")
	agesNs := []int64{350_000, 120_000}
	allocations := testing.AllocsPerRun(1_000, func() { table.FrequencyKhz(agesNs, 95_000, 12_000) })
	expect(t, allocations == 0, "a frequency is looked up without garbage")
}

func TestABudgetIsLookedUpWithoutGarbage(t *testing.T) {
	table, err := open(t, "budgets").BudgetTable()
	if err != nil {
		t.Fatal(err)
	}
	expect(t, table.Lookup(-1, -1) == table.Lookup(0, 0), "negative numbers count as 0")
	expect(t, table.Lookup(17, 5_000) == tailc.Budget{768, 2}, "rows decode, columns wait")
	limits := [...]int64{table.KvBlocks(), table.BlockTokens(), table.MaxSequences()}
	expect(t, limits == [...]int64{6_007, 16, 64}, "a table has the limits of its engine")
	expect(t, testing.AllocsPerRun(1_000, func() { table.Lookup(17, 5_000) }) == 0, "no garbage")
}

func TestACoreIsAskedWhileItHasRequests(t *testing.T) {
	table := tableOf(t, "tails")
	for _, agesNs := range [][]int64{nil, {5, -1}} {
		_, err := table.FrequencyKhz(agesNs, 0, 0)
		expect(t, errors.Is(err, tailc.ErrArgument), "a core has requests, which have arrived")
	}
	_, err := table.LevelScaled([]int64{0}, 0, 0, 2_000_001)
	expect(t, errors.Is(err, tailc.ErrArgument), "a scale is 2 at most")
}

func TestALongQueueRunsAtTheLastLevelAndIsCounted(t *testing.T) {
	policy := open(t, "tails")
	table, _ := policy.TailTable()
	level, err := table.Level(make([]int64, table.Positions()+1), 0, 0)
	expect(t, err == nil && level == len(table.FrequenciesKhz())-1, "the last level is for it")
	expect(t, policy.Counters().Outside() == 1, "it was not compiled for")
}

func TestWorkThatIsNotMeasuredChangesNothing(t *testing.T) {
	shares := sharesOf(t, "shares")
	before := append([]int64(nil), shares.GrantedPpm()...)
	for _, throughput := range [][]float64{{1}, {1, -1}, {1, math.NaN()}} {
		_, err := shares.Tick(throughput)
		expect(t, errors.Is(err, tailc.ErrArgument), "each machine served is measured")
	}
	expect(t, reflect.DeepEqual(before, shares.GrantedPpm()), "shares stay")
}

func TestATickAllocatesNothingOnceTheWindowIsFull(t *testing.T) {
	shares := sharesOf(t, "shares")
	tick := func() { shares.Tick([]float64{27.5, 12.5}) }
	for n := int64(0); n < shares.StepUs()/shares.EstimateUs(); n++ {
		tick()
	}
	expect(t, testing.AllocsPerRun(1_000, tick) == 0, "a tick leaves no garbage")
}

func TestAMachineFarBelowItsTargetCannotMeetIt(t *testing.T) {
	shares := sharesOf(t, "shares")
	for n := 0; n < 1_000; n++ {
		shares.Tick([]float64{0, 0})
	}
	expect(t, reflect.DeepEqual(shares.CannotMeet(), []bool{true, true}), "it is told")
}

func TestNumbersThatAreNoJobAreErrors(t *testing.T) {
	plan, _ := planOf(t, "plan")
	for _, job := range [][4]int64{{0, 0, 1, 0}, {-1, 1, 1, 0}, {0, 1, 1<<20 + 1, 0}, {0, 1, 1, -1}} {
		_, err := plan.Quote(job[0], job[1], job[2], job[3])
		expect(t, errors.Is(err, tailc.ErrArgument), "a job has epochs and servers")
	}
	expect(t, errors.Is(plan.Release("nobody", 0), tailc.ErrArgument), "a job that ends has places")
	_, err := plan.Admit("", 0, 1, 1, 0)
	expect(t, errors.Is(err, tailc.ErrArgument), "a job has a name")
	_, _, err = plan.CheapestWidth(0, map[int64]int64{1: 1})
	expect(t, errors.Is(err, tailc.ErrArgument), "rigid jobs have one width")
	malleable, _ := planOf(t, "plan-cluster")
	_, err = malleable.Quote(0, 1, 1, 0)
	expect(t, errors.Is(err, tailc.ErrArgument), "malleable ones are not quoted")
}

func TestAJobThatIsReleasedGivesAllOfItBack(t *testing.T) {
	plan, _ := planOf(t, "plan-cluster")
	before := append([]int64(nil), plan.Free(3)...)
	places, err := plan.Take("new", 3, 2, 4)
	expect(t, err == nil && places != nil, "there is room")
	expect(t, !reflect.DeepEqual(before, plan.Free(3)), "which it takes")
	places[0].Servers = 1_000_000
	expect(t, plan.Release("new", 0) == nil, "it ends")
	expect(t, reflect.DeepEqual(before, plan.Free(3)), "and its servers are free")
	_, isTold := plan.Allocation("new", plan.StartUnixS())
	expect(t, !isTold, "the plan has no such job")
}

func TestMomentsOutsideThePlanAreCounted(t *testing.T) {
	plan, counters := planOf(t, "plan")
	_, isInside := plan.EpochAt(0)
	expect(t, !isInside && counters.Outside() == 1, "1970 is before it")
}
