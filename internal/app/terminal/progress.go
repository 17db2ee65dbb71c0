package terminal

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"tenor/client"
)

// patience is how long something may take before progress is shown.
const patience = 500 * time.Millisecond

// watchCalls shows a spinner on the terminal during a long call.
func (a *App) watchCalls(c *client.Client) {
	if !a.ErrTerminal || a.Getenv("TERM") == "dumb" {
		return
	}
	next := c.HTTP.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	c.HTTP.Transport = &spinner{next: next, out: a.Screen, delay: a.Wait(patience)}
}

// Wait returns how long to wait, instead of the usual time if a test sets it.
func (a *App) Wait(usual time.Duration) time.Duration { return cmp.Or(a.Waits, usual) }

// spinner is a transport that shows a spinner while it waits.
type spinner struct {
	next  http.RoundTripper
	out   io.Writer
	delay time.Duration
}

// RoundTrip makes a call.
func (s *spinner) RoundTrip(r *http.Request) (*http.Response, error) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		s.turn(done, r.URL.Host)
	}()
	answer, err := s.next.RoundTrip(r)
	close(done)
	<-ended
	return answer, err
}

// turn draws until the call is done, then erases itself.
func (s *spinner) turn(done <-chan struct{}, host string) {
	wait := time.NewTimer(s.delay)
	defer wait.Stop()
	drawn := false
	for i := 0; ; i++ {
		select {
		case <-done:
			if drawn {
				io.WriteString(s.out, "\r\x1b[K")
			}
			return
		case <-wait.C:
			fmt.Fprintf(s.out, "\r%c waiting for %s", `|/-\`[i%4], host)
			drawn = true
			wait.Reset(100 * time.Millisecond)
		}
	}
}

// ProgressFlag is how progress is shown.
type ProgressFlag struct {
	Progress string `enum:"auto,plain,json,off" default:"auto" help:"Progress display: auto (a bar on a terminal, lines otherwise), plain, json or off."`
}

// Meter shows the progress of something countable.
type Meter struct {
	mu    sync.Mutex
	out   io.Writer
	form  string // bar, plain, json or off
	what  string
	wall  func() time.Time
	begin time.Time
	quiet time.Duration // nothing is shown before this
	shown int           // the last percentage, or tenth, shown
	Unit  string        // of what is counted; "": bytes
}

// Meter starts showing progress. Unless a form is requested, it shows nothing for quick work, and
// nothing with --json or -q.
func (f ProgressFlag) Meter(a *App, o Output, what string) *Meter {
	m := &Meter{out: a.Screen, form: f.Progress, what: what, wall: a.Wall, begin: a.Wall(), shown: -1}
	if f.Progress == "auto" {
		m.quiet = patience
	}
	switch {
	case f.Progress == "auto" && (o.JSON || o.Quiet || o.Plain):
		m.form = "off"
	case f.Progress == "auto" && a.ErrTerminal && a.Getenv("TERM") != "dumb":
		m.form = "bar"
	case f.Progress == "auto":
		m.form = "plain"
	}
	return m
}

// At shows how much of the whole is done.
func (m *Meter) At(done, of int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if of <= 0 || m.form == "off" || m.wall().Sub(m.begin) < m.quiet {
		return
	}
	percent := done * 100 / of
	mark := percent
	if m.form != "bar" {
		mark = percent / 10
	}
	if mark == m.shown {
		return
	}
	m.shown = mark
	switch m.form {
	case "bar":
		const width = 30
		full := percent * width / 100
		fmt.Fprintf(m.out, "\r\x1b[K%s [%s%s] %3d %%  %s", m.what, strings.Repeat("#", full), strings.Repeat(".", width-full), percent, m.pace(done, of))
	case "plain":
		fmt.Fprintf(m.out, "%s %d %%\n", m.what, percent)
	case "json":
		fmt.Fprintf(m.out, "{\"progress\":{\"what\":%q,\"done\":%d,\"total\":%d}}\n", m.what, done, of)
	}
}

// pace returns the rate so far and the remaining time.
func (m *Meter) pace(done, of int) string {
	size := Size
	if m.Unit != "" {
		size = func(n int) string { return strconv.Itoa(n) + " " + m.Unit }
	}
	took := m.wall().Sub(m.begin)
	if took <= 0 || done == 0 {
		return size(done)
	}
	rate := float64(done) / took.Seconds()
	left := time.Duration(float64(of-done)/rate*float64(time.Second)) / time.Second * time.Second
	return fmt.Sprintf("%s  %s/s  %s left", size(done), size(int(rate)), left)
}

// Size formats a number of bytes for people.
func Size(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f kB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// End removes the bar.
func (m *Meter) End() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.form == "bar" && m.shown >= 0 {
		io.WriteString(m.out, "\r\x1b[K")
	}
}
