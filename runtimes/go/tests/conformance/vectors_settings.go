package main

import (
	"fmt"
	"strings"

	"github.com/tailc/tailc/runtimes/go"
)

func settings(path string) (check, error) {
	policy, err := tailc.Open(path)
	if err != nil {
		return nil, err
	}
	return func(row row) (string, error) {
		ladder, err := ladderOf(policy, row["request_class"])
		if err != nil {
			return "", err
		}
		got := settingText(&ladder.Settings()[row.whole("rung")])
		wanted := []string{row["speed_ppm"], row["cost_ppm"], row["move_us"], row["threads"],
			row["frequency_khz"], row["core_type"], row["lane"], row["one_thread_ppm"]}
		return difference(got, strings.Join(wanted, ",")), nil
	}, nil
}

func settingText(rung *tailc.RungSetting) string {
	costs := strings.Trim(fmt.Sprint(rung.CostPpm), "[]")
	return strings.Join([]string{fmt.Sprint(rung.SpeedPpm), costs, optional(rung.MoveUs),
		optional(rung.Threads), optional(rung.FrequencyKhz), optional(rung.CoreType),
		optional(rung.Lane), optional(rung.OneThreadPpm)}, ",")
}

// optional is empty for a setting that is absent.
func optional[T any](value *T) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(*value)
}

// settingNumbers are folded with each answer.
func settingNumbers(rung *tailc.RungSetting) []uint64 {
	numbers := []uint64{uint64(rung.SpeedPpm), number(rung.Threads), number(rung.FrequencyKhz), 0, 0,
		number(rung.OneThreadPpm)}
	if rung.CoreType != nil {
		numbers[3] = uint64(len(*rung.CoreType))
	}
	if rung.Lane != nil {
		numbers[4] = uint64(*rung.Lane)
	}
	return numbers
}

func number(value *int64) uint64 {
	if value == nil {
		return 0
	}
	return uint64(*value)
}
