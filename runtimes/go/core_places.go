package tailc

import "slices"

// nowhere is no rung.
const nowhere = -1

// corePlaces are rungs that are cores: who holds which, and the rung on which a request may run
// (Haque et al., MICRO 2017, algorithm 1, for any number of types of core; docs/artifact-format.md).
// In its arguments, wants are the rungs that running requests want, and rungs those on which they
// are, the oldest first.
type corePlaces struct {
	unitOf, types, lowest, next []int
	// Cores of the types of a rung and those above, and below, and of types only above.
	counts, above, below, beyond []int64
	free                         [][]int // by type; the last one is taken first
	spentNs                      [][]int64
	short                        []bool
}

func newCorePlaces(cores *Cores) *corePlaces {
	p := &corePlaces{
		unitOf: cores.Unit, counts: cores.Count, free: make([][]int, len(cores.Count)),
		spentNs: make([][]int64, len(cores.Count)), short: make([]bool, len(cores.Count)),
	}
	for unit := range cores.Count {
		p.lowest = append(p.lowest, slices.Index(p.unitOf, unit))
	}
	for rung, unit := range p.unitOf {
		if p.lowest[unit] == rung {
			p.addType(unit)
		}
		next := rung + 1
		for next < len(p.unitOf) && p.lowest[p.unitOf[next]] <= rung {
			next++
		}
		if next == len(p.unitOf) {
			next = nowhere
		}
		p.next = append(p.next, next)
	}
	for rung := range p.unitOf {
		p.above = append(p.above, p.coresOf(func(t int) bool { return slices.Contains(p.unitOf[rung:], t) }))
		p.below = append(p.below, p.coresOf(func(t int) bool { return p.lowest[t] <= rung }))
		p.beyond = append(p.beyond, p.coresOf(func(t int) bool { return p.lowest[t] > rung }))
	}
	return p
}

func (p *corePlaces) addType(unit int) {
	p.types = append(p.types, unit)
	for core := p.counts[unit] - 1; core >= 0; core-- {
		p.free[unit] = append(p.free[unit], int(core))
	}
	p.spentNs[unit] = make([]int64, p.counts[unit])
}

func (p *corePlaces) coresOf(holds func(unit int) bool) (cores int64) {
	for _, unit := range p.types {
		if holds(unit) {
			cores += p.counts[unit]
		}
	}
	return cores
}

// isSame is whether a policy has the same cores on the same rungs.
func (p *corePlaces) isSame(cores *Cores) bool {
	return cores != nil && slices.Equal(p.unitOf, cores.Unit) && slices.Equal(p.counts, cores.Count)
}

// start is the time spent below the last rung on the core that a request takes next; it is 0 from
// now on if the request has not waited.
func (p *corePlaces) start(rung int, hasWaited bool) int64 {
	unit := p.unitOf[rung]
	core := p.free[unit][len(p.free[unit])-1]
	if !hasWaited {
		p.spentNs[unit][core] = 0
	}
	return p.spentNs[unit][core]
}

// nextSpentNs is the same for a request that has waited, on the lowest type; 0 if no core is free.
func (p *corePlaces) nextSpentNs() int64 {
	if !p.isFree(0) {
		return 0
	}
	return p.start(0, true)
}

// take takes the core of the rung's type that became free last.
func (p *corePlaces) take(rung int) int {
	free := &p.free[p.unitOf[rung]]
	core := (*free)[len(*free)-1]
	*free = (*free)[:len(*free)-1]
	return core
}

// giveBack returns a core that a request held on the rung for a time.
func (p *corePlaces) giveBack(rung, core int, heldNs int64) {
	unit := p.unitOf[rung]
	p.free[unit] = append(p.free[unit], core)
	if rung < len(p.unitOf)-1 {
		p.spentNs[unit][core] += heldNs
	}
}

func (p *corePlaces) isFree(rung int) bool { return len(p.free[p.unitOf[rung]]) > 0 }

// rungToStart is the rung on which the first waiting request starts; nowhere: it waits.
func (p *corePlaces) rungToStart(wanted int, wants []int, inSystem int64, makesRoom bool) int {
	driven, rung := nowhere, wanted
	for makesRoom && p.isTooMany(len(wants), rung, inSystem) {
		rung = p.next[rung]
		if p.isFree(rung) {
			driven = rung
		}
	}
	if driven != nowhere {
		return driven
	}
	for rung := wanted; rung >= 0; rung-- {
		isLowestType := p.unitOf[rung] == p.unitOf[0]
		if isLowestType && p.isFree(rung) || p.isOpen(rung, wants) {
			return rung
		}
	}
	return nowhere
}

// rungToMove is the rung to which the request at a place moves at its tick; nowhere: it stays.
// firstWants is the rung that the first waiting request wants; nowhere if none waits.
func (p *corePlaces) rungToMove(
	place int, rungs, wants []int, firstWants int, inSystem int64, makesRoom bool,
) int {
	own, older := rungs[place], wants[:place]
	for rung := wants[place]; rung > own; rung-- {
		if p.unitOf[rung] == p.unitOf[own] || p.isOpen(rung, older) {
			return rung
		}
	}
	up := p.next[own]
	switch {
	case !makesRoom || up == nowhere:
		return nowhere
	case p.isTooMany(place, own, inSystem) && p.isFree(up):
		return up
	case p.isOpen(up, older) && p.isAsked(place, rungs, wants, firstWants):
		return up
	}
	return nowhere
}

// isOpen is whether the rung has a free core, and a turn for a request after these older ones.
func (p *corePlaces) isOpen(rung int, older []int) bool {
	if !p.isFree(rung) {
		return false
	}
	wanting := int64(0)
	for _, want := range older {
		if want >= rung {
			wanting++
		}
	}
	return wanting < p.above[rung]
}

func (p *corePlaces) isTooMany(older, rung int, inSystem int64) bool {
	return int64(older) < min(inSystem-p.below[rung], p.beyond[rung])
}

// isAsked is whether the request is the oldest on a type that is short.
func (p *corePlaces) isAsked(place int, rungs, wants []int, firstWants int) bool {
	for number, unit := range p.types {
		isWanted := firstWants != nowhere && p.unitOf[firstWants] == unit
		for i := range rungs {
			isWanted = isWanted || p.claims(unit, rungs[i], wants[i])
		}
		for _, other := range p.types[:number] {
			isWanted = isWanted || p.passesOn(unit, other, rungs)
		}
		p.short[unit] = isWanted && !p.isFree(p.lowest[unit])
	}
	own := p.unitOf[rungs[place]]
	return p.short[own] && p.oldestOn(own, rungs) == place
}

// claims is whether a running request wants a type that begins above its own.
func (p *corePlaces) claims(unit, rung, wants int) bool {
	return rung < wants && p.lowest[p.unitOf[rung]] < p.lowest[unit] && p.unitOf[wants] == unit
}

// passesOn is whether the oldest request on a lower type that is short has this as its next type.
func (p *corePlaces) passesOn(unit, other int, rungs []int) bool {
	if !p.short[other] {
		return false
	}
	oldest := p.oldestOn(other, rungs)
	return oldest != nowhere && p.next[rungs[oldest]] == p.lowest[unit]
}

func (p *corePlaces) oldestOn(unit int, rungs []int) int {
	return slices.IndexFunc(rungs, func(rung int) bool { return p.unitOf[rung] == unit })
}
