package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// report is the state of a run.
type report struct {
	out    io.Writer
	now    func() time.Time
	strict bool // a missing program must not skip a test

	began, spoke time.Time
	ended        int // packages
	running      map[string]*pack
	skipped      map[string][]string // reason to tests
	outcomes     map[string]outcome  // of tests that have ended, by folder and name
	failed       bool
}

// pack is a package whose tests are running.
type pack struct {
	began  time.Time
	output map[string]*strings.Builder // of tests that have not ended; "": the package's own
	since  map[string]time.Time        // when those tests began
}

func newReport(out io.Writer, now func() time.Time, strict bool) *report {
	return &report{out: out, now: now, strict: strict, began: now(), spoke: now(), running: map[string]*pack{}, skipped: map[string][]string{}, outcomes: map[string]outcome{}}
}

func (r *report) print(text string) {
	fmt.Fprintln(r.out, strings.TrimRight(text, "\n"))
	r.spoke = r.now()
}

// tick prints what is running if nothing was printed for a while.
func (r *report) tick() {
	if r.now().Sub(r.spoke) < patience {
		return
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.running)) {
		names = append(names, r.at(name))
	}
	what := "compiling"
	if len(names) > 0 {
		what = "running " + strings.Join(names, ", ")
	}
	r.print(fmt.Sprintf("… %s, %d packages done; %s", span(r.now().Sub(r.began)), r.ended, what))
}

// at returns where a package's tests are: the one that began last.
func (r *report) at(name string) string {
	p, last := r.running[name], ""
	for _, test := range slices.Sorted(maps.Keys(p.since)) {
		if last == "" || !p.since[test].Before(p.since[last]) {
			last = test
		}
	}
	text := strings.TrimPrefix(name, "tenor/")
	if last != "" {
		text += " " + last
	}
	return fmt.Sprintf("%s (%s)", text, span(r.now().Sub(p.began)))
}

func span(d time.Duration) string { return d.Round(time.Second).String() }

// pack returns the package of an event.
func (r *report) pack(name string) *pack {
	p := r.running[name]
	if p == nil {
		p = &pack{began: r.now(), output: map[string]*strings.Builder{}, since: map[string]time.Time{}}
		r.running[name] = p
	}
	return p
}

// take processes an event of go test.
func (r *report) take(e event) {
	switch {
	case e.Action == "build-output":
		r.print(e.Output)
	case e.Action == "build-fail":
		r.failed = true
	case e.Package == "":
	case e.Action == "output":
		p := r.pack(e.Package)
		if p.output[e.Test] == nil {
			p.output[e.Test] = new(strings.Builder)
		}
		p.output[e.Test].WriteString(e.Output)
	case e.Action == "run":
		r.pack(e.Package).since[e.Test] = r.now()
	case e.Test == "":
		r.packageEnds(e)
	default:
		r.testEnds(e)
	}
}

// reason finds in a test's output why it could not run here.
var reason = regexp.MustCompile(`SKIP ([^:\n]+: [^\n]+)`)

// testEnds handles the end of a test; other events are ignored.
func (r *report) testEnds(e event) {
	p := r.pack(e.Package)
	text := ""
	if b := p.output[e.Test]; b != nil {
		text = b.String()
	}
	switch e.Action {
	case "fail":
		r.failed = true
		r.note(e.Package, e.Test, outcome{failed: true})
		r.print(text)
	case "pass", "skip":
		lacks := r.skip(e.Package+"."+e.Test, text)
		if e.Action == "skip" && lacks == "" {
			lacks = "skipped by itself"
		}
		r.note(e.Package, e.Test, outcome{lacks: lacks})
	default:
		return // still running
	}
	delete(p.output, e.Test)
	delete(p.since, e.Test)
}

// skip looks for what was missing for a test, and returns it.
func (r *report) skip(test, text string) string {
	found := reason.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	if r.strict {
		r.failed = true
		r.print("--- FAIL: " + test + " was skipped: " + found[1])
	}
	r.skipped[found[1]] = append(r.skipped[found[1]], test)
	return found[1]
}

// packageEnds handles the end of a package; other events are ignored. For a failed package it
// also prints the output of tests that never ended: one that hung, or panicked.
func (r *report) packageEnds(e event) {
	switch e.Action {
	case "pass", "fail", "skip":
	default:
		r.pack(e.Package)
		return
	}
	p := r.pack(e.Package)
	if e.Action == "fail" {
		r.failed = true
		for _, test := range slices.Sorted(maps.Keys(p.output)) {
			if test != "" {
				r.print(p.output[test].String())
			}
		}
	}
	if b := p.output[""]; b != nil && e.Action != "skip" { // skip: no test files
		r.print(ending(b.String(), e.Action == "fail"))
	}
	if e.FailedBuild != "" && p.output[""] == nil {
		r.print("FAIL\t" + e.Package + " [build failed]")
	}
	delete(r.running, e.Package)
	r.ended++
}

// ending returns what a package printed outside its tests; for one that passed, only its last
// line.
func ending(text string, all bool) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if all {
		return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "FAIL" }), "\n")
	}
	return lines[len(lines)-1]
}

// skips returns the lines of the file of skipped tests: reason and test.
func (r *report) skips() (lines []string) {
	for _, why := range slices.Sorted(maps.Keys(r.skipped)) {
		for _, test := range r.skipped[why] {
			lines = append(lines, why+"\t"+strings.TrimPrefix(test, "tenor/"))
		}
	}
	return lines
}

// keep appends lines to a file.
func keep(file string, lines []string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(f, line); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

// list formats the lines of such a file for somebody who wants to run what was skipped.
func list(text string) string {
	tests := map[string][]string{}
	for line := range strings.Lines(text) {
		why, test, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if why == "" || slices.Contains(tests[why], test) {
			continue
		}
		tests[why] = append(tests[why], test)
	}
	if len(tests) == 0 {
		return "== nothing was skipped\n"
	}
	var b strings.Builder
	b.WriteString("== skipped here, and how to run it\n")
	for _, why := range slices.Sorted(maps.Keys(tests)) {
		all := slices.DeleteFunc(tests[why], func(s string) bool { return s == "" })
		count := ""
		switch {
		case len(all) > 1:
			count = fmt.Sprintf(" (%d tests, such as %s)", len(all), all[0])
		case len(all) == 1:
			count = " (" + all[0] + ")"
		}
		fmt.Fprintf(&b, "SKIP %s%s\n", why, count)
	}
	return b.String()
}
