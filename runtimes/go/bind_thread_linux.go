package tailc

import (
	"syscall"
	"unsafe"
)

// processorSet is a cpu_set_t of 4,096 processors.
type processorSet [64]uint64

// permittedProcessors are those on which this thread may run.
func permittedProcessors() []int {
	var set processorSet
	size, _, failure := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set),
		uintptr(unsafe.Pointer(&set)))
	if failure != 0 {
		return nil
	}
	var numbers []int
	for number := 0; number < int(size)*8; number++ {
		if set[number/64]>>(number%64)&1 == 1 {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// bindThread binds a thread to some processors, if the system permits it.
func bindThread(thread int, processors []int) {
	var set processorSet
	for _, number := range processors {
		set[number/64] |= 1 << (number % 64)
	}
	_, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(thread), unsafe.Sizeof(set),
		uintptr(unsafe.Pointer(&set)))
}

func threadNumber() int { return syscall.Gettid() }
