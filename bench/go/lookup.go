// One look-up in Go, and opening a policy: `lookup FILE LOADS AGE_US`.
//
// Prints nanoseconds per look-up: of independent queries, of the same queries to a policy whose file
// is watched, and of queries that each wait for the answer before. Then prints microseconds to open
// the policy from bytes, to hash them, and to open the file. Queries are drawn beforehand: loads below
// LOADS, ages below AGE_US.
package main

import (
	"crypto/sha256"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"time"

	"github.com/tailc/tailc/runtimes/go"
)

// Many short rounds: on a busy machine some are left alone.
const (
	repeats  = 400
	queries  = 16_384
	openings = 20
)

type query struct{ load, ageUs int64 }

// kept is written to after each round, so that no look-up is left out.
var kept int

func main() {
	path, loads, agesUs := os.Args[1], number(os.Args[2]), number(os.Args[3])
	policy := must(tailc.Open(path))
	ladder := must(policy.Ladder())
	asked := drawn(loads, agesUs)
	data := must(os.ReadFile(path))
	apart := leastNs(queries, func(int) {
		sum := 0
		for _, one := range asked {
			answer, _ := ladder.Lookup(one.load, 0, one.ageUs)
			sum += answer.Rung
		}
		kept = sum
	})
	watch := must(tailc.Watch(path, time.Second))
	defer watch.Stop()
	watched := leastNs(queries, func(int) {
		sum := 0
		for _, one := range asked {
			ladder, _ := watch.Current().Ladder()
			answer, _ := ladder.Lookup(one.load, 0, one.ageUs)
			sum += answer.Rung
		}
		kept = sum
	})
	chained := leastNs(queries, func(int) {
		rung := 0
		for _, one := range asked {
			// No policy has as many rungs, which the compiler does not know.
			answer, _ := ladder.Lookup(one.load, 0, one.ageUs+int64(rung>>31))
			rung = answer.Rung
		}
		kept = rung
	})
	bytesNs := leastNs(openings, func(calls int) {
		for i := 0; i < calls; i++ {
			kept = int(must(tailc.OpenBytes(data)).Generation())
		}
	})
	hashNs := leastNs(openings, func(calls int) {
		for i := 0; i < calls; i++ {
			digest := sha256.Sum256(data)
			kept = int(digest[0])
		}
	})
	fileNs := leastNs(openings, func(calls int) {
		for i := 0; i < calls; i++ {
			kept = int(must(tailc.Open(path)).Generation())
		}
	})
	fmt.Printf("%.2f %.2f %.2f ", apart, watched, chained)
	fmt.Printf("%.2f %.2f %.2f\n", bytesNs/1e3, hashNs/1e3, fileNs/1e3)
}

// leastNs is the least nanoseconds of a call of `work`, of `calls` in a row.
func leastNs(calls int, work func(calls int)) float64 {
	least := time.Duration(1 << 62)
	for repeat := 0; repeat < repeats; repeat++ {
		begun := time.Now()
		work(calls)
		least = min(least, time.Since(begun))
	}
	return float64(least.Nanoseconds()) / float64(calls)
}

func drawn(loads, agesUs int64) []query {
	random := rand.New(rand.NewSource(1))
	asked := make([]query, queries)
	for i := range asked {
		asked[i] = query{random.Int63n(loads), random.Int63n(agesUs)}
	}
	return asked
}

func number(text string) int64 { return must(strconv.ParseInt(text, 10, 64)) }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
