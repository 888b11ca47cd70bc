package tailc

import (
	"syscall"
	"time"
)

const thisThread = 1 // RUSAGE_THREAD

// threadTime is the processor time of this thread, to which the goroutine is locked.
func threadTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(thisThread, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
