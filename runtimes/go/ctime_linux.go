package tailc

import (
	"io/fs"
	"syscall"
)

// statusChangedNs is when the file or what is known of it changed last, which nobody can set back.
func statusChangedNs(info fs.FileInfo) int64 {
	if status, isThere := info.Sys().(*syscall.Stat_t); isThere {
		return syscall.TimespecToNsec(status.Ctim)
	}
	return 0
}
