package tailc

import (
	"cmp"
	"slices"
)

// A Quote is what a job brings, less the penalty for promised slots that its places do not meet, and
// what its places are worth, in millionths of a dollar; nil Places: there is no room.
type Quote struct {
	PaysUdollars, WorthUdollars, GreenSlots int64
	Places                                  []Span
}

// IsAdmitted returns whether the job pays more than the value of its servers to other jobs.
func (q Quote) IsAdmitted() bool { return q.Places != nil && q.PaysUdollars > q.WorthUdollars }

// pricing are the prices of a plan, put in order once.
type pricing struct {
	terms      *Terms
	prices     servers // by epoch, then by pool
	cheapest   [][]int // pools of each epoch, the cheapest first
	firstGreen []int   // the number of pools where none is green
}

// within are epochs of the plan, from first to before end.
type within struct{ first, end int64 }

// exchange is of servers of a brown pool for as many of a green one.
type exchange struct {
	udollars, epoch int64
	brown, green    int
	servers         int64
}

func newPricing(raw *rawPlan) *pricing {
	p := &pricing{terms: raw.terms, prices: newServers(len(raw.epochs), len(raw.pools))}
	for epoch, row := range p.prices {
		for pool := range row {
			row[pool] = raw.prices[pool][epoch]
		}
		p.cheapest = append(p.cheapest, poolsBy(len(row), func(one, other int) int {
			return cmp.Compare(row[one], row[other])
		}))
		first := len(row)
		if green := raw.epochs[epoch].FirstGreenPool; green != nil {
			first = int(*green)
		}
		p.firstGreen = append(p.firstGreen, first)
	}
	return p
}

// poolsBy are the first pools in an order; of equal ones the lower first.
func poolsBy(count int, compare func(one, other int) int) []int {
	pools := make([]int, count)
	for pool := range pools {
		pools[pool] = pool
	}
	slices.SortStableFunc(pools, compare)
	return pools
}

// within are the epochs of a job that are the plan's; false where one has too few free servers.
func (p *pricing) within(free servers, firstEpoch, epochs, width int64) (within, bool) {
	all := int64(len(p.prices))
	if firstEpoch >= all {
		return within{}, false
	}
	held := within{firstEpoch, min(firstEpoch+epochs, all)}
	for _, room := range free[held.first:held.end] {
		sum := int64(0)
		for _, count := range room {
			sum += count
		}
		if sum < width {
			return within{}, false
		}
	}
	return held, true
}

// filled takes the cheapest servers of each epoch; of equal prices those of the lower pool.
func (p *pricing) filled(free servers, held within, width int64) servers {
	places := newServers(int(held.end-held.first), len(free[0]))
	for i, row := range places {
		epoch := held.first + int64(i)
		left := width
		for _, pool := range p.cheapest[epoch] {
			row[pool] = min(left, free[epoch][pool])
			left -= row[pool]
		}
	}
	return places
}

// worth is what places cost at the plan's prices.
func (p *pricing) worth(held within, places servers) int64 {
	sum := int64(0)
	for i, row := range places {
		for pool, count := range row {
			sum += count * p.prices[held.first+int64(i)][pool]
		}
	}
	return sum
}

// quote finds the best places of a rigid job, and what comes of them.
func (p *pricing) quote(free servers, firstEpoch, epochs, width, greenPpm int64) Quote {
	held, hasRoom := p.within(free, firstEpoch, epochs, width)
	if !hasRoom {
		return Quote{}
	}
	slots := (held.end - held.first) * width
	promised := min((greenPpm*epochs*width+ppm-1)/ppm, slots)
	places := p.filled(free, held, width)
	green := p.makeGreen(free, held, places, promised)
	missed := max(0, promised-green)
	pays := promised*p.terms.GreenUdollars + (slots-promised)*p.terms.BrownUdollars -
		missed*p.terms.PenaltyUdollars
	return Quote{pays, p.worth(held, places), green, spansOf(held, places)}
}

// makeGreen exchanges places until the promise is met or missing it costs no more; the green places
// then.
//
// An exchange costs more with each in an epoch, so the cheapest of all epochs, taken in order, are
// the best.
func (p *pricing) makeGreen(free servers, held within, places servers, promised int64) int64 {
	green := int64(0)
	var exchanges []exchange
	for i, row := range places {
		epoch := held.first + int64(i)
		for _, count := range row[p.firstGreen[epoch]:] {
			green += count
		}
		exchanges = p.addExchanges(exchanges, free[epoch], row, epoch)
	}
	slices.SortFunc(exchanges, compareExchanges)
	for _, one := range exchanges {
		moved := min(one.servers, promised-green)
		if moved <= 0 || one.udollars >= p.terms.PenaltyUdollars {
			break
		}
		row := places[one.epoch-held.first]
		row[one.brown] -= moved
		row[one.green] += moved
		green += moved
	}
	return green
}

// compareExchanges orders by cost, then by epoch, brown pool and green pool.
func compareExchanges(one, other exchange) int {
	for _, order := range [...]int{
		cmp.Compare(one.udollars, other.udollars), cmp.Compare(one.epoch, other.epoch),
		cmp.Compare(one.brown, other.brown),
	} {
		if order != 0 {
			return order
		}
	}
	return cmp.Compare(one.green, other.green)
}

// addExchanges pairs the dearest brown place with the cheapest green one first.
func (p *pricing) addExchanges(found []exchange, room, row []int64, epoch int64) []exchange {
	price, first := p.prices[epoch], p.firstGreen[epoch]
	dearest := poolsBy(first, func(one, other int) int {
		return cmp.Compare(price[other], price[one])
	})
	left := make([]int64, len(room))
	for pool := first; pool < len(room); pool++ {
		left[pool] = room[pool] - row[pool]
	}
	for _, brown := range dearest {
		held := row[brown]
		for _, green := range p.cheapest[epoch] {
			count := min(held, left[green])
			if green < first || count == 0 {
				continue
			}
			found = append(found, exchange{price[green] - price[brown], epoch, brown, green, count})
			left[green] -= count
			held -= count
		}
	}
	return found
}

// spansOf are the fewest spans that say the same, in order of epoch, then of pool.
func spansOf(held within, places servers) []Span {
	found := []Span{}
	for pool := range places[0] {
		begin := 0
		for at := 1; at <= len(places); at++ {
			count := places[begin][pool]
			if at < len(places) && places[at][pool] == count {
				continue
			}
			if count > 0 {
				span := Span{int64(pool), held.first + int64(begin), int64(at - begin), count}
				found = append(found, span)
			}
			begin = at
		}
	}
	slices.SortFunc(found, compareSpans)
	return found
}
