package tailc

import "slices"

// latencyWindow has the last latencies of a server, and steps the controller at each end of an epoch.
type latencyWindow struct {
	controller  *Controller
	latenciesUs []int64 // a ring, once it is full
	sorted      []int64
	completed   int64
	arrived     int64
	steppedNs   int64
}

func newLatencyWindow(controller *Controller, nowNs int64) *latencyWindow {
	size := controller.WindowRequests()
	return &latencyWindow{
		controller: controller, steppedNs: nowNs,
		latenciesUs: make([]int64, 0, size), sorted: make([]int64, 0, size),
	}
}

func (w *latencyWindow) countExit(latencyNs, nowNs int64) {
	latencyUs := (latencyNs + 500) / 1_000
	if size := int64(cap(w.latenciesUs)); w.completed < size {
		w.latenciesUs = append(w.latenciesUs, latencyUs)
	} else {
		w.latenciesUs[w.completed%size] = latencyUs
	}
	w.completed++
	if w.completed%w.controller.EpochRequests() != 0 {
		return
	}
	passedUs := max((nowNs-w.steppedNs)/1_000, 1)
	// Neither number is negative, so that there is no error.
	_, _ = w.controller.Step(w.tailUs(), w.arrived*1_000_000_000/passedUs)
	w.arrived, w.steppedNs = 0, nowNs
}

func (w *latencyWindow) tailUs() int64 {
	w.sorted = append(w.sorted[:0], w.latenciesUs...)
	slices.Sort(w.sorted)
	rank := (w.controller.PercentilePpm()*int64(len(w.sorted)) + ppm - 1) / ppm
	return w.sorted[rank-1]
}
