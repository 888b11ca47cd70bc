package tailc

import (
	"sort"
	"sync/atomic"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/tailc/tailc/runtimes/go/internal/flat"
)

// A Controller is what a server steps once in EpochRequests completions: from a measured tail to what
// scales ages of climbs, or the bound of a tail table.
//
// The tail is that of the last WindowRequests latencies, at PercentilePpm. Steps are for one
// goroutine at a time; OutputPpm may be read by any at any time.
type Controller struct {
	outputPpm atomic.Int64
	form      rawController
	// In units of 2^-FractionBits.
	least, most, output int64
	hasStepped          bool
	beforeUs, earlierUs int64 // errors of the last step and the one before
}

// An Actuator is what a controller scales.
type Actuator uint8

const (
	ClimbAges    = Actuator(flat.ActuatorCLIMB_AGES)
	LatencyBound = Actuator(flat.ActuatorLATENCY_BOUND)
	nothing      = Actuator(flat.ActuatorUNSTATED)
)

type rawController struct {
	actsOn                        Actuator
	percentilePpm, targetUs       int64
	epochRequests, windowRequests int64
	firstPpm, leastPpm, mostPpm   int64
	fractionBits                  int64
	gains                         []gainRow
}

type gainRow struct{ firstRateMrps, kp, ki, kd int64 }

const largestErrorUs = 1<<31 - 1

// Step is the new OutputPpm, after an epoch with that tail and that rate of arrivals, in thousandths
// of a request per second. Negative ones are an ErrArgument, and then it remembers what it did.
func (c *Controller) Step(measuredUs, rateMrps int64) (int64, error) {
	if measuredUs < 0 || rateMrps < 0 {
		return c.OutputPpm(), argumentError("the measured tail and the rate must not be negative")
	}
	errorUs := max(c.form.targetUs-measuredUs, -largestErrorUs)
	if !c.hasStepped {
		c.hasStepped, c.beforeUs, c.earlierUs = true, errorUs, errorUs
	}
	gains := c.gainsAt(rateMrps)
	moved := gains.kp*(errorUs-c.beforeUs) + gains.ki*errorUs +
		gains.kd*(errorUs-2*c.beforeUs+c.earlierUs)
	c.output = max(min(c.output+moved, c.most), c.least)
	c.earlierUs, c.beforeUs = c.beforeUs, errorUs
	half := int64(1) << (c.form.fractionBits - 1)
	outputPpm := (c.output*ppm + half) >> c.form.fractionBits
	c.outputPpm.Store(outputPpm)
	return outputPpm, nil
}

func (c *Controller) gainsAt(rateMrps int64) *gainRow {
	rows := c.form.gains
	after := sort.Search(len(rows), func(i int) bool { return rateMrps < rows[i].firstRateMrps })
	return &rows[after-1]
}

// OutputPpm is what ages of climbs, or the bound of a tail table, are scaled by, in millionths.
func (c *Controller) OutputPpm() int64 { return c.outputPpm.Load() }

// Output is the same exactly, in units of 2^-FractionBits; for the goroutine that steps.
func (c *Controller) Output() int64 { return c.output }

func (c *Controller) ActsOn() Actuator      { return c.form.actsOn }
func (c *Controller) PercentilePpm() int64  { return c.form.percentilePpm }
func (c *Controller) TargetUs() int64       { return c.form.targetUs }
func (c *Controller) EpochRequests() int64  { return c.form.epochRequests }
func (c *Controller) WindowRequests() int64 { return c.form.windowRequests }
func (c *Controller) FractionBits() int64   { return c.form.fractionBits }

func newController(raw *rawController) *Controller {
	raw.check()
	fixedPoint := func(sharePpm int64) int64 { return sharePpm << raw.fractionBits / ppm }
	c := &Controller{
		form: *raw, least: fixedPoint(raw.leastPpm), most: fixedPoint(raw.mostPpm),
		output: fixedPoint(raw.firstPpm),
	}
	c.outputPpm.Store(raw.firstPpm)
	return c
}

func (raw *rawController) check() {
	const mostWindow = 1_000_000
	isBound := raw.actsOn == LatencyBound
	mostPpm := int64(ppm)
	if isBound {
		mostPpm = 2 * ppm
	}
	require(isBound || raw.actsOn == ClimbAges, "unknown value of `acts_on`")
	require(0 < raw.percentilePpm && raw.percentilePpm < ppm,
		"`percentile_ppm` must be 1 to 999,999")
	require(0 < raw.targetUs && raw.targetUs <= largestErrorUs,
		"`target_us` must be 1 to 2^31 - 1")
	require(0 < raw.epochRequests && raw.epochRequests <= raw.windowRequests &&
		raw.windowRequests <= mostWindow,
		"`window_requests` must be `epoch_requests` to 1,000,000")
	require(0 <= raw.leastPpm && raw.leastPpm <= raw.firstPpm && raw.firstPpm <= raw.mostPpm &&
		raw.mostPpm <= mostPpm,
		"`least_ppm` <= `first_ppm` <= `most_ppm` must be 0 to 1,000,000 (a bound: 2,000,000)")
	require(21 <= raw.fractionBits && raw.fractionBits <= 40, "`fraction_bits` must be 21 to 40")
	raw.checkGains()
}

func (raw *rawController) checkGains() {
	const largestGain = 1 << 29
	isSmall := func(gain int64) bool { return -largestGain <= gain && gain <= largestGain }
	require(len(raw.gains) > 0 && raw.gains[0].firstRateMrps == 0,
		"`first_rate_mrps` of the first gains must be 0")
	for i, row := range raw.gains {
		require(i == 0 || raw.gains[i-1].firstRateMrps < row.firstRateMrps,
			"`first_rate_mrps` must increase from gains to gains")
		require(isSmall(row.kp) && isSmall(row.ki) && isSmall(row.kd),
			"`kp`, `ki` and `kd` must be -2^29 to 2^29")
	}
}

func readController(table flatbuffers.Table) rawForm {
	var form flat.Controller
	form.Init(table.Bytes, table.Pos)
	var row flat.GainRow
	return &rawController{
		actsOn:        Actuator(form.ActsOn()),
		percentilePpm: form.PercentilePpm(), targetUs: form.TargetUs(),
		epochRequests: form.EpochRequests(), windowRequests: form.WindowRequests(),
		firstPpm: form.FirstPpm(), leastPpm: form.LeastPpm(), mostPpm: form.MostPpm(),
		fractionBits: form.FractionBits(),
		gains: list(form.GainsLength(), func(i int) gainRow {
			form.Gains(&row, i)
			return gainRow{row.FirstRateMrps(), row.Kp(), row.Ki(), row.Kd()}
		}),
	}
}
