package main

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tailc/tailc/runtimes/go"
)

// addRefused opens the files that must be refused, those in the encoding that is read here.
func (c *count) addRefused(out *bufio.Writer, folder string) error {
	list := filepath.Join(folder, "expected.csv")
	all, err := rowsOf(list)
	if err != nil {
		return err
	}
	var rows []row
	for _, row := range all {
		if filepath.Ext(row["file"]) == ".tailc" {
			rows = append(rows, row)
		}
	}
	return c.add(out, list, rows, func(row row) (string, error) {
		_, err := tailc.Open(filepath.Join(folder, row["file"]))
		return difference(wordOf(err), row["error"]), nil
	})
}

// addSigned opens files with keys trusted, if there are such vectors.
func (c *count) addSigned(out *bufio.Writer, folder string) error {
	list := filepath.Join(folder, "expected.csv")
	rows, err := rowsOf(list)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.add(out, list, rows, func(row row) (string, error) {
		options, err := optionsOf(folder, row)
		if err != nil {
			return "", err
		}
		wanted := row["error"]
		if wanted == "" {
			wanted = "opened"
		}
		_, err = tailc.Open(filepath.Join(folder, row["file"]), options...)
		return difference(wordOf(err), wanted), nil
	})
}

// optionsOf is what a row asks of a policy; empty columns ask nothing.
func optionsOf(folder string, row row) ([]tailc.Option, error) {
	var options []tailc.Option
	for _, name := range strings.Fields(row["keys"]) {
		pem, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		options = append(options, tailc.TrustKeys(string(pem)))
	}
	if row["now_s"] != "" {
		options = append(options, tailc.At(time.Unix(row.whole("now_s"), 0)))
	}
	if row["service"] != "" {
		options = append(options, tailc.ForService(row["service"]))
	}
	if row["held_generation"] != "" {
		options = append(options, tailc.NotBefore(row.whole("held_generation")))
	}
	return options, nil
}
