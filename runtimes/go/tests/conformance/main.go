// Conformance asks this reader what every language's reader is asked:
//
//	conformance vectors DIR           every look-up vector; exits 0 if all answers are right
//	conformance refusals files        a word for each file whose path is on standard input
//	conformance refusals damages FILE a word for each way to damage a file
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
)

var errUsage = errors.New("usage: conformance vectors DIR | refusals files | refusals damages FILE")

func main() {
	out := bufio.NewWriter(os.Stdout)
	err := run(out, os.Args[1:])
	out.Flush()
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(64)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out *bufio.Writer, arguments []string) error {
	command := strings.Join(arguments[:min(2, len(arguments))], " ")
	switch {
	case strings.HasPrefix(command, "vectors ") && len(arguments) == 2:
		return runVectors(out, arguments[1])
	case command == "refusals files" && len(arguments) == 2:
		return refuseFiles(out, os.Stdin)
	case command == "refusals damages" && len(arguments) == 3:
		return refuseDamages(out, arguments[2])
	}
	return errUsage
}
