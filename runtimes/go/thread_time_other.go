//go:build !linux

package tailc

import "time"

var began = time.Now()

// threadTime is the time of day here, where no processor time of a thread is known.
func threadTime() time.Duration { return time.Since(began) }
