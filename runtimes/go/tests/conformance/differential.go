package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/tailc/tailc/runtimes/go"
	"github.com/tailc/tailc/runtimes/go/internal/flat"
)

// Answers between two lines.
const stretch = 4_096

// A draw is a SplitMix64 generator.
type draw uint64

func (d *draw) below(count uint64) uint64 {
	*d += 0x9E3779B97F4A7C15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return (z ^ z>>31) % count
}

// A checksum is of all answers so far.
type checksum uint64

func (sum *checksum) fold(values ...uint64) {
	for _, value := range values {
		*sum = (*sum ^ checksum(value)) * 0x100000001B3
	}
}

// A question draws, asks and folds the answer.
type question func(number uint64, from *draw, into *checksum) error

// runDifferential asks questions that are drawn from a seed; equal lines are equal answers.
func runDifferential(out *bufio.Writer, path, seedText, countText string) error {
	seed, err := strconv.ParseUint(seedText, 10, 64)
	if err != nil {
		return errUsage
	}
	count, err := strconv.ParseUint(countText, 10, 64)
	if err != nil {
		return errUsage
	}
	ask, err := questionOf(path)
	if err != nil {
		return err
	}
	from, into := draw(seed), checksum(0xCBF29CE484222325)
	for number := uint64(0); number < count; number++ {
		if err := ask(number, &from, &into); err != nil {
			return fmt.Errorf("question %d: %w", number, err)
		}
		if (number+1)%stretch == 0 || number+1 == count {
			fmt.Fprintf(out, "%016x\n", uint64(into))
		}
	}
	return nil
}

func questionOf(path string) (question, error) {
	policy, err := tailc.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	forms := formsOf(flat.GetRootAsPolicy(data, 0))
	if shares, err := policy.Shares(); err == nil {
		return askShares(shares), nil
	}
	if _, err := policy.Plan(); err == nil {
		return askPlan(path), nil
	}
	if table, err := policy.BudgetTable(); err == nil {
		return askBudgets(table), nil
	}
	step := stepOf(policy.Controller(), forms)
	if table, err := policy.TailTable(); err == nil {
		return askTable(table, step, &forms.table), nil
	}
	ladders, err := policy.Ladders()
	if err != nil {
		return nil, errors.Join(errors.New("no form to ask"), err)
	}
	return askLadders(ladders, step, forms.ladders), nil
}

// flatForms tell from which ranges questions are drawn.
type flatForms struct {
	ladders    []flat.Ladder
	controller flat.Controller
	table      flat.TailTable
}

func formsOf(root *flat.Policy) *flatForms {
	found := &flatForms{}
	var box flat.FormBox
	for i := 0; i < root.FormsLength(); i++ {
		root.Forms(&box, i)
		form := box.Table()
		box.Form(&form)
		switch box.FormType() {
		case flat.FormLadder:
			var ladder flat.Ladder
			ladder.Init(form.Bytes, form.Pos)
			found.ladders = append(found.ladders, ladder)
		case flat.FormController:
			found.controller.Init(form.Bytes, form.Pos)
		case flat.FormTailTable:
			found.table.Init(form.Bytes, form.Pos)
		}
	}
	return found
}

// stepOf steps the controller, if there is one, before every so many questions.
func stepOf(controller *tailc.Controller, forms *flatForms) question {
	const every = 1_024
	if controller == nil {
		return func(uint64, *draw, *checksum) error { return nil }
	}
	var last flat.GainRow
	forms.controller.Gains(&last, forms.controller.GainsLength()-1)
	mostUs, mostMrps := 3*uint64(controller.TargetUs()), 2*uint64(last.FirstRateMrps())+2
	return func(number uint64, from *draw, into *checksum) error {
		if number%every != 0 {
			return nil
		}
		measuredUs, rateMrps := from.below(mostUs), from.below(mostMrps)
		outputPpm, err := controller.Step(int64(measuredUs), int64(rateMrps))
		into.fold(uint64(outputPpm))
		return err
	}
}

func askLadders(ladders []*tailc.Ladder, step question, forms []flat.Ladder) question {
	type limits struct{ load, waitedUs, executedUs uint64 }
	var most []limits
	for i := range forms {
		form, limit := &forms[i], limits{}
		limit.load = uint64(form.Guard(nil).MaxLoad())
		var row flat.Row
		for n := 0; n < form.RowsLength(); n++ {
			form.Rows(&row, n)
			limit.waitedUs = max(limit.waitedUs, row.DelayUs())
		}
		var climb flat.Climb
		for n := 0; n < form.ClimbsLength(); n++ {
			form.Climbs(&climb, n)
			limit.executedUs = max(limit.executedUs, climb.AgeUs())
		}
		most = append(most, limit)
	}
	return func(number uint64, from *draw, into *checksum) error {
		if err := step(number, from, into); err != nil {
			return err
		}
		which := from.below(uint64(len(ladders)))
		limit := most[which]
		load := from.below(limit.load + 2)
		waitedUs, executedUs := from.below(2*limit.waitedUs+2), from.below(2*limit.executedUs+2)
		answer, err := ladders[which].Lookup(int64(load), int64(waitedUs), int64(executedUs))
		into.fold(uint64(answer.Start), answer.WaitUs, uint64(answer.Rung))
		into.fold(settingNumbers(&ladders[which].Settings()[answer.Rung])...)
		return err
	}
}

func askBudgets(table *tailc.BudgetTable) question {
	mostDecoding := 2 * uint64(table.MaxSequences())
	mostWaiting := 2 * uint64(table.KvBlocks()*table.BlockTokens())
	return func(_ uint64, from *draw, into *checksum) error {
		decoding, waiting := from.below(mostDecoding), from.below(mostWaiting)
		got := table.Lookup(int64(decoding), int64(waiting))
		into.fold(uint64(got.Tokens), uint64(got.NewSequences))
		return nil
	}
}

func askTable(table *tailc.TailTable, step question, form *flat.TailTable) question {
	var last flat.TailRow
	form.Cycles(&last, form.CyclesLength()-1)
	boundNs, mostCycles := uint64(table.BoundUs())*1_000, 2*uint64(last.FromElapsed())+2
	return func(number uint64, from *draw, into *checksum) error {
		if err := step(number, from, into); err != nil {
			return err
		}
		agesNs := make([]int64, 1+from.below(uint64(table.Positions())+1))
		next := 2*boundNs + 1
		for i := range agesNs {
			age := from.below(next)
			agesNs[i], next = int64(age), age+1
		}
		cycles, memoryNs := from.below(mostCycles), from.below(boundNs+1)
		khz, err := table.FrequencyKhz(agesNs, int64(cycles), int64(memoryNs))
		into.fold(uint64(khz))
		return err
	}
}
