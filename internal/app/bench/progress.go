package bench

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// Bar returns a Config.Progress that shows on a terminal the current activity, how far along it
// is, and how long it may still take, in one line that is redrawn. end removes the line; later
// output starts at its left edge.
func Bar(w io.Writer, now func() time.Time) (progress func(what string, done, total int), end func()) {
	b := &bar{w: w, now: now}
	return b.show, b.clear
}

const (
	barWidth = 30
	barEvery = 100 * time.Millisecond
)

// bar is one line of a terminal.
type bar struct {
	w     io.Writer
	now   func() time.Time
	what  string    // current activity
	begin time.Time // of the activity
	last  time.Time // when the line was written
	width int       // of the line on screen
}

func (b *bar) show(what string, done, total int) {
	now := b.now()
	if what != b.what {
		b.what, b.begin, b.last = what, now, time.Time{}
	}
	if now.Sub(b.last) < barEvery {
		return
	}
	b.last = now
	line := what
	if total > 0 {
		full := barWidth * min(done, total) / total
		line = fmt.Sprintf("[%s%s] %d/%d  %s", strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), done, total, what)
		if left := b.left(now, done, total); left > 0 {
			line += ", " + left.String() + " left"
		}
	}
	b.write(line)
}

// left estimates the remaining time, 0 if there is nothing to base it on.
func (b *bar) left(now time.Time, done, total int) time.Duration {
	took := now.Sub(b.begin)
	if done <= 0 || took < time.Second {
		return 0
	}
	return (took * time.Duration(total-done) / time.Duration(done)).Round(time.Second)
}

func (b *bar) write(line string) {
	n := utf8.RuneCountInString(line)
	fmt.Fprintf(b.w, "\r%s%s", line, strings.Repeat(" ", max(0, b.width-n)))
	b.width = n
}

func (b *bar) clear() {
	if b.width > 0 {
		b.write("")
		fmt.Fprint(b.w, "\r")
		b.width = 0
	}
}

// Lines returns a Config.Progress for output that is not a terminal: a line for each new
// activity, and one for each tenth of it if it takes long.
func Lines(w io.Writer, now func() time.Time) func(what string, done, total int) {
	last, tenth := "", 0
	var begin time.Time
	return func(what string, done, total int) {
		what, _, _ = strings.Cut(what, ": measure ") // the steps of a round are one activity
		if what != last {
			last, tenth, begin = what, 0, now()
			fmt.Fprintln(w, what)
		}
		if total == 0 || now().Sub(begin) < linesAfter {
			return
		}
		if t := done * 10 / total; t > tenth {
			tenth = t
			fmt.Fprintf(w, "%s %d %%\n", what, t*10)
		}
	}
}

// linesAfter is how long something takes before its tenths are printed.
const linesAfter = 2 * time.Second
