package tailc

import "github.com/tailc/tailc/runtimes/go/internal/flat"

// A Lane says whether a request shares its cores with batch work.
type Lane uint8

const (
	SharedLane = Lane(flat.LaneSHARED) // it shares them
	AloneLane  = Lane(flat.LaneALONE)  // it has them alone
)

func (lane Lane) String() string { return [...]string{"unknown", "shared", "alone"}[lane%3] }

// A RungSetting is what a rung is: its speed, its costs by cost unit, and what a server sets for a
// request on it. What is nil is not determined by the rung.
type RungSetting struct {
	Name         string
	SpeedPpm     int64
	CostPpm      []int64
	MoveUs       *int64
	Threads      *int64
	FrequencyKhz *int64
	CoreType     *string
	Lane         *Lane
	OneThreadPpm *int64 // speed of one thread with the other settings
}

func readSettings(form *flat.Ladder) []RungSetting {
	var rung flat.Rung
	return list(form.RungsLength(), func(i int) RungSetting {
		form.Rungs(&rung, i)
		setting := RungSetting{
			Name: string(rung.Name()), SpeedPpm: rung.SpeedPpm(),
			CostPpm: list(rung.CostPpmLength(), rung.CostPpm), MoveUs: rung.MoveUs(),
			Threads: rung.Threads(), FrequencyKhz: rung.FrequencyKhz(),
			OneThreadPpm: rung.OneThreadPpm(),
		}
		if coreType := rung.CoreType(); coreType != nil {
			text := string(coreType)
			setting.CoreType = &text
		}
		if number := rung.Lane(); number != nil {
			lane := Lane(*number)
			setting.Lane = &lane
		}
		return setting
	})
}

func (setting *RungSetting) check() {
	require(setting.SpeedPpm > 0, "`speed_ppm` of a rung must be at least 1")
	for _, cost := range setting.CostPpm {
		require(cost >= 0, "`cost_ppm` of a rung must not be negative")
	}
	require(isPositive(setting.MoveUs), "`move_us` must be absent or at least 1")
	require(isPositive(setting.Threads), "`threads` must be absent or at least 1")
	require(isPositive(setting.FrequencyKhz), "`frequency_khz` must be absent or at least 1")
	require(isPositive(setting.OneThreadPpm), "`one_thread_ppm` must be absent or at least 1")
	hasType := setting.CoreType == nil || *setting.CoreType != ""
	require(hasType, "`core_type` must be absent or not empty")
	isLane := setting.Lane == nil || *setting.Lane == SharedLane || *setting.Lane == AloneLane
	require(isLane, "unknown value of `lane`")
}

// isPositive holds for an absent number, too.
func isPositive(number *int64) bool { return number == nil || *number > 0 }
