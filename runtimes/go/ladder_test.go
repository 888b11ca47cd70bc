package tailc_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/tailc/tailc/runtimes/go"
)

const vectors = "../../schemas/vectors/v1"

func open(t testing.TB, name string) *tailc.Policy {
	t.Helper()
	policy, err := tailc.Open(filepath.Join(vectors, name+".tailc"))
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

func ladderOf(t testing.TB, name string) *tailc.Ladder {
	t.Helper()
	ladder, err := open(t, name).Ladder()
	if err != nil {
		t.Fatal(err)
	}
	return ladder
}

func expect(t testing.TB, holds bool, claim string) {
	t.Helper()
	if !holds {
		t.Error("not so:", claim)
	}
}

// Haque et al., ASPLOS 2015, Table 2, rows 14 and 25.
func TestLookupsAreThoseOfThePublishedTable(t *testing.T) {
	ladder := ladderOf(t, "lucene")
	for _, one := range []struct {
		load, waitedUs, executedUs int64
		wanted                     tailc.Answer
	}{
		{14, 4_000, 0, tailc.Answer{Start: tailc.StartWait, WaitUs: 6_000}},
		{14, 10_000, 225_000, tailc.Answer{Start: tailc.StartNow, Rung: 3}},
		{25, 0, 0, tailc.Answer{Start: tailc.StartOnExit}},
	} {
		got, err := ladder.Lookup(one.load, one.waitedUs, one.executedUs)
		if err != nil || got != one.wanted {
			t.Errorf("%+v: got %+v, %v", one, got, err)
		}
	}
}

func TestALadderTellsWhatAServerMustKnow(t *testing.T) {
	policy, ladder := open(t, "lucene"), ladderOf(t, "lucene")
	expect(t, reflect.DeepEqual(ladder.Rungs(), []string{"d1", "d2", "d3", "d4"}), "rungs have names")
	expect(t, ladder.LoadAxis() == tailc.InSystem, "load counts requests")
	expect(t, ladder.QuantumUs() == 5_000, "a quantum is 5 ms")
	expect(t, *ladder.Boost() == tailc.Boost{Unit: 0, BelowPpm: 15_000_000}, "boosts stay below 15")
	expect(t, ladder.Cores() == nil, "threads are no cores")
	expect(t, policy.Name() == "lucene" && policy.Generation() == 1, "a policy has a name")
	expect(t, policy.Kind() == "few-to-many" && len(policy.Digest()) == 64, "and a digest")
}

func TestCoresAreTold(t *testing.T) {
	cores := ladderOf(t, "cores").Cores()
	expect(t, len(cores.Unit) == len(cores.MoveUs), "each rung has a core")
	for _, unit := range cores.Unit {
		expect(t, cores.Count[unit] > 0, "of which there are some")
	}
}

func TestArgumentsThatNoPolicyCouldAnswerAreErrors(t *testing.T) {
	ladder := ladderOf(t, "lucene")
	for _, arguments := range [][4]int64{
		{-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, -1, 0}, {0, 0, 0, -1}, {0, 0, 0, 1_000_001},
	} {
		_, err := ladder.LookupScaled(arguments[0], arguments[1], arguments[2], arguments[3])
		expect(t, errors.Is(err, tailc.ErrArgument), "no load, time or output is so")
	}
	controller := open(t, "controller").Controller()
	before := controller.OutputPpm()
	_, err := controller.Step(-1, 0)
	expect(t, errors.Is(err, tailc.ErrArgument), "no tail is negative")
	expect(t, controller.OutputPpm() == before, "a wrong step changes nothing")
}

func TestAClassHasItsOwnLadderOrTheOneForAll(t *testing.T) {
	policy := open(t, "classes")
	short, err := policy.LadderFor("short")
	class, isOfClass := short.RequestClass()
	expect(t, err == nil && isOfClass && class == "short", "a class has its own ladder")
	long, err := policy.LadderFor("long")
	_, isOfClass = long.RequestClass()
	expect(t, err == nil && !isOfClass, "other classes have the one for all")
}

func TestLoadsThatThePolicyWasNotCompiledForAreCounted(t *testing.T) {
	policy := open(t, "classes")
	ladder, _ := policy.Ladder()
	ladder.Lookup(1, 0, 0)
	expect(t, policy.Counters().Outside() == 0, "a load within the guard does not count")
	ladder.Lookup(1_000_000, 0, 0)
	expect(t, policy.Counters().Outside() == 1, "one beyond does")
	clamped := open(t, "smallest")
	ladder, _ = clamped.Ladder()
	ladder.Lookup(1_000_000, 0, 0)
	expect(t, clamped.Counters().Outside() == 0, "the last row is compiled for all larger loads")
}

func TestALookupAllocatesNothing(t *testing.T) {
	for _, name := range []string{"lucene", "controller", "rate", "extremes"} {
		ladder := ladderOf(t, name)
		load := int64(0)
		allocations := testing.AllocsPerRun(1_000, func() {
			ladder.Lookup(load, 3, 100_000)
			load += 7
		})
		expect(t, allocations == 0, "a look-up in "+name+" allocates nothing")
	}
}

// Rungs stay within what outputs of the controller can give, whenever they are read.
func TestLookupsAndStepsDoNotDisturbEachOther(t *testing.T) {
	policy := open(t, "controller")
	ladder, _ := policy.Ladder()
	var readers sync.WaitGroup
	for n := 0; n < 2; n++ {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for i := int64(0); i < 20_000; i++ {
				answer, err := ladder.Lookup(10, 0, i*17)
				if err != nil || answer.Rung >= len(ladder.Rungs()) {
					t.Errorf("got %+v, %v", answer, err)
				}
			}
		}()
	}
	for i := int64(0); i < 20_000; i++ {
		policy.Controller().Step(i*37%500_000, i%90_000)
	}
	readers.Wait()
}

func BenchmarkLookup(b *testing.B) {
	ladder := ladderOf(b, "lucene")
	sum := 0
	for i := 0; i < b.N; i++ {
		answer, _ := ladder.Lookup(int64(i&15), 0, int64(i*7919)&0x3ffff)
		sum += answer.Rung
	}
}
