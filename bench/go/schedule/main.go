// Times a request that starts, climbs and exits, and its look-ups alone: `schedule FILE`.
//
// Prints nanoseconds of a request, and of the look-ups that it makes, each the least of many short
// rounds in turns; and how many allocations a request makes.
package main

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/tailc/tailc/runtimes/go"
)

const rounds, requests = 3_000, 500

func nsOf(work func()) float64 {
	begun := time.Now()
	for i := 0; i < requests; i++ {
		work()
	}
	return float64(time.Since(begun).Nanoseconds()) / requests
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	policy, err := tailc.Open(os.Args[1])
	check(err)
	ladder, err := policy.Ladder()
	check(err)
	schedule, err := tailc.NewSchedule(policy, 0)
	check(err)
	quantumUs := ladder.QuantumUs()
	nowNs, sum := int64(0), int64(0)
	request := func() {
		arrived, _ := schedule.Arrive(nowNs, "")
		nowNs += quantumUs * 1_000
		schedule.Wake(nowNs)
		sum += int64(schedule.Decisions[len(schedule.Decisions)-1].Rung)
		schedule.Exit(arrived, nowNs)
		schedule.Decisions = schedule.Decisions[:0]
	}
	lookups := func() {
		for _, executedUs := range [...]int64{0, sum & 1, quantumUs} {
			answer, _ := ladder.Lookup(1, 0, executedUs)
			sum += int64(answer.Rung)
		}
	}
	requestNs, lookupsNs := math.Inf(1), math.Inf(1)
	for round := 0; round < rounds; round++ {
		requestNs, lookupsNs = min(requestNs, nsOf(request)), min(lookupsNs, nsOf(lookups))
	}
	fmt.Printf("%.1f %.1f %.2f\n", requestNs, lookupsNs, testing.AllocsPerRun(1_000, request))
}
