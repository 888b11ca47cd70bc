package tailc_test

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailc/tailc/runtimes/go"
)

const sealSize = 48

// sealed puts a trailer below a payload, so that damage is met by what comes after the hash.
func sealed(payload []byte) []byte {
	digest := sha256.Sum256(payload)
	trailer := binary.LittleEndian.AppendUint64([]byte("TLCSEAL1"), uint64(len(payload)))
	return append(append(append([]byte(nil), payload...), trailer...), digest[:]...)
}

// Bytes under a seal are opened or refused, and what is opened can be asked.
func FuzzOpen(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join(vectors, "*.tailc"))
	if err != nil || len(paths) == 0 {
		f.Fatal("no vectors: ", err)
	}
	for _, path := range paths {
		data := bytesOf(f, strings.TrimSuffix(filepath.Base(path), ".tailc"))
		f.Add(data[:len(data)-sealSize])
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		policy, err := tailc.OpenBytes(sealed(payload))
		var refusal *tailc.PolicyError
		switch {
		case err == nil:
			ask(t, policy)
		case !errors.As(err, &refusal) || strings.Contains(err.Error(), "this reader is broken"):
			t.Error(err)
		}
	})
}

// Files as they are, signatures among them.
func FuzzOpenFile(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join(vectors, "signed", "*.tailc"))
	if err != nil || len(paths) == 0 {
		f.Fatal("no vectors: ", err)
	}
	for _, path := range paths {
		f.Add(bytesOf(f, filepath.Join("signed", strings.TrimSuffix(filepath.Base(path), ".tailc"))))
	}
	key := string(bytesOfFile(f, filepath.Join(vectors, "signed", "test-key-1.pem")))
	f.Fuzz(func(t *testing.T, data []byte) {
		if policy, err := tailc.OpenBytes(data); err == nil {
			ask(t, policy)
		}
		policy, err := tailc.OpenBytes(data, tailc.TrustKeys(key))
		if err == nil && policy.Name() == "" {
			t.Error("nobody signed a policy without a name")
		}
	})
}

func ask(t *testing.T, policy *tailc.Policy) {
	if controller := policy.Controller(); controller != nil {
		outputPpm, err := controller.Step(300_000, 10_000)
		expect(t, err == nil && 0 <= outputPpm && outputPpm <= 2_000_000, "an output is in its limits")
	}
	if ladders, err := policy.Ladders(); err == nil {
		for _, ladder := range ladders {
			for load := int64(0); load < 10_000; load += 1_999 {
				answer, err := ladder.Lookup(load, load%7, load*31)
				expect(t, err == nil && answer.Rung < len(ladder.Rungs()), "a rung is there")
			}
		}
	}
	if table, err := policy.TailTable(); err == nil {
		khz, err := table.FrequencyKhz([]int64{5_000, 7}, 9, 9)
		expect(t, err == nil && khz > 0, "a level is there")
	}
	if shares, err := policy.Shares(); err == nil {
		askShares(t, shares)
	}
	if table, err := policy.BudgetTable(); err == nil {
		for decoding := int64(-1); decoding < 1<<27; decoding = 2*decoding + 3 {
			got := table.Lookup(decoding, 3*decoding)
			expect(t, 0 <= got.Tokens && got.NewSequences >= 0, "a budget is there")
		}
	}
	if plan, err := policy.Plan(); err == nil {
		askPlan(t, plan)
	}
}

func askShares(t *testing.T, shares *tailc.Shares) {
	throughput := make([]float64, len(shares.Served()))
	for n := 0; n < 8; n++ {
		granted, err := shares.Tick(throughput)
		sum := int64(0)
		for i, sharePpm := range granted {
			sum += sharePpm
			throughput[i%len(throughput)] += 0.5 * float64(n)
		}
		expect(t, err == nil && sum <= shares.HostPpm(), "a host gives no more than itself")
	}
}

func askPlan(t *testing.T, plan *tailc.Plan) {
	plan.Stored(plan.StartUnixS())
	plan.Source(0, plan.StartUnixS())
	if plan.Terms() != nil {
		_, err := plan.Admit("new", 0, 3, 2, 500_000)
		expect(t, err == nil || errors.Is(err, tailc.ErrArgument), "a job is quoted")
		return
	}
	_, _, err := plan.CheapestWidth(0, map[int64]int64{1: 4, 2: 2})
	expect(t, err == nil, "a width is told")
	_, err = plan.Take("new", 0, 2, 2)
	expect(t, err == nil || errors.Is(err, tailc.ErrArgument), "places are given")
}
