// Command testrun runs go test and reports progress: each package when it ends, what
// is running while none does, the whole output of failed tests, and nothing from others.
//
//	go run ./internal/proof/testrun [-skipped FILE] GO TEST ARGUMENTS…
//	go run ./internal/proof/testrun -list FILE
//	go run ./internal/proof/testrun -scorecard PAGE [-row ROW] GO TEST ARGUMENTS…
//
// Tests skipped because this machine lacks something are added to FILE, and -list
// prints what is missing with the commands that install it. The command exists because
// go test reports neither without -v, and far too much with it.
//
// With -scorecard it runs the tests that the page names, package by package, and prints
// the page's rows with their outcome.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"tenor/internal/proof/suite"
)

func main() {
	args, file := os.Args[1:], ""
	if len(args) == 2 && args[0] == "-list" {
		text, err := os.ReadFile(args[1])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Print(list(string(text)))
		return
	}
	if len(args) > 1 && args[0] == "-skipped" {
		file, args = args[1], args[2:]
	}
	r := newReport(os.Stdout, time.Now, os.Getenv(suite.Require) == "all")
	if len(args) > 1 && args[0] == "-scorecard" {
		os.Exit(r.score(args[1], args[2:]))
	}
	err := r.test(args)
	if file != "" {
		err = errors.Join(err, keep(file, r.skips()))
	}
	if err != nil || r.failed {
		if err != nil {
			fmt.Println("FAIL", err)
		}
		os.Exit(1)
	}
}

// score measures rows of a page and returns the exit code.
func (r *report) score(page string, args []string) int {
	row := ""
	if len(args) > 1 && args[0] == "-row" {
		row, args = args[1], args[2:]
	}
	good, err := r.measure(page, row, args)
	if err != nil {
		fmt.Println("FAIL", err)
	}
	if err != nil || !good {
		return 1
	}
	return 0
}

// patience is how long nothing may be printed.
const patience = 20 * time.Second

// test runs go test to its end.
func (r *report) test(args []string) error {
	suite.Alone()
	cmd := exec.Command(cmp.Or(os.Getenv("GO"), "go"), append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	if slices.Contains(args, "-race") {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1") // needed by the race detector
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := make(chan []byte)
	go read(out, lines)
	quiet := time.NewTicker(time.Second)
	defer quiet.Stop()
	for open := true; open; {
		select {
		case line, ok := <-lines:
			if open = ok; ok {
				r.line(line)
			}
		case <-quiet.C:
			r.tick()
		}
	}
	err = cmd.Wait()
	var ended *exec.ExitError
	if errors.As(err, &ended) && r.failed {
		return nil // already reported
	}
	return err
}

// read reads to the end, line by line.
func read(from io.Reader, lines chan<- []byte) {
	defer close(lines)
	for in := bufio.NewReaderSize(from, 1<<16); ; {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			lines <- line
		}
		if err != nil {
			return // of a pipe: the end
		}
	}
}

// event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
	FailedBuild                               string
	Elapsed                                   float64
}

// line processes one line; a line that is not an event is printed unchanged.
func (r *report) line(text []byte) {
	var e event
	if json.Unmarshal(text, &e) != nil || e.Action == "" {
		r.print(string(text))
		return
	}
	r.take(e)
}
