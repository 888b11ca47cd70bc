package tailc

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/tailc/tailc/runtimes/go/internal/flat"
)

// rawShares are shares before they are checked for meaning.
type rawShares struct {
	law                                     flat.ShareLaw
	polePpm                                 int64
	windowUs, estimateUs, stepUs, enforceUs int64
	forgettingPpm, firstCovariance          int64
	leastBPpm, leastPpm, hostPpm            int64
	shortageSteps, tolerancePpm             int64
	machines                                []Machine
	cap                                     *shareCap // nil: there are no caps
}

func (raw *rawShares) check() {
	const largestCovariance, largestLag = 1_000_000, 1_000_000
	isLaw := raw.law == flat.ShareLawPOLE_PLACEMENT || raw.law == flat.ShareLawOBSERVER
	require(isLaw, "unknown value of `law`")
	require(0 <= raw.polePpm && raw.polePpm < ppm, "`pole_ppm` must be 0 to 999,999")
	require(min(raw.windowUs, raw.estimateUs, raw.stepUs, raw.enforceUs) > 0,
		"`window_us`, `estimate_us`, `step_us` and `enforce_us` must be at least 1")
	require(raw.stepUs%raw.estimateUs == 0, "`step_us` must be a multiple of `estimate_us`")
	require(raw.stepUs/raw.estimateUs <= largestLag,
		"`step_us` must be at most 1,000,000 times `estimate_us`")
	require(0 < raw.forgettingPpm && raw.forgettingPpm <= ppm,
		"`forgetting_ppm` must be 1 to 1,000,000")
	require(0 < raw.firstCovariance && raw.firstCovariance <= largestCovariance,
		"`first_covariance` must be 1 to 1,000,000")
	require(raw.leastBPpm > 0, "`least_b_ppm` must be at least 1")
	require(0 < raw.hostPpm && raw.hostPpm <= ppm, "`host_ppm` must be 1 to 1,000,000")
	require(raw.shortageSteps > 0, "`shortage_steps` must be at least 1")
	require(raw.tolerancePpm > 0, "`tolerance_ppm` must be at least 1")
	served := raw.checkMachines()
	require(served > 0, "at least one machine must have `target_milli`")
	require(0 <= raw.leastPpm && raw.leastPpm <= raw.hostPpm/served,
		"`least_ppm` times the machines with `target_milli` must be 0 to `host_ppm`")
	if raw.cap != nil {
		raw.cap.check()
	}
}

func (c *shareCap) check() {
	const mostSteps, largestHeadroomPpm = 1_000_000, 10 * ppm
	require(min(c.steps, c.probeSteps) > 0 && max(c.steps, c.probeSteps) <= mostSteps,
		"`steps` and `probe_steps` of `cap` must be 1 to 1,000,000")
	require(0 < c.headroomPpm && c.headroomPpm <= largestHeadroomPpm,
		"`headroom_ppm` of `cap` must be 1 to 10,000,000")
}

// checkMachines returns the number of machines with a target.
func (raw *rawShares) checkMachines() (served int64) {
	names := make(map[string]bool)
	for _, machine := range raw.machines {
		require(machine.Name != "", "`name` of a machine must not be empty")
		require(!names[machine.Name], "two machines have the same `name`")
		names[machine.Name] = true
		require(machine.TargetMilli == nil || *machine.TargetMilli > 0,
			"`target_milli` must be at least 1")
		require(-ppm < machine.FirstAPpm && machine.FirstAPpm < ppm,
			"`first_a_ppm` must be -999,999 to 999,999")
		require(machine.FirstBMilli > 0, "`first_b_milli` must be at least 1")
		if machine.TargetMilli != nil {
			served++
		}
	}
	return served
}

func readShares(table flatbuffers.Table) rawForm {
	var form flat.Shares
	form.Init(table.Bytes, table.Pos)
	var machine flat.Machine
	return &rawShares{
		law: form.Law(), polePpm: form.PolePpm(),
		windowUs: form.WindowUs(), estimateUs: form.EstimateUs(),
		stepUs: form.StepUs(), enforceUs: form.EnforceUs(),
		forgettingPpm: form.ForgettingPpm(), firstCovariance: form.FirstCovariance(),
		leastBPpm: form.LeastBPpm(), leastPpm: form.LeastPpm(), hostPpm: form.HostPpm(),
		shortageSteps: form.ShortageSteps(), tolerancePpm: form.TolerancePpm(),
		machines: list(form.MachinesLength(), func(i int) Machine {
			form.Machines(&machine, i)
			return Machine{
				string(machine.Name()), machine.TargetMilli(),
				machine.FirstAPpm(), machine.FirstBMilli(),
			}
		}),
		cap: readCap(form.Cap(nil)),
	}
}

func readCap(cap *flat.ShareCap) *shareCap {
	if cap == nil {
		return nil
	}
	return &shareCap{cap.Steps(), cap.ProbeSteps(), cap.HeadroomPpm()}
}
