package tailc

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Watched is a policy that is opened again whenever its file changes: by a rename, written in place,
// or by a symbolic link on the way that leads elsewhere. What is refused leaves the policy held in
// force, counts once in its Counters, and is read again at the next change.
type Watched struct {
	path    string
	options []Option
	current atomic.Pointer[Policy]

	check sync.Mutex // held by a Check
	seen  sighting
	held  [sha256.Size]byte // of the bytes of the current policy

	stop    chan struct{}
	stopped sync.Once
	done    chan struct{}
}

// A sighting is a file as it was read, or was not there.
type sighting struct {
	info      fs.FileInfo // nil: it was not there
	changedNs int64
	digest    [sha256.Size]byte
	// Whether a later change is sure to show: times of files are coarse, and two changes may have
	// the same.
	isSettled bool
}

// Times of files are no coarser.
const coarsestTime = 2 * time.Second

// DefaultInterval is how often a file is looked at that changes now and then.
const DefaultInterval = time.Second

// Watch opens the policy at a path, and then looks once in an interval whether the file has
// changed. Stop ends that. The options apply to each file that is opened; an interval that is not
// above 0 is an ErrArgument.
func Watch(path string, interval time.Duration, options ...Option) (*Watched, error) {
	if interval <= 0 {
		return nil, argumentError("the interval must be above 0")
	}
	w := &Watched{
		path: path, options: options, stop: make(chan struct{}), done: make(chan struct{}),
	}
	data, seen, err := w.read()
	policy, err := open(path, options, func() ([]byte, error) { return data, err })
	if err != nil {
		return nil, err
	}
	w.seen, w.held = seen, seen.digest
	w.current.Store(policy)
	go w.watch(interval)
	return w, nil
}

// Current is the policy in force, for any goroutine at any time.
func (w *Watched) Current() *Policy { return w.current.Load() }

// Check reads the file if it has changed, and returns whether the current policy is another one
// now. The error is why a changed file was refused, or could not be read.
func (w *Watched) Check() (bool, error) {
	w.check.Lock()
	defer w.check.Unlock()
	info, err := os.Stat(w.path)
	if err == nil && w.seen.isSettled && w.seen.isOf(info) {
		return false, nil
	}
	before := w.seen
	data, seen, err := w.read()
	w.seen = seen
	if before.isSame(&seen) || err == nil && seen.digest == w.held {
		return false, nil
	}
	options := append(w.options[:len(w.options):len(w.options)], Replacing(w.Current()))
	policy, err := open(w.path, options, func() ([]byte, error) { return data, err })
	if err != nil {
		return false, err
	}
	w.held = seen.digest
	w.current.Store(policy)
	return true, nil
}

// Stop ends looking at the file; the policy stays in force.
func (w *Watched) Stop() {
	w.stopped.Do(func() { close(w.stop) })
	<-w.done
}

func (w *Watched) watch(interval time.Duration) {
	defer close(w.done)
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-ticks.C:
			// What is refused is counted.
			_, _ = w.Check()
		}
	}
}

// read is the file's content, and as what it was seen right after: what changed meanwhile is not
// settled.
func (w *Watched) read() ([]byte, sighting, error) {
	file, err := os.Open(w.path)
	if err != nil {
		return nil, sighting{}, err
	}
	defer file.Close()
	data, readErr := bytesOf(file)
	info, err := file.Stat()
	if err != nil {
		return nil, sighting{}, err
	}
	seen := sighting{info: info, changedNs: statusChangedNs(info), digest: sha256.Sum256(data)}
	latest := max(info.ModTime().UnixNano(), seen.changedNs)
	seen.isSettled = time.Now().UnixNano()-latest > coarsestTime.Nanoseconds()
	return data, seen, readErr
}

// isOf returns whether a file is still the same.
func (s *sighting) isOf(info fs.FileInfo) bool {
	return s.info != nil && os.SameFile(s.info, info) && s.info.Size() == info.Size() &&
		s.info.ModTime().Equal(info.ModTime()) && s.changedNs == statusChangedNs(info)
}

// isSame returns whether the file has not changed.
func (s *sighting) isSame(later *sighting) bool {
	if s.info == nil || later.info == nil {
		return s.info == nil && later.info == nil
	}
	return s.isOf(later.info) && s.digest == later.digest
}
