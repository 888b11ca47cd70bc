package tailc

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// RequestTimes are when a request arrived and how it ran, in microseconds of the scheduler's clock.
type RequestTimes struct {
	ArrivalUs, WaitUs, RunUs int64
	ThreadUs                 int64 // for which its threads worked, in all
	GrantedUs                int64 // threads of its rungs times time
	LateUs                   int64 // by how much its ticks were late, in all
}

// A DemandLog samples the demands of requests into a CSV file, which tailc reads as a trace to compile
// from or to verify with. Any number of goroutines may record at once.
type DemandLog struct {
	oneIn    uint64
	requests atomic.Uint64

	lock       sync.Mutex // held by what follows
	file       *os.File
	lines      bytes.Buffer
	csv        *csv.Writer
	hasClasses bool
	hasTimes   bool
}

// So many bytes are written at once.
const demandBuffer = 64 << 10

var (
	demandHeader      = []string{"demand_us", "weight"}
	demandClassHeader = []string{"demand_us", "weight", "class"}
	demandTimesHeader = append(demandClassHeader[:3:3],
		"arrival_us", "wait_us", "run_us", "thread_us", "granted_us", "late_us")
)

// OpenDemandLog opens a log that writes every oneIn-th demand; an existing file with the same
// columns is continued.
func OpenDemandLog(path string, oneIn int) (*DemandLog, error) {
	return openDemandLog(path, oneIn, demandHeader)
}

// OpenClassDemandLog is OpenDemandLog with a class for each demand.
func OpenClassDemandLog(path string, oneIn int) (*DemandLog, error) {
	return openDemandLog(path, oneIn, demandClassHeader)
}

// OpenTimedDemandLog is OpenClassDemandLog with the times of each request, for a Scheduler. The class
// may be empty.
func OpenTimedDemandLog(path string, oneIn int) (*DemandLog, error) {
	return openDemandLog(path, oneIn, demandTimesHeader)
}

func openDemandLog(path string, oneIn int, header []string) (*DemandLog, error) {
	if oneIn < 1 {
		return nil, argumentError("one demand in N is written, so N must be at least 1")
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	log := &DemandLog{oneIn: uint64(oneIn), file: file, hasClasses: len(header) > 2}
	log.hasTimes = len(header) == len(demandTimesHeader)
	log.csv = csv.NewWriter(&log.lines)
	if err := log.begin(header); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return log, nil
}

// begin writes the header of an empty file; another one must begin with it, and end with a line.
func (log *DemandLog) begin(header []string) error {
	info, err := log.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return errors.Join(log.csv.Write(header), log.flush())
	}
	wanted := strings.Join(header, ",") + "\n"
	first, last := make([]byte, len(wanted)), make([]byte, 1)
	if _, err := log.file.ReadAt(first, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(first) != wanted {
		return argumentError(log.file.Name() + ": the file exists, but has other columns")
	}
	if _, err := log.file.ReadAt(last, info.Size()-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		return argumentError(log.file.Name() + ": the file exists, but its last line is incomplete")
	}
	return nil
}

// Record adds the demand of a completed request; most are only counted. Less than a microsecond
// counts as one, since a trace has no demand of 0. The error is one of the file system, or an
// ErrArgument for a negative demand or a log with classes.
func (log *DemandLog) Record(demandUs int64) error { return log.record(demandUs, nil, nil) }

// RecordClass adds the demand of a completed request of a class, in a log with classes.
func (log *DemandLog) RecordClass(demandUs int64, class string) error {
	return log.record(demandUs, &class, nil)
}

// RecordTimes adds the demand of a completed request of a class, in a log with times.
func (log *DemandLog) RecordTimes(demandUs int64, class string, times RequestTimes) error {
	return log.record(demandUs, &class, &times)
}

func (log *DemandLog) record(demandUs int64, class *string, times *RequestTimes) error {
	if demandUs < 0 || (class != nil) != log.hasClasses {
		return argumentError(
			"a demand must not be negative, and must have a class if the log has classes",
		)
	}
	if (times != nil) != log.hasTimes {
		return argumentError("a request must have times if the log has times")
	}
	if log.requests.Add(1)%log.oneIn != 0 {
		return nil
	}
	fields := [9]string{strconv.FormatInt(max(demandUs, 1), 10), strconv.FormatUint(log.oneIn, 10)}
	count := 2
	if class != nil {
		fields[2], count = *class, 3
	}
	if times != nil {
		for _, timeUs := range [...]int64{times.ArrivalUs, times.WaitUs, times.RunUs, times.ThreadUs,
			times.GrantedUs, times.LateUs} {
			fields[count] = strconv.FormatInt(timeUs, 10)
			count++
		}
	}
	log.lock.Lock()
	defer log.lock.Unlock()
	// Only a file that could not be written leaves it full: then this one is left out.
	if err := log.flushIfFull(); err != nil {
		return err
	}
	if err := log.csv.Write(fields[:count]); err != nil {
		return err
	}
	log.csv.Flush()
	return log.flushIfFull()
}

func (log *DemandLog) flushIfFull() error {
	if log.lines.Len() < demandBuffer {
		return nil
	}
	return log.flush()
}

// Flush writes what was recorded to the file.
func (log *DemandLog) Flush() error {
	log.lock.Lock()
	defer log.lock.Unlock()
	return log.flush()
}

// flush keeps demands that could not be written, for the next attempt.
func (log *DemandLog) flush() error {
	log.csv.Flush()
	_, err := log.lines.WriteTo(log.file)
	return err
}

// Close writes what was recorded, and closes the file.
func (log *DemandLog) Close() error {
	return errors.Join(log.Flush(), log.file.Close())
}
