package tailc_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tailc/tailc/runtimes/go"
)

func TestEveryNthDemandIsWrittenWithItsWeight(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demand.csv")
	for run := 0; run < 2; run++ {
		log, err := tailc.OpenDemandLog(path, 3)
		if err != nil {
			t.Fatal(err)
		}
		for demandUs := int64(1); demandUs <= 7; demandUs++ {
			expect(t, log.Record(demandUs) == nil, "a demand is recorded")
		}
		expect(t, log.Close() == nil, "the log is closed")
	}
	wanted := "demand_us,weight\n3,3\n6,3\n3,3\n6,3\n"
	expect(t, string(bytesOfFile(t, path)) == wanted, "a log goes on, and has one header")
}

func TestADemandBelowAMicrosecondCountsAsOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demand.csv")
	log, err := tailc.OpenDemandLog(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	for demandUs := int64(0); demandUs <= 2; demandUs++ {
		expect(t, log.Record(demandUs) == nil, "a demand is recorded")
	}
	expect(t, log.Close() == nil, "the log is closed")
	wanted := "demand_us,weight\n1,1\n1,1\n2,1\n"
	expect(t, string(bytesOfFile(t, path)) == wanted, "none is below 1")
}

func TestClassesStandBesideTheirDemands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demand.csv")
	log, err := tailc.OpenClassDemandLog(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, log.RecordClass(12, `a "short", one`) == nil, "a class may be any text")
	expect(t, errors.Is(log.Record(12), tailc.ErrArgument), "a demand has a class here")
	expect(t, log.Flush() == nil, "the file is written before the log is closed")
	wanted := "demand_us,weight,class\n12,1,\"a \"\"short\"\", one\"\n"
	expect(t, string(bytesOfFile(t, path)) == wanted, "a class is quoted as CSV does")
	expect(t, log.Close() == nil, "the log is closed")
}

func TestWhatIsNoLogOfDemandsIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demand.csv")
	for _, text := range []string{"demand_ms,weight\n", "demand_us,weight,class\n", "demand_us,weight\n7", "x"} {
		write(t, path, []byte(text))
		_, err := tailc.OpenDemandLog(path, 1)
		expect(t, errors.Is(err, tailc.ErrArgument), "no log goes on from "+text)
		expect(t, string(bytesOfFile(t, path)) == text, "it stays as it was")
	}
	_, err := tailc.OpenDemandLog(path, 0)
	expect(t, errors.Is(err, tailc.ErrArgument), "one of none cannot be written")
	_, err = tailc.OpenDemandLog(vectors, 1)
	expect(t, err != nil, "a folder is no file")
}

func TestALogThatIsFullIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demand.csv")
	log, err := tailc.OpenDemandLog(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	for demandUs := int64(0); demandUs < 20_000; demandUs++ {
		log.Record(demandUs)
	}
	written := bytesOfFile(t, path)
	expect(t, len(written) > 60_000, "much of it is in the file before it is closed")
	expect(t, written[len(written)-1] == '\n', "in whole lines")
	log.Close()
	expect(t, strings.Count(string(bytesOfFile(t, path)), "\n") == 20_001, "and then all of it")
}

func TestGoroutinesRecordAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demand.csv")
	log, err := tailc.OpenDemandLog(path, 4)
	if err != nil {
		t.Fatal(err)
	}
	var servers sync.WaitGroup
	for n := 0; n < 8; n++ {
		servers.Add(1)
		go func() {
			defer servers.Done()
			for i := 0; i < 1_000; i++ {
				log.Record(42)
			}
		}()
	}
	servers.Wait()
	log.Close()
	wanted := "demand_us,weight\n" + strings.Repeat("42,4\n", 2_000)
	expect(t, string(bytesOfFile(t, path)) == wanted, "one of four of each 8,000")
}

func TestADiskThatIsFullIsTold(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no device that is always full here")
	}
	log, err := tailc.OpenDemandLog("/dev/full", 1)
	expect(t, err != nil && log == nil, "not even the header can be written")
}

func TestARequestThatIsNotWrittenCostsNoAllocation(t *testing.T) {
	log, err := tailc.OpenDemandLog(filepath.Join(t.TempDir(), "demand.csv"), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	allocations := testing.AllocsPerRun(1_000, func() { log.Record(42) })
	expect(t, allocations == 0, "most requests are only counted")
}
