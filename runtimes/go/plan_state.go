package tailc

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"unicode/utf8"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/tailc/tailc/runtimes/go/internal/flat"
)

const (
	stateIdentifier = "TLS1"
	stateVersion    = 1
	mostServersOf   = 1 << 20
)

// A PlanState is what is true at a boundary of two epochs of a plan in force; `tailc
// replan` continues from it. Jobs submitted up to DecidedUnixS have run, wait or were refused.
// BatteryMj is nil without a battery.
type PlanState struct {
	AtUnixS, DecidedUnixS, Servers int64
	Running                        []BegunJob
	Waiting, Refused               []string
	BatteryMj                      *int64
}

// A BegunJob runs. BegunUnixS is nil if its log has its start. Servers are numbers from 0, in
// ascending order; RanS is in ascending order of the number of servers; Machines, of a malleable
// job, is nil for as many as it requests.
type BegunJob struct {
	Name       string
	BegunUnixS *int64
	Servers    []int64
	RanS       []RanSeconds
	GreenSlots int64
	Machines   *int64
}

// RanSeconds is how long a job has run on a number of servers.
type RanSeconds struct{ Servers, Seconds int64 }

// OpenState reads a state that is a FlatBuffer, as `tailc advance -o NAME.tailc` writes it. The error
// is a *PolicyError, or one of the file system where the file cannot be read.
func OpenState(path string) (*PlanState, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := bytesOf(file)
	if err != nil {
		return nil, err
	}
	state, err := OpenStateBytes(data)
	return state, at(path, err)
}

// OpenStateBytes reads the state in the bytes of a file.
func OpenStateBytes(data []byte) (state *PlanState, err error) {
	defer recoverRefusal(&err)
	if len(data) > mostBytes {
		return nil, refused(BadStructure, "the file is larger than the limit for a state")
	}
	payload, err := unsealed(data)
	if err != nil {
		return nil, err
	}
	if len(payload) < 2*offsetSize || string(payload[offsetSize:2*offsetSize]) != stateIdentifier {
		broken("the FlatBuffer's identifier is not TLS1")
	}
	v := newVerifier(payload)
	v.table(v.follow(0), layouts["PlanState"])
	root := flat.GetRootAsPlanState(payload, 0)
	if root.Version() != stateVersion {
		broken("`version` of a state must be 1")
	}
	read := readState(root)
	read.check()
	return read, nil
}

// Bytes are the file of a state; the error is a *PolicyError if it contradicts itself.
func (s *PlanState) Bytes() (data []byte, err error) {
	defer recoverRefusal(&err)
	s.check()
	builder := flatbuffers.NewBuilder(1024)
	running := offsets(builder, list(len(s.Running), func(i int) flatbuffers.UOffsetT {
		return s.Running[i].write(builder)
	}))
	waiting, refused := names(builder, s.Waiting), names(builder, s.Refused)
	flat.PlanStateStart(builder)
	flat.PlanStateAddVersion(builder, stateVersion)
	flat.PlanStateAddAtUnixS(builder, s.AtUnixS)
	flat.PlanStateAddDecidedUnixS(builder, s.DecidedUnixS)
	flat.PlanStateAddServers(builder, s.Servers)
	flat.PlanStateAddRunning(builder, running)
	flat.PlanStateAddWaiting(builder, waiting)
	flat.PlanStateAddRefused(builder, refused)
	if s.BatteryMj != nil {
		flat.PlanStateAddBatteryMj(builder, *s.BatteryMj)
	}
	builder.FinishWithFileIdentifier(flat.PlanStateEnd(builder), []byte(stateIdentifier))
	payload := builder.FinishedBytes()
	digest := sha256.Sum256(payload)
	sealed := append(bytes.Clone(payload), sealMagic...)
	sealed = binary.LittleEndian.AppendUint64(sealed, uint64(len(payload)))
	return append(sealed, digest[:]...), nil
}

// Write replaces a file by that of the state, at once and whole.
func (s *PlanState) Write(path string) error {
	data, err := s.Bytes()
	if err != nil {
		return err
	}
	name := fmt.Sprintf(".%s.%x.tmp", filepath.Base(path), rand.Uint64())
	name = filepath.Join(filepath.Dir(path), name)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		os.Remove(name)
	}
	return err
}

func recoverRefusal(err *error) {
	switch thrown := recover().(type) {
	case nil:
	case *PolicyError:
		*err = thrown
	case runtime.Error:
		*err = refused(BadStructure, "internal error of the reader: "+thrown.Error())
	default:
		panic(thrown)
	}
}

func readState(root *flat.PlanState) *PlanState {
	var job flat.BegunJob
	var ran flat.RanSeconds
	return &PlanState{
		AtUnixS: root.AtUnixS(), DecidedUnixS: root.DecidedUnixS(), Servers: root.Servers(),
		Running: list(root.RunningLength(), func(i int) BegunJob {
			root.Running(&job, i)
			return BegunJob{
				Name: string(job.Name()), BegunUnixS: job.BegunUnixS(),
				Servers: list(job.ServersLength(), job.Servers),
				RanS: list(job.RanSLength(), func(i int) RanSeconds {
					job.RanS(&ran, i)
					return RanSeconds{ran.Servers(), ran.Seconds()}
				}),
				GreenSlots: job.GreenSlots(), Machines: job.Machines(),
			}
		}),
		Waiting:   list(root.WaitingLength(), func(i int) string { return string(root.Waiting(i)) }),
		Refused:   list(root.RefusedLength(), func(i int) string { return string(root.Refused(i)) }),
		BatteryMj: root.BatteryMj(),
	}
}

func (job *BegunJob) write(builder *flatbuffers.Builder) flatbuffers.UOffsetT {
	name := builder.CreateString(job.Name)
	flat.BegunJobStartServersVector(builder, len(job.Servers))
	for i := len(job.Servers) - 1; i >= 0; i-- {
		builder.PrependInt64(job.Servers[i])
	}
	servers := builder.EndVector(len(job.Servers))
	ranS := offsets(builder, list(len(job.RanS), func(i int) flatbuffers.UOffsetT {
		flat.RanSecondsStart(builder)
		flat.RanSecondsAddServers(builder, job.RanS[i].Servers)
		flat.RanSecondsAddSeconds(builder, job.RanS[i].Seconds)
		return flat.RanSecondsEnd(builder)
	}))
	flat.BegunJobStart(builder)
	flat.BegunJobAddName(builder, name)
	if job.BegunUnixS != nil {
		flat.BegunJobAddBegunUnixS(builder, *job.BegunUnixS)
	}
	flat.BegunJobAddServers(builder, servers)
	flat.BegunJobAddRanS(builder, ranS)
	flat.BegunJobAddGreenSlots(builder, job.GreenSlots)
	if job.Machines != nil {
		flat.BegunJobAddMachines(builder, *job.Machines)
	}
	return flat.BegunJobEnd(builder)
}

func names(builder *flatbuffers.Builder, texts []string) flatbuffers.UOffsetT {
	return offsets(builder, list(len(texts), func(i int) flatbuffers.UOffsetT {
		return builder.CreateString(texts[i])
	}))
}

func offsets(builder *flatbuffers.Builder, parts []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	builder.StartVector(offsetSize, len(parts), offsetSize)
	for i := len(parts) - 1; i >= 0; i-- {
		builder.PrependUOffsetT(parts[i])
	}
	return builder.EndVector(len(parts))
}

// check refuses a state that contradicts itself.
func (s *PlanState) check() {
	require(0 <= s.DecidedUnixS && s.DecidedUnixS <= s.AtUnixS && s.AtUnixS <= latestUnixS,
		"`decided_unix_s` must be 0 to `at_unix_s`, before the year 10000")
	require(0 < s.Servers && s.Servers <= mostServersOf, "`servers` must be 1 to 2^20")
	require(s.BatteryMj == nil || 0 <= *s.BatteryMj && *s.BatteryMj <= largestNumber,
		"`battery_mj` must be 0 to 2^53 - 1")
	busy, named := make(map[int64]bool), make(map[string]bool)
	for i := range s.Running {
		job := &s.Running[i]
		job.check(s)
		for _, server := range job.Servers {
			require(!busy[server], "two jobs must not have the same server")
			require(server < s.Servers, "a server of a job is not among `servers`")
			busy[server] = true
		}
		require(!named[job.Name], "a job must be named once in a state")
		named[job.Name] = true
	}
	for _, others := range [][]string{s.Waiting, s.Refused} {
		for _, name := range others {
			require(isName(name), "a name in `waiting` or `refused` must be UTF-8 and not empty")
			require(!named[name], "a job must be named once in a state")
			named[name] = true
		}
	}
}

func isName(text string) bool { return text != "" && utf8.ValidString(text) }

func (job *BegunJob) check(s *PlanState) {
	require(isName(job.Name), "`name` of a job must be UTF-8 and not empty")
	require(len(job.Servers) > 0 && job.Servers[0] >= 0 && isAscending(job.Servers),
		"`servers` of a job must be numbers from 0 in ascending order, at least one")
	counts := list(len(job.RanS), func(i int) int64 { return job.RanS[i].Servers })
	require(isAscending(counts), "`ran_s` must be in order of the number of servers")
	ranS := int64(0)
	for _, ran := range job.RanS {
		require(ran.Servers > 0 && ran.Seconds > 0,
			"`ran_s` must have at least one server and one second in each entry")
		require(ran.Seconds <= latestUnixS, "`seconds` of `ran_s` must be at most 253402300799")
		require(ran.Servers <= largestNumber, "numbers of a job must be at most 2^53 - 1")
		ranS += ran.Seconds
	}
	first := s.AtUnixS - ranS
	if job.BegunUnixS != nil {
		first = *job.BegunUnixS
	}
	require(0 <= first && first <= s.AtUnixS,
		"`begun_unix_s` and `ran_s` of a job must be before `at_unix_s`")
	require(job.GreenSlots >= 0, "`green_slots` of a job must not be negative")
	require(job.Machines == nil || *job.Machines > 0, "`machines` must be at least 1")
	isLarge := job.GreenSlots > largestNumber || job.Machines != nil && *job.Machines > largestNumber
	require(!isLarge, "numbers of a job must be at most 2^53 - 1")
}

func isAscending(numbers []int64) bool {
	for i := 1; i < len(numbers); i++ {
		if numbers[i-1] >= numbers[i] {
			return false
		}
	}
	return true
}
