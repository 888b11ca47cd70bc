package tailc_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tailc/tailc/runtimes/go"
)

func statePaths(t *testing.T, pattern string) []string {
	paths, err := filepath.Glob(filepath.Join(vectors, "states", pattern))
	expect(t, err == nil && len(paths) > 2, "there are vectors of states")
	return paths
}

func TestAStateIsWrittenAsItWasRead(t *testing.T) {
	for _, path := range statePaths(t, "*.tailc") {
		state, err := tailc.OpenState(path)
		expect(t, err == nil, path+" is a state")
		written := filepath.Join(t.TempDir(), "state.tailc")
		expect(t, state.Write(written) == nil, path+" is written")
		before, _ := os.ReadFile(path)
		after, _ := os.ReadFile(written)
		expect(t, bytes.Equal(before, after), path+" has the same bytes")
		other := filepath.Join(t.TempDir(), "other")
		expect(t, os.WriteFile(other, nil, 0o666) == nil, "a file is written")
		expect(t, modeOf(t, written) == modeOf(t, other), path+" has the permissions of a new file")
	}
}

func modeOf(t *testing.T, path string) os.FileMode {
	about, err := os.Stat(path)
	expect(t, err == nil, path+" is there")
	return about.Mode()
}

func TestAStateHasWhatItsFileSays(t *testing.T) {
	state, err := tailc.OpenState(filepath.Join(vectors, "states", "every.tailc"))
	expect(t, err == nil, "it is a state")
	machines, begun, battery := int64(6), int64(1_338_554_700), int64(3_600_000_000)
	expected := &tailc.PlanState{
		AtUnixS: 1_338_555_600, DecidedUnixS: 1_338_552_000, Servers: 12,
		Running: []tailc.BegunJob{
			{
				Name: "render/7", Servers: []int64{0, 1, 5},
				RanS:       []tailc.RanSeconds{{Servers: 2, Seconds: 900}, {Servers: 3, Seconds: 2_700}},
				GreenSlots: 4, Machines: &machines,
			},
			{
				Name: "Zürich", BegunUnixS: &begun, Servers: []int64{11},
				RanS: []tailc.RanSeconds{{Servers: 1, Seconds: 900}},
			},
		},
		Waiting: []string{"later", "last"}, Refused: []string{"wide"}, BatteryMj: &battery,
	}
	expect(t, reflect.DeepEqual(state, expected), "every member is read")
}

func TestADamagedStateIsRefusedByItsName(t *testing.T) {
	for _, path := range statePaths(t, filepath.Join("refused", "*.tailc")) {
		_, err := tailc.OpenState(path)
		refusal, isRefused := err.(*tailc.PolicyError)
		expect(t, isRefused, path+" is refused")
		name := filepath.Base(path)
		expect(t, strings.HasPrefix(name, string(refusal.Refusal)), name+" has the right word")
	}
	_, err := tailc.OpenState(filepath.Join(vectors, "plan.tailc"))
	expect(t, err != nil, "a policy is no state")
}

func TestAStateThatNoReaderAcceptsIsNotWritten(t *testing.T) {
	large, job := int64(1<<53), tailc.BegunJob{Name: "a", Servers: []int64{0}}
	slots, machines, name, ran := job, job, job, job
	ran.BegunUnixS, ran.RanS = new(int64), []tailc.RanSeconds{{Servers: 1, Seconds: 253_402_300_800}}
	slots.GreenSlots, machines.Machines, name.Name = large, &large, "\xff"
	for what, wrong := range map[string]tailc.PlanState{
		"no server":      {},
		"much energy":    {Servers: 1, BatteryMj: &large},
		"many slots":     {Servers: 1, Running: []tailc.BegunJob{slots}},
		"many machines":  {Servers: 1, Running: []tailc.BegunJob{machines}},
		"a name's bytes": {Servers: 1, Running: []tailc.BegunJob{name}},
		"long runs":      {Servers: 1, Running: []tailc.BegunJob{ran}},
		"an empty name":  {Servers: 1, Waiting: []string{""}},
	} {
		_, err := wrong.Bytes()
		expect(t, err != nil, what+" is refused")
	}
}
