package main

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tailc/tailc/runtimes/go"
)

// A check says what of a row is answered otherwise; empty: nothing.
type check func(row) (string, error)

// kinds are the folders of vectors, and what answers those of a policy.
var kinds = []struct {
	folder string
	checks func(path string) (check, error)
}{
	{"", lookups}, {"levels", levels}, {"steps", steps}, {"shares", ticks}, {"plans", calls},
	{"overload", overloads}, {"sharing", sharings}, {"settings", settings}, {"schedules", schedules},
	{"budgets", budgets},
}

type count struct{ answers, wrong int }

func runVectors(out *bufio.Writer, folder string) error {
	var total count
	if err := total.addRefused(out, filepath.Join(folder, "refused")); err != nil {
		return err
	}
	if err := total.addSigned(out, filepath.Join(folder, "signed")); err != nil {
		return err
	}
	for _, kind := range kinds {
		files, err := filepath.Glob(filepath.Join(folder, kind.folder, "*.csv"))
		if err != nil {
			return err
		}
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".csv") + ".tailc"
			checks, err := kind.checks(filepath.Join(folder, name))
			if err != nil {
				return err
			}
			rows, err := rowsOf(file)
			if err != nil {
				return err
			}
			if err := total.add(out, file, rows, checks); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(out, "%d answers, %d wrong\n", total.answers, total.wrong)
	if total.wrong > 0 || total.answers == 0 {
		return errors.New("not all answers are right")
	}
	return nil
}

// add runs the rows of a file; the first that is wrong is printed.
func (c *count) add(out *bufio.Writer, file string, rows []row, checks check) error {
	first := true
	for _, row := range rows {
		wrong, err := checks(row)
		if err != nil {
			return fmt.Errorf("%s: %v: %w", file, row, err)
		}
		c.answers++
		if wrong == "" {
			continue
		}
		c.wrong++
		if first {
			fmt.Fprintf(out, "%s: %v: %s\n", file, row, wrong)
		}
		first = false
	}
	return nil
}

func difference(got, wanted string) string {
	if got == wanted {
		return ""
	}
	return "is `" + got + "`, wanted `" + wanted + "`"
}

// wordOf is the refusal that an error tells, `opened` where there is none.
func wordOf(err error) string {
	var refusal tailc.Refusal
	switch {
	case err == nil:
		return "opened"
	case errors.As(err, &refusal):
		return string(refusal)
	}
	return err.Error()
}

func lookups(path string) (check, error) {
	policy, err := tailc.Open(path)
	if err != nil {
		return nil, err
	}
	return func(row row) (string, error) {
		ladder, err := ladderOf(policy, row["request_class"])
		if err != nil {
			return "", err
		}
		load, waitedUs, executedUs := row.whole("load"), row.whole("waited_us"), row.whole("executed_us")
		got, err := ladder.Lookup(load, waitedUs, executedUs)
		if _, isScaled := row["output_ppm"]; isScaled {
			got, err = ladder.LookupScaled(load, waitedUs, executedUs, row.whole("output_ppm"))
		}
		text := fmt.Sprint(got.Start, " ", got.WaitUs, " ", got.Rung)
		return difference(text, row["start"]+" "+row["wait_us"]+" "+row["rung"]), err
	}, nil
}

func overloads(path string) (check, error) {
	policy, err := tailc.Open(path)
	if err != nil {
		return nil, err
	}
	return func(row row) (string, error) {
		ladder, err := ladderOf(policy, row["request_class"])
		if err != nil {
			return "", err
		}
		told, inSystem := ladder.Overload(), row.whole("in_system")
		isCut := told.CutsOff(row.whole("waited_us"), row.whole("executed_us"))
		text := fmt.Sprint(bit(told.Refuses(inSystem)), " ", told.WorkPpm(inSystem), " ", bit(isCut))
		return difference(text, row["refused"]+" "+row["work_ppm"]+" "+row["cut_off"]), nil
	}, nil
}

func sharings(path string) (check, error) {
	policy, err := tailc.Open(path)
	if err != nil {
		return nil, err
	}
	return func(row row) (string, error) {
		ladder, err := ladderOf(policy, row["request_class"])
		if err != nil {
			return "", err
		}
		told, unitText := ladder.Sharing(), ""
		if unit, isCounted := told.StartUnit(); isCounted {
			unitText = fmt.Sprint(unit)
		}
		starts := bit(told.Starts(row.whole("in_use_ppm")))
		givesUp := bit(told.GivesUp(row.whole("waited_us"), row.whole("executed_us")))
		text := fmt.Sprintf("%s %d %d", unitText, starts, givesUp)
		return difference(text, row["start_unit"]+" "+row["starts"]+" "+row["gives_up"]), nil
	}, nil
}

func bit(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

func ladderOf(policy *tailc.Policy, class string) (*tailc.Ladder, error) {
	if class == "" {
		return policy.Ladder()
	}
	return policy.LadderFor(class)
}
