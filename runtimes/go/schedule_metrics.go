package tailc

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"
)

// openMetrics are the counters and gauges of a schedule and its policy, with the end mark.
func openMetrics(s *Schedule, reloadAgeNs int64) string {
	var text strings.Builder
	counts, counters := &s.Counts, s.policy.Counters()
	totals := []struct {
		name  string
		value int64
	}{
		{"requests", counts.Arrived}, {"refused", counts.Refused}, {"degraded", counts.Degraded},
		{"starts", counts.Started}, {"waits", counts.Waited}, {"climbs", counts.Climbs},
		{"descents", counts.Descents}, {"boosts", counts.Boosts}, {"give_ups", counts.GaveUp},
		{"cut_offs", counts.CutOff}, {"exits", counts.Exits}, {"reloads", counts.Reloads},
		{"refused_reloads", int64(counters.RefusedReloads())},
		{"lookups_outside", int64(counters.Outside())},
	}
	for _, total := range totals {
		fmt.Fprintf(&text, "# TYPE tailc_%s counter\ntailc_%s_total %d\n", total.name, total.name,
			total.value)
	}
	text.WriteString("# TYPE tailc_lookups counter\n")
	names := make([]string, 0, len(counts.Lookups))
	for name := range counts.Lookups {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(&text, "tailc_lookups_total{rung=\"%s\"} %d\n", escaped(name),
			counts.Lookups[name])
	}
	fmt.Fprintf(&text, "# TYPE tailc_tick_lateness_seconds summary\n"+
		"tailc_tick_lateness_seconds_count %d\ntailc_tick_lateness_seconds_sum %g\n",
		counts.Ticks, float64(counts.LateNs)/1e9)
	fmt.Fprintf(&text, "# TYPE tailc_in_system gauge\ntailc_in_system %d\n", s.inSystem)
	fmt.Fprintf(&text, "# TYPE tailc_running gauge\ntailc_running %d\n", s.running)
	fmt.Fprintf(&text, "# TYPE tailc_reload_age_seconds gauge\ntailc_reload_age_seconds %.3f\n",
		float64(reloadAgeNs)/1e9)
	if expiresS := s.policy.SignatureExpiresS(); expiresS != 0 {
		leftS := float64(expiresS) - float64(time.Now().UnixNano())/1e9
		fmt.Fprintf(&text, "# TYPE tailc_signature_days_left gauge\ntailc_signature_days_left %.3f\n",
			leftS/86_400)
	}
	fmt.Fprintf(&text, "# TYPE tailc_policy info\n"+
		"tailc_policy_info{name=\"%s\",generation=\"%d\",digest=\"%s\",last_refusal=\"%s\"} 1\n",
		escaped(s.policy.Name()), s.policy.Generation(), s.policy.Digest(),
		escaped(lastRefusal(counters)))
	text.WriteString("# EOF\n")
	return text.String()
}

func lastRefusal(counters *Counters) string {
	err := counters.LastRefusal()
	if err == nil {
		return ""
	}
	var refusal Refusal
	switch {
	case errors.As(err, &refusal):
		return string(refusal)
	case errors.Is(err, ErrSchedule):
		return "no-schedule"
	}
	return "unreadable"
}

func escaped(text string) string {
	return strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n").Replace(text)
}
