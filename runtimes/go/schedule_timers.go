package tailc

// At the same time cut-offs come before arrivals, and ends of delays before ticks.
type timerPhase uint8

const (
	cutPhase timerPhase = iota
	startPhase
	tickPhase
)

// A timer of a request; one that the request no longer has is skipped.
type timer struct {
	dueNs   int64
	phase   timerPhase
	number  int64 // of the request, which is used again after its exit
	request *Request
}

func (t timer) isBefore(other timer) bool {
	switch {
	case t.dueNs != other.dueNs:
		return t.dueNs < other.dueNs
	case t.phase != other.phase:
		return t.phase < other.phase
	}
	return t.number < other.number
}

func (t timer) isSet() bool {
	dueNs := t.request.tickNs
	if t.phase == cutPhase {
		dueNs = t.request.cutNs
	}
	return t.request.number == t.number && dueNs == t.dueNs
}

// timers are a binary heap, the first at 0.
type timers []timer

func (t *timers) push(added timer) {
	*t = append(*t, added)
	heap := *t
	at := len(heap) - 1
	for at > 0 && added.isBefore(heap[(at-1)/2]) {
		heap[at] = heap[(at-1)/2]
		at = (at - 1) / 2
	}
	heap[at] = added
}

func (t *timers) pop() {
	heap := *t
	last := heap[len(heap)-1]
	heap[len(heap)-1] = timer{}
	heap = heap[:len(heap)-1]
	*t = heap
	at := 0
	for child := 1; child < len(heap); child = 2*at + 1 {
		if child+1 < len(heap) && heap[child+1].isBefore(heap[child]) {
			child++
		}
		if last.isBefore(heap[child]) {
			break
		}
		heap[at] = heap[child]
		at = child
	}
	if len(heap) > 0 {
		heap[at] = last
	}
}
