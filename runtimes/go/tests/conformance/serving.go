package main

import (
	"bufio"
	"context"
	"fmt"
	"syscall"

	"github.com/tailc/tailc/runtimes/go"
)

const thisThread = 1 // RUSAGE_THREAD

// serve runs three requests of two parts, each of which uses 3 ms of its thread, with a log, and
// prints the metrics.
func serve(out *bufio.Writer, path, key, log string) error {
	var options []tailc.Option
	if key != "" {
		options = append(options, tailc.TrustKeys(key))
	}
	policy, err := tailc.Open(path, options...)
	if err != nil {
		return err
	}
	demands, err := tailc.OpenTimedDemandLog(log, 1)
	if err != nil {
		return err
	}
	scheduler, err := tailc.NewScheduler(policy, tailc.SchedulerOptions{Log: demands})
	if err != nil {
		return err
	}
	for i := 0; i < 3; i++ {
		running, err := scheduler.Admit(context.Background(), "")
		if err != nil {
			return err
		}
		if err := running.Do(use3Ms, use3Ms); err != nil {
			return err
		}
		running.Exit()
	}
	fmt.Fprint(out, scheduler.Metrics())
	return demands.Close()
}

func use3Ms(context.Context) error {
	for endNs := threadNs() + 3_000_000; threadNs() < endNs; {
	}
	return nil
}

func threadNs() int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(thisThread, &used); err != nil {
		panic(err)
	}
	return used.Utime.Nano() + used.Stime.Nano()
}
