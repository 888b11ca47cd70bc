//go:build unix

package tailc_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// As in a server that has too many connections.
func TestAFileThatCannotBeOpenedForAWhileIsTriedAgainAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.tailc")
	write(t, path, bytesOf(t, "lucene"))
	watched := watch(t, path)
	write(t, path, bytesOf(t, "classes"))
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := limit
	none.Cur = 0
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	_, first := watched.Check()
	_, second := watched.Check()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	expect(t, errors.Is(first, syscall.EMFILE) && second == nil, "it counts once")
	expect(t, watched.Current().Counters().RefusedReloads() == 1, "and is told")
	expectReload(t, watched, "classes")
}
