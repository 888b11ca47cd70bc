package tailc

import (
	"syscall"
	"time"
	"unsafe"
)

const thisThread = 3 // CLOCK_THREAD_CPUTIME_ID

// threadTime is the processor time of this thread, to which the goroutine is locked.
func threadTime() time.Duration {
	var used syscall.Timespec
	_, _, failure := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, thisThread,
		uintptr(unsafe.Pointer(&used)), 0)
	if failure != 0 {
		return 0
	}
	return time.Duration(used.Nano())
}
