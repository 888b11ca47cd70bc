package tailc

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"tailc/internal/flat"
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
	require(isLaw, "the law is not known here")
	require(0 <= raw.polePpm && raw.polePpm < ppm, "a pole lies from 0 to 1")
	require(min(raw.windowUs, raw.estimateUs, raw.stepUs, raw.enforceUs) > 0, "times are positive")
	require(raw.stepUs%raw.estimateUs == 0, "a step is a whole number of estimates")
	require(raw.stepUs/raw.estimateUs <= largestLag, "a step is a million estimates at most")
	require(0 < raw.forgettingPpm && raw.forgettingPpm <= ppm, "forgetting lies between 0 and 1")
	require(0 < raw.firstCovariance && raw.firstCovariance <= largestCovariance,
		"a first covariance is positive and at most a million")
	require(raw.leastBPpm > 0, "the least b is positive")
	require(0 < raw.hostPpm && raw.hostPpm <= ppm, "a host gives no more than itself")
	require(raw.shortageSteps > 0, "a shortage lasts a step at least")
	require(raw.tolerancePpm > 0, "no throughput is exactly on its target")
	served := raw.checkMachines()
	require(served > 0, "a host needs a machine with a target")
	require(0 <= raw.leastPpm && raw.leastPpm <= raw.hostPpm/served,
		"the least shares are more than the host")
	if raw.cap != nil {
		raw.cap.check()
	}
}

func (c *shareCap) check() {
	const mostSteps, largestHeadroomPpm = 1_000_000, 10 * ppm
	require(min(c.steps, c.probeSteps) > 0 && max(c.steps, c.probeSteps) <= mostSteps,
		"a cap is decided on one step at least, and on a million at most")
	require(0 < c.headroomPpm && c.headroomPpm <= largestHeadroomPpm,
		"the headroom of a cap is above 0 and at most ten times the share")
}

// checkMachines tells how many have a target.
func (raw *rawShares) checkMachines() (served int64) {
	names := make(map[string]bool)
	for _, machine := range raw.machines {
		require(machine.Name != "", "a machine needs a name")
		require(!names[machine.Name], "two machines have one name")
		names[machine.Name] = true
		require(machine.TargetMilli == nil || *machine.TargetMilli > 0, "a target is positive")
		require(-ppm < machine.FirstAPpm && machine.FirstAPpm < ppm,
			"a model with |a| >= 1 is not stable")
		require(machine.FirstBMilli > 0, "more share gives more throughput")
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
