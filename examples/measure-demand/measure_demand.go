// Writes what each request takes of its thread's CPU, as a CSV for tailc (Linux). Of net/http:
//
//	func (f *DemandFile) Handler(next http.Handler) http.Handler {
//		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
//			f.Measure(func() { next.ServeHTTP(w, r) })
//		})
//	}
package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

const threadCPU = 3 // CLOCK_THREAD_CPUTIME_ID

type DemandFile struct{ file *os.File }

// OpenDemands appends to the file; one Write a row, which the system does not mix with others.
func OpenDemands(path string) (*DemandFile, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		if now, _ := file.Stat(); now.Size() == 0 {
			_, err = file.WriteString("demand_us\n")
		}
	}
	return &DemandFile{file}, err
}

// Measure keeps the goroutine on its thread while it handles the request, and counts one that panics.
func (f *DemandFile) Measure(handle func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := threadUs()
	defer func() {
		fmt.Fprintf(f.file, "%d\n", max(threadUs()-began, 1)) // a trace has no demand of 0
	}()
	handle()
}

func threadUs() int64 {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadCPU, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano() / 1000
}
