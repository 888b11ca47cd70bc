package main

import (
	"fmt"
	"strings"

	"github.com/tailc/tailc/runtimes/go"
)

// A planAnswer is the answer, three amounts and places.
type planAnswer [5]string

func only(answer string) planAnswer { return planAnswer{answer} }

func calls(path string) (check, error) {
	var plan *tailc.Plan
	sequence := ""
	return func(row row) (string, error) {
		if row["sequence"] != sequence {
			policy, err := tailc.Open(path)
			if err != nil {
				return "", err
			}
			if plan, err = policy.Plan(); err != nil {
				return "", err
			}
			sequence = row["sequence"]
		}
		got, err := answered(plan, row)
		wanted := planAnswer{
			row["answer"], row["pays_udollars"], row["worth_udollars"], row["green_slots"],
			row["places"],
		}
		return difference(strings.Join(got[:], ","), strings.Join(wanted[:], ",")), err
	}, nil
}

func about(plan *tailc.Plan) planAnswer {
	gridMw, rule := "", ""
	if plan.GridMw() != nil {
		gridMw = fmt.Sprint(*plan.GridMw())
	}
	if plan.LaterJobs() != nil {
		rule = *plan.LaterJobs()
	}
	return only(gridMw + ":" + rule)
}

func answered(plan *tailc.Plan, row row) (planAnswer, error) {
	switch row["call"] {
	case "epoch", "source", "stored", "allocation":
		return lookedUp(plan, row), nil
	case "about":
		return about(plan), nil
	case "width":
		return cheapestWidth(plan, row)
	case "release":
		return only("released"), plan.Release(row["job"], row.whole("first_epoch"))
	}
	firstEpoch, epochs, width := row.whole("first_epoch"), row.whole("epochs"), row.whole("width")
	switch row["call"] {
	case "take":
		places, err := plan.Take(row["job"], firstEpoch, epochs, width)
		if places == nil {
			return only("no-room"), err
		}
		return planAnswer{"taken", "", "", "", spansText(places)}, err
	case "admit":
		told, err := plan.Admit(row["job"], firstEpoch, epochs, width, row.whole("green_ppm"))
		return quoted(told), err
	default:
		told, err := plan.Quote(firstEpoch, epochs, width, row.whole("green_ppm"))
		return quoted(told), err
	}
}

func lookedUp(plan *tailc.Plan, row row) planAnswer {
	unixS := row.whole("unix_s")
	switch row["call"] {
	case "epoch":
		if epoch, isInside := plan.EpochAt(unixS); isInside {
			return only(fmt.Sprint(epoch))
		}
	case "source":
		if bus, isInside := plan.Source(row.whole("pool"), unixS); isInside {
			return only(bus.String())
		}
	case "stored":
		if stored, isInside := plan.Stored(unixS); isInside {
			return only(fmt.Sprintf("%d:%d", stored.BatteryMj, stored.StoredMj))
		}
	case "allocation":
		if held, isTold := plan.Allocation(row["job"], unixS); isTold {
			var places []string
			for _, one := range held {
				places = append(places, fmt.Sprintf("%d:%d", one.Pool, one.Servers))
			}
			return planAnswer{"told", "", "", "", strings.Join(places, " ")}
		}
	}
	return planAnswer{}
}

func cheapestWidth(plan *tailc.Plan, row row) (planAnswer, error) {
	epochsOf := make(map[int64]int64)
	for _, pair := range strings.Fields(row["widths"]) {
		width, epochs, _ := strings.Cut(pair, ":")
		epochsOf[wholeOf(width)] = wholeOf(epochs)
	}
	width, hasRoom, err := plan.CheapestWidth(row.whole("first_epoch"), epochsOf)
	if !hasRoom {
		return planAnswer{}, err
	}
	return only(fmt.Sprint(width)), err
}

func quoted(told tailc.Quote) planAnswer {
	answer := "refused"
	switch {
	case told.IsAdmitted():
		answer = "admitted"
	case told.Places == nil:
		answer = "no-room"
	}
	return planAnswer{
		answer, fmt.Sprint(told.PaysUdollars), fmt.Sprint(told.WorthUdollars),
		fmt.Sprint(told.GreenSlots), spansText(told.Places),
	}
}

func spansText(spans []tailc.Span) string {
	var text []string
	for _, span := range spans {
		text = append(text, fmt.Sprintf("%d:%d:%d:%d", span.FirstEpoch, span.Pool, span.Epochs, span.Servers))
	}
	return strings.Join(text, " ")
}
