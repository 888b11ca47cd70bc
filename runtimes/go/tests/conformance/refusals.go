package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/tailc/tailc/runtimes/go"
)

// openedAs is the word for what comes of opening bytes; what is opened must be safe to ask.
func openedAs(data []byte) string {
	policy, err := tailc.OpenBytes(data)
	if err == nil {
		err = ask(policy)
	}
	return wordOf(err)
}

func ask(policy *tailc.Policy) error {
	if controller := policy.Controller(); controller != nil {
		if _, err := controller.Step(300_000, 10_000); err != nil {
			return err
		}
	}
	if ladders, err := policy.Ladders(); err == nil {
		for _, ladder := range ladders {
			answer, err := ladder.Lookup(5, 1, 2)
			if err != nil {
				return err
			}
			_ = ladder.Rungs()[answer.Rung]
		}
	}
	if table, err := policy.TailTable(); err == nil {
		if _, err := table.Level([]int64{5_000, 7}, 9, 9); err != nil {
			return err
		}
	}
	if table, err := policy.BudgetTable(); err == nil {
		_ = table.Lookup(5, 700)
	}
	return nil
}

func refuseFiles(out *bufio.Writer, list io.Reader) error {
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		data, err := os.ReadFile(lines.Text())
		if err != nil {
			return err
		}
		fmt.Fprintln(out, openedAs(data))
	}
	return lines.Err()
}

// refuseDamages opens all single-bit flips of a file, all truncations, all appended bytes.
func refuseDamages(out *bufio.Writer, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for bit := 0; bit < 8*len(data); bit++ {
		data[bit/8] ^= 1 << (bit % 8)
		fmt.Fprintln(out, openedAs(data))
		data[bit/8] ^= 1 << (bit % 8)
	}
	for size := range data {
		fmt.Fprintln(out, openedAs(data[:size]))
	}
	longer := append(data, 0)
	for value := 0; value < 256; value++ {
		longer[len(data)] = byte(value)
		fmt.Fprintln(out, openedAs(longer))
	}
	return nil
}
