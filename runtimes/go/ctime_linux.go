package tailc

import (
	"io/fs"
	"syscall"
)

// statusChangedNs is the time of the last change of the file or its attributes, which cannot be set
// back.
func statusChangedNs(info fs.FileInfo) int64 {
	if status, isThere := info.Sys().(*syscall.Stat_t); isThere {
		return syscall.TimespecToNsec(status.Ctim)
	}
	return 0
}
