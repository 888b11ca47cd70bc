// Conformance asks this reader what every language's reader is asked:
//
//	conformance vectors DIR           every look-up vector; exits 0 if all answers are right
//	conformance refusals files        a word for each file whose path is on standard input
//	conformance refusals damages FILE a word for each way to damage a file
//	conformance differential POLICY SEED COUNT
//	                                  checksums of answers to questions drawn from a seed
//	conformance serving POLICY KEY LOG
//	                                  metrics of a server with a log, of a signed policy
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
)

var errUsage = errors.New("usage: conformance vectors DIR | refusals files | refusals damages FILE" +
	" | differential POLICY SEED COUNT | serving POLICY KEY LOG")

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
	switch {
	case len(arguments) == 2 && arguments[0] == "vectors":
		return runVectors(out, arguments[1])
	case slices.Equal(arguments, []string{"refusals", "files"}):
		return refuseFiles(out, os.Stdin)
	case len(arguments) == 3 && slices.Equal(arguments[:2], []string{"refusals", "damages"}):
		return refuseDamages(out, arguments[2])
	case len(arguments) == 4 && arguments[0] == "serving":
		return serve(out, arguments[1], arguments[2], arguments[3])
	case len(arguments) == 4 && arguments[0] == "differential":
		return runDifferential(out, arguments[1], arguments[2], arguments[3])
	}
	return errUsage
}
