package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tailc/tailc/runtimes/go"
)

func levels(path string) (check, error) {
	policy, err := tailc.Open(path)
	if err != nil {
		return nil, err
	}
	table, err := policy.TailTable()
	if err != nil {
		return nil, err
	}
	return func(row row) (string, error) {
		level, err := table.LevelScaled(row.wholes("ages_ns"), row.whole("elapsed_cycles"),
			row.whole("elapsed_memory_ns"), row.whole("output_ppm"))
		got := fmt.Sprint(level, " ", table.FrequenciesKhz()[level])
		return difference(got, row["level"]+" "+row["frequency_khz"]), err
	}, nil
}

func budgets(path string) (check, error) {
	policy, err := tailc.Open(path)
	if err != nil {
		return nil, err
	}
	table, err := policy.BudgetTable()
	return func(row row) (string, error) {
		got := table.Lookup(row.whole("decoding"), row.whole("waiting_tokens"))
		wanted := row["budget"] + " " + row["new_sequences"]
		return difference(fmt.Sprint(got.Tokens, " ", got.NewSequences), wanted), nil
	}, err
}

// steps begins anew at each step 0, as a runtime that opens the policy.
func steps(path string) (check, error) {
	var policy *tailc.Policy
	return func(row row) (string, error) {
		var err error
		if row["step"] == "0" {
			policy, err = tailc.Open(path)
		} else {
			_, err = policy.Controller().Step(row.whole("measured_us"), row.whole("rate_mrps"))
		}
		if err != nil {
			return "", err
		}
		decided, column, err := decidedOf(policy, row)
		controller := policy.Controller()
		got := fmt.Sprint(controller.Output(), " ", controller.OutputPpm(), " ", decided)
		return difference(got, row["output"]+" "+row["output_ppm"]+" "+row[column]), err
	}, nil
}

// decidedOf is what look-ups say under the controller, and the column that it must be.
func decidedOf(policy *tailc.Policy, row row) (decided, column string, err error) {
	if _, isLadder := row["climbs"]; isLadder {
		ladder, err := policy.Ladder()
		if err != nil {
			return "", "", err
		}
		decided, err := climbsOf(ladder, row)
		return decided, "climbs", err
	}
	table, err := policy.TailTable()
	if err != nil {
		return "", "", err
	}
	level, err := table.Level(row.wholes("ages_ns"), 0, 0)
	return strconv.Itoa(level), "level", err
}

// climbsOf are those of the climbs in a row that look-ups show.
func climbsOf(ladder *tailc.Ladder, row row) (string, error) {
	var found []string
	before := int64(-1)
	for _, climb := range strings.Fields(row["climbs"]) {
		ageText, rungText, _ := strings.Cut(climb, ":")
		ageUs, rung := wholeOf(ageText), wholeOf(rungText)
		isNew := ageUs == 0
		if !isNew {
			earlier, err := ladder.Lookup(row.whole("load"), 0, ageUs-1)
			if err != nil {
				return "", err
			}
			isNew = int64(earlier.Rung) == before
		}
		now, err := ladder.Lookup(row.whole("load"), 0, ageUs)
		if err != nil {
			return "", err
		}
		if isNew && int64(now.Rung) == rung {
			found = append(found, climb)
		}
		before = rung
	}
	return strings.Join(found, " "), nil
}

func ticks(path string) (check, error) {
	var shares *tailc.Shares
	return func(row row) (string, error) {
		var err error
		if row["tick"] == "0" {
			var policy *tailc.Policy
			if policy, err = tailc.Open(path); err == nil {
				shares, err = policy.Shares()
			}
		} else if waiting := row.wholes("waiting"); len(waiting) > 0 {
			_, err = shares.TickWaiting(row.doubles("throughput"), waiting)
		} else {
			_, err = shares.Tick(row.doubles("throughput"))
		}
		if err != nil {
			return "", err
		}
		return sharesDifference(shares, row), nil
	}, nil
}

// sharesDifference is the first column of a row that differs, doubles bit for bit.
func sharesDifference(shares *tailc.Shares, row row) string {
	var a, b, believedA, believedB []float64
	var shortSteps, capPpm, cannotMeet []int64
	for _, isNamed := range shares.CannotMeet() {
		named := int64(0)
		if isNamed {
			named = 1
		}
		cannotMeet = append(cannotMeet, named)
	}
	for _, one := range shares.Served() {
		a, b = append(a, one.A), append(b, one.B)
		believedA, believedB = append(believedA, one.BelievedA), append(believedB, one.BelievedB)
		shortSteps, capPpm = append(shortSteps, one.ShortSteps), append(capPpm, one.CapPpm)
	}
	switch {
	case !slices.Equal(shares.GrantedPpm(), row.wholes("granted_ppm")):
		return "granted_ppm"
	case !areSame(a, row.doubles("a")):
		return "a"
	case !areSame(b, row.doubles("b")):
		return "b"
	case !areSame(believedA, row.doubles("believed_a")):
		return "believed_a"
	case !areSame(believedB, row.doubles("believed_b")):
		return "believed_b"
	case !slices.Equal(shortSteps, row.wholes("short_steps")):
		return "short_steps"
	case !slices.Equal(capPpm, row.wholes("cap_ppm")):
		return "cap_ppm"
	case !slices.Equal(cannotMeet, row.wholes("cannot_meet")):
		return "cannot_meet"
	}
	return ""
}

func areSame(got, wanted []float64) bool {
	return slices.EqualFunc(got, wanted, func(one, other float64) bool {
		return math.Float64bits(one) == math.Float64bits(other)
	})
}
