//go:build !linux

package tailc

import "io/fs"

// statusChangedNs is not available on other systems, whose interfaces differ.
func statusChangedNs(fs.FileInfo) int64 { return 0 }
