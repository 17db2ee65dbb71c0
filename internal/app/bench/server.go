package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	// startTimeout is how long a server may take to report its address.
	startTimeout = 2 * time.Minute
	// stopTimeout is how long it may take to stop: it may have a long WAL to move into the database.
	stopTimeout = 2 * time.Minute
	// pollEvery is how often its log and its probe are polled.
	pollEvery = 2 * time.Millisecond
)

// server is a child process that serves HTTP. Its log goes to a file, as under a supervisor: the
// generator would have to read a pipe.
type server struct {
	cmd   *exec.Cmd
	host  string // host:port
	log   string
	begin time.Time     // when it was started
	ended chan struct{} // closed when it has ended
	err   error         // its exit error, valid once ended is closed
}

// start starts a server and waits until it reports its address. A database address with a
// password goes into its environment: arguments are visible to everyone.
func start(ctx context.Context, log string, env []string, argv ...string) (*server, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	s := &server{cmd: exec.Command(argv[0], argv[1:]...), log: log, ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = out, out // a sandbox prints its address, a live server logs it
	s.cmd.Env = append(os.Environ(), env...)
	s.begin = time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start server: %w", err)
	}
	go func() {
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	if s.host, err = s.address(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start server: %w", err), s.kill())
	}
	return s, nil
}

// address waits for the address in the log.
func (s *server) address(ctx context.Context) (string, error) {
	for limit := time.Now().Add(startTimeout); time.Now().Before(limit); time.Sleep(pollEvery) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		text, err := os.ReadFile(s.log)
		if err != nil {
			return "", err
		}
		if host := listening(text); host != "" {
			return host, nil
		}
		select {
		case <-s.ended:
			return "", fmt.Errorf("it ended: %w\n%s", s.err, text)
		default:
		}
	}
	return "", fmt.Errorf("it did not listen within %s", startTimeout)
}

// listening finds the address in a log, or in a sandbox's output; "" if it is not there yet.
func listening(text []byte) string {
	for line := range bytes.Lines(text) {
		var banner struct{ URL string }
		if bytes.HasPrefix(line, []byte(`{"url":`)) && json.Unmarshal(line, &banner) == nil {
			return strings.Replace(strings.TrimPrefix(banner.URL, "http://"), "localhost", "127.0.0.1", 1)
		}
		var entry struct{ Msg, Address string }
		if bytes.Contains(line, []byte(`"serving"`)) && json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
			return entry.Address
		}
	}
	return ""
}

// ready waits until the probe answers 200 and returns the time since the process started.
func (s *server) ready(ctx context.Context) (time.Duration, error) {
	for limit := time.Now().Add(startTimeout); time.Now().Before(limit); time.Sleep(pollEvery) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if s.probe() == nil {
			return time.Since(s.begin), nil
		}
		select {
		case <-s.ended:
			return 0, fmt.Errorf("server ended: %w", s.err)
		default:
		}
	}
	return 0, fmt.Errorf("server is not ready after %s", startTimeout)
}

func (s *server) probe() error {
	c, err := dial(s.host, "")
	if err != nil {
		return err
	}
	defer c.close()
	a, err := c.do(&request{method: "GET", path: "/readyz"})
	if err == nil && a.status != 200 {
		err = fmt.Errorf("status %d", a.status)
	}
	return err
}

// stop shuts the server down and returns its exit error.
func (s *server) stop() error {
	// Without signals it is killed; the database is checked after that.
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return s.kill()
	}
	select {
	case <-s.ended:
	case <-time.After(stopTimeout):
		return errors.Join(fmt.Errorf("server does not stop within %s", stopTimeout), s.kill())
	}
	if s.err != nil {
		text, _ := os.ReadFile(s.log) // as much as there is
		return fmt.Errorf("server ended badly: %w\n%s", s.err, text[max(0, len(text)-2000):])
	}
	return nil
}

// kill kills the process.
func (s *server) kill() error {
	if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill server: %w", err)
	}
	<-s.ended
	return nil
}
