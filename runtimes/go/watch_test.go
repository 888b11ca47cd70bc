package tailc_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tailc/tailc/runtimes/go"
)

// Nobody looks but the test.
const seldom = time.Hour

func bytesOf(t testing.TB, name string) []byte {
	t.Helper()
	return bytesOfFile(t, filepath.Join(vectors, name+".tailc"))
}

func bytesOfFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// swap puts data in the place of a file by a rename.
func swap(t testing.TB, path string, data []byte) {
	t.Helper()
	write(t, path+".new", data)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func watch(t testing.TB, path string, options ...tailc.Option) *tailc.Watched {
	t.Helper()
	watched, err := tailc.Watch(path, seldom, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(watched.Stop)
	return watched
}

func expectReload(t testing.TB, watched *tailc.Watched, name string) {
	t.Helper()
	isReloaded, err := watched.Check()
	if !isReloaded || err != nil || watched.Current().Name() != name {
		t.Errorf("got %v, %v, holding %s", isReloaded, err, watched.Current().Name())
	}
	isReloaded, err = watched.Check()
	expect(t, !isReloaded && err == nil, "a file that stays is not opened again")
}

func TestAFileIsSeenToChangeByRenameAndInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.tailc")
	write(t, path, bytesOf(t, "lucene"))
	watched := watch(t, path)
	swap(t, path, bytesOf(t, "classes"))
	expectReload(t, watched, "classes")
	write(t, path, bytesOf(t, "cores"))
	expectReload(t, watched, "cores")
}

// Kubernetes mounts a folder whose `..data` leads to another one from some moment on.
func TestALinkThatLeadsElsewhereIsSeen(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"lucene", "classes"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, name, "policy.tailc"), bytesOf(t, name))
	}
	path := filepath.Join(folder, "policy.tailc")
	if err := errors.Join(
		os.Symlink("lucene", filepath.Join(folder, "..data")),
		os.Symlink(filepath.Join("..data", "policy.tailc"), path),
	); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	watched := watch(t, path)
	if err := errors.Join(
		os.Symlink("classes", filepath.Join(folder, "..new")),
		os.Rename(filepath.Join(folder, "..new"), filepath.Join(folder, "..data")),
	); err != nil {
		t.Fatal(err)
	}
	expectReload(t, watched, "classes")
}

func TestAFileThatIsRefusedLeavesThePolicyInForceAndCountsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.tailc")
	whole := bytesOf(t, "lucene")
	write(t, path, whole)
	watched := watch(t, path)
	held, counters := watched.Current(), watched.Current().Counters()
	write(t, path, bytesOf(t, "classes")[:100])
	_, err := watched.Check()
	expect(t, errors.Is(err, tailc.Truncated), "half a file is refused")
	expect(t, errors.Is(counters.LastRefusal(), tailc.Truncated), "and told")
	for n := 0; n < 3; n++ {
		_, err := watched.Check()
		expect(t, err == nil && counters.RefusedReloads() == 1, "it counts once")
	}
	expect(t, watched.Current() == held, "the policy stays in force")
	write(t, path, bytesOf(t, "classes"))
	expectReload(t, watched, "classes")
	expect(t, watched.Current().Counters() == counters, "counters go on")
}

func TestAFileThatIsGoneCountsOnceAndIsReadWhenItIsBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.tailc")
	write(t, path, bytesOf(t, "lucene"))
	watched := watch(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err := watched.Check()
	expect(t, errors.Is(err, fs.ErrNotExist), "it is told")
	_, err = watched.Check()
	expect(t, err == nil && watched.Current().Counters().RefusedReloads() == 1, "once")
	write(t, path, bytesOf(t, "classes"))
	expectReload(t, watched, "classes")
}

func TestEachFileMustBeWhatWasAskedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.tailc")
	write(t, path, bytesOf(t, "signed/good"))
	watched := watch(t, path, tailc.ForService("smallest"))
	swap(t, path, bytesOf(t, "smallest"))
	_, err := watched.Check()
	expect(t, errors.Is(err, tailc.OlderGeneration), "no older generation")
	swap(t, path, bytesOf(t, "largest"))
	_, err = watched.Check()
	expect(t, errors.Is(err, tailc.OtherService), "no other service")
	expect(t, watched.Current().Generation() == 7, "the policy stays in force")
}

func TestAFileIsLookedAtInTheBackgroundUntilStop(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.tailc")
	write(t, path, bytesOf(t, "lucene"))
	watched, err := tailc.Watch(path, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	swap(t, path, bytesOf(t, "classes"))
	for n := 0; n < 5_000 && watched.Current().Name() != "classes"; n++ {
		time.Sleep(time.Millisecond)
	}
	expect(t, watched.Current().Name() == "classes", "the new policy comes into force")
	watched.Stop()
	watched.Stop()
	swap(t, path, bytesOf(t, "cores"))
	time.Sleep(5 * time.Millisecond)
	expect(t, watched.Current().Name() == "classes", "none does after Stop")
}

func TestWhatCannotBeOpenedIsNotWatched(t *testing.T) {
	_, err := tailc.Watch(filepath.Join(vectors, "missing.tailc"), seldom)
	expect(t, errors.Is(err, fs.ErrNotExist), "a missing file")
	_, err = tailc.Watch(filepath.Join(vectors, "lucene.tailc"), 0)
	expect(t, errors.Is(err, tailc.ErrArgument), "no interval")
}

func TestTheCurrentLadderIsFoundWithoutAllocation(t *testing.T) {
	watched := watch(t, filepath.Join(vectors, "classes.tailc"))
	allocations := testing.AllocsPerRun(1_000, func() {
		ladder, _ := watched.Current().LadderFor("short")
		ladder.Lookup(3, 0, 100_000)
	})
	expect(t, allocations == 0, "a look-up through the watcher allocates nothing")
}

// What comes to a path under load, in turns.
var turns = []string{"lucene", "coarse", "rate"}

// A thousand times a second another policy comes to the path, by rename, in place, or by a link that
// leads elsewhere, while all cores look up: every answer is that of one of the policies.
func TestReloadsByRenameAndInPlaceUnderLoadTearNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.tailc")
	write(t, path, bytesOf(t, turns[0]))
	reloadUnderLoad(t, path, func(n int) {
		data := bytesOf(t, turns[n%len(turns)])
		if n%2 == 0 {
			swap(t, path, data)
		} else {
			write(t, path, data)
		}
	})
}

func TestReloadsByLinkUnderLoadTearNothing(t *testing.T) {
	folder := t.TempDir()
	for _, name := range turns {
		write(t, filepath.Join(folder, name), bytesOf(t, name))
	}
	path := filepath.Join(folder, "policy.tailc")
	if err := os.Symlink(turns[0], path); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	reloadUnderLoad(t, path, func(n int) {
		link := os.Symlink(turns[n%len(turns)], path+".new")
		if err := errors.Join(link, os.Rename(path+".new", path)); err != nil {
			t.Fatal(err)
		}
	})
}

func reloadUnderLoad(t *testing.T, path string, put func(n int)) {
	known := make(map[string][]tailc.Answer)
	for _, name := range turns {
		known[name] = answersOf(t, open(t, name))
	}
	watched, err := tailc.Watch(path, 100*time.Microsecond)
	if err != nil {
		t.Fatal(err)
	}
	var isOver atomic.Bool
	var readers sync.WaitGroup
	for n := 0; n < runtime.NumCPU(); n++ {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for !isOver.Load() {
				policy := watched.Current()
				if got := answersOf(t, policy); !slices.Equal(got, known[policy.Name()]) {
					t.Errorf("%s: got %v", policy.Name(), got)
				}
			}
		}()
	}
	last, until := 0, time.Now().Add(lasting(t))
	for ; time.Now().Before(until); last++ {
		put(last)
		time.Sleep(time.Millisecond)
	}
	isOver.Store(true)
	readers.Wait()
	watched.Stop()
	if _, err := watched.Check(); err != nil {
		t.Error("the last file is whole: ", err)
	}
	expect(t, watched.Current().Name() == turns[(last-1)%len(turns)], "the last file is in force")
}

// lasting is short unless the environment asks for more.
func lasting(t *testing.T) time.Duration {
	text := os.Getenv("TAILC_STRESS")
	if text == "" {
		return 200 * time.Millisecond
	}
	long, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return long
}

// answersOf are those to questions that tell the policies apart.
func answersOf(t *testing.T, policy *tailc.Policy) []tailc.Answer {
	ladder, err := policy.Ladder()
	if err != nil {
		t.Error(err)
		return nil
	}
	var answers []tailc.Answer
	for load := int64(0); load < 40; load += 3 {
		answer, err := ladder.Lookup(load, 0, load*20_000)
		if err != nil {
			t.Error(err)
		}
		answers = append(answers, answer)
	}
	return answers
}

func TestTheQuestionsUnderLoadTellPoliciesApart(t *testing.T) {
	for i, name := range turns {
		other := turns[(i+1)%len(turns)]
		same := slices.Equal(answersOf(t, open(t, name)), answersOf(t, open(t, other)))
		expect(t, !same, name+" answers otherwise than "+other)
	}
}
