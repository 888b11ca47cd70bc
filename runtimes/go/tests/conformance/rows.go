package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

// A row is a line of a vector file, by column.
type row map[string]string

func (r row) String() string {
	var names []string
	for name := range r {
		names = append(names, name)
	}
	sort.Strings(names)
	var text []string
	for _, name := range names {
		text = append(text, name+"="+r[name])
	}
	return strings.Join(text, " ")
}

// whole is a column that holds a whole number; a vector file that does not is a mistake of its own.
func (r row) whole(name string) int64 { return wholeOf(r[name]) }

func wholeOf(text string) int64 {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return number
}

func (r row) wholes(name string) []int64 {
	var numbers []int64
	for _, word := range strings.Fields(r[name]) {
		numbers = append(numbers, wholeOf(word))
	}
	return numbers
}

// doubles are to be compared bit for bit: the shortest text reads back to the same double.
func (r row) doubles(name string) []float64 {
	var numbers []float64
	for _, word := range strings.Fields(r[name]) {
		number, err := strconv.ParseFloat(word, 64)
		if err != nil {
			panic(err)
		}
		numbers = append(numbers, number)
	}
	return numbers
}

// rowsOf reads sentences that begin with #, a header, and lines of fields between commas. The last
// field of `expected.csv` may be a sentence, which has commas of its own.
func rowsOf(path string) ([]row, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var header []string
	var rows []row
	for _, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if header == nil {
			header = strings.Split(line, ",")
			continue
		}
		fields := strings.SplitN(line, ",", len(header))
		if len(fields) != len(header) {
			return nil, fmt.Errorf("%s: %s", path, line)
		}
		read := row{}
		for i, name := range header {
			read[name] = fields[i]
		}
		rows = append(rows, read)
	}
	return rows, nil
}
