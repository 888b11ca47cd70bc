//go:build !linux

package tailc

// permittedProcessors are none, as threads are bound only on Linux.
func permittedProcessors() []int { return nil }

func bindThread(int, []int) {}

func threadNumber() int { return 0 }
