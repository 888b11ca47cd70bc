package tailc

import "math"

// Served is a machine with a target, and what is remembered of it. A and B are the estimate of its
// model, in units of its target; believed are the last that were.
type Served struct {
	Name                 string
	A, B                 float64
	BelievedA, BelievedB float64
	// Steps in a row with too little, and below the target.
	ShortSteps int64
	// Cap of its share if its throughput does not follow its share, else the whole host.
	CapPpm int64

	target      float64 // work per second
	covariance  covariance
	levels      []float64 // of the last ticks, as many as a step has, in a ring
	level       float64   // throughput relative to the target, now
	hasStepped  bool
	levelBefore float64 // at the last step
	missed      float64 // what the model was off at the last step
	busyTicks   int64   // ticks since the last at which it had no request waiting
	cap         capState
	firstA      float64
	firstB      float64
}

type covariance struct{ aa, ab, bb float64 }

type forgetting struct{ factor, firstCovariance, leastB float64 }

func newServed(machine *Machine, firstCovariance float64) Served {
	a := quotient(machine.FirstAPpm, ppm)
	b := quotient(machine.FirstBMilli, *machine.TargetMilli)
	one := Served{
		Name: machine.Name, target: quotient(*machine.TargetMilli, 1_000), firstA: a, firstB: b,
	}
	one.begin(firstCovariance)
	return one
}

// begin begins the estimate with the first model.
func (s *Served) begin(firstCovariance float64) {
	s.A, s.B, s.BelievedA, s.BelievedB = s.firstA, s.firstB, s.firstA, s.firstB
	s.covariance = covariance{firstCovariance, 0, firstCovariance}
}

// needsMore says whether the model that is believed needs more than the host for the target.
func (s *Served) needsMore(host float64) bool {
	return 1-s.BelievedA > float64(s.BelievedB*host)
}

func quotient(dividend, divisor int64) float64 { return float64(dividend) / float64(divisor) }

// estimate takes one more sample, in this order of operations. x, y: the level a lag ago and now; u:
// the mean share since.
//
// A compiler may fuse a product with the sum that it is part of; a conversion forbids it.
func (s *Served) estimate(forget *forgetting, x, u, y float64) {
	p := s.covariance
	hA := float64(p.aa*x) + float64(p.ab*u)
	hB := float64(p.ab*x) + float64(p.bb*u)
	weight := forget.factor + (float64(x*hA) + float64(u*hB))
	kA, kB := hA/weight, hB/weight
	missed := y - (float64(s.A*x) + float64(s.B*u))
	s.A += float64(kA * missed)
	s.B += float64(kB * missed)
	p.aa -= float64(kA * hA)
	p.ab -= float64(kA * hB)
	p.bb -= float64(kB * hB)
	// Without this limit a machine whose share never changes would wind them up.
	if p.aa+p.bb <= float64(float64(2*forget.firstCovariance)*forget.factor) {
		p.aa /= forget.factor
		p.ab /= forget.factor
		p.bb /= forget.factor
	}
	s.covariance = p
	if math.Abs(s.A) < 1 && s.B > forget.leastB {
		s.BelievedA, s.BelievedB = s.A, s.B
	}
}

// common is the smaller of two errors, 0 where they are of two signs: a disturbance that may last.
func common(one, other float64) float64 {
	switch {
	case one > 0 && other > 0:
		return min(one, other)
	case one < 0 && other < 0:
		return max(one, other)
	}
	return 0
}
