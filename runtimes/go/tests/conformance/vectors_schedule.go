package main

import (
	"fmt"
	"strings"

	"github.com/tailc/tailc/runtimes/go"
)

// schedules checks the events of a server and the decisions of its schedule.
func schedules(path string) (check, error) {
	policy, err := tailc.Open(path)
	if err != nil {
		return nil, err
	}
	schedule, err := tailc.NewSchedule(policy, 0)
	if err != nil {
		return nil, err
	}
	requests := map[int64]*tailc.Request{}
	return func(row row) (string, error) {
		nowNs, number := row.whole("now_ns"), row.whole("request")
		got := wakeBefore(schedule, nowNs)
		event, workPpm := row["event"], int64(1_000_000)
		switch event {
		case "exit":
			schedule.Exit(requests[number], nowNs)
		case "wake":
			schedule.Wake(nowNs)
		default:
			request, err := schedule.Arrive(nowNs, row["request_class"])
			if err != nil {
				return "", err
			}
			event = "refuse"
			if request != nil {
				event, workPpm, requests[number] = "arrive", request.WorkPpm(), request
			}
		}
		got = append(got, taken(schedule, nowNs)...)
		text := fmt.Sprintf("%s,%d,%s", event, workPpm, strings.Join(got, ";"))
		return difference(text, row["event"]+","+row["work_ppm"]+","+row["decisions"]), nil
	}, nil
}

func wakeBefore(schedule *tailc.Schedule, nowNs int64) []string {
	var made []string
	for {
		dueNs, isSet := schedule.DueNs()
		if !isSet || dueNs >= nowNs {
			return made
		}
		schedule.Wake(dueNs)
		made = append(made, taken(schedule, dueNs)...)
	}
}

func taken(schedule *tailc.Schedule, nowNs int64) []string {
	var made []string
	for _, one := range schedule.Decisions {
		text := fmt.Sprintf("%d %s %d %d %d", nowNs, one.Kind, one.Request.Number(), one.Rung,
			bit(one.IsBoosted))
		if one.Core >= 0 {
			text += fmt.Sprintf(" %d", one.Core)
		}
		made = append(made, text)
	}
	schedule.Decisions = schedule.Decisions[:0]
	return made
}
