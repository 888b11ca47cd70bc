package tailc

import "sync/atomic"

// Counters are what a server's metrics may want to know; any goroutine may read them at any time. A
// policy that replaces another continues its counters.
type Counters struct {
	outside, refusedReloads atomic.Uint64
	lastRefusal             atomic.Pointer[error]
}

// Outside counts look-ups at a load that the policy was not compiled for, of a queue longer than its
// rows, or at a moment outside its epochs.
func (c *Counters) Outside() uint64 { return c.outside.Load() }

// RefusedReloads counts policies that should have taken the place of the one held, and were refused
// or could not be read.
func (c *Counters) RefusedReloads() uint64 { return c.refusedReloads.Load() }

// LastRefusal is why the last of them was not opened; nil: none was refused.
func (c *Counters) LastRefusal() error {
	if last := c.lastRefusal.Load(); last != nil {
		return *last
	}
	return nil
}

func (c *Counters) refuse(err error) {
	c.lastRefusal.Store(&err)
	c.refusedReloads.Add(1)
}
