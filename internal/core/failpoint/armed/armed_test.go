package armed

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"tenor/internal/core/failpoint"
)

func TestErrorOnTheNthHit(t *testing.T) {
	defer Disarm()
	p, err := Arm("after-load=error@3")
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 5; i++ {
		if err := failpoint.Hit(failpoint.AfterLoad); errors.Is(err, failpoint.ErrInjected) != (i == 3) {
			t.Errorf("hit %d: %v", i, err)
		}
		if err := failpoint.Hit(failpoint.MidApply); err != nil {
			t.Errorf("unarmed point: %v", err)
		}
	}
	if n := p.Hits(failpoint.AfterLoad); n != 5 {
		t.Errorf("hits = %d", n)
	}
}

func TestPanicAndSleep(t *testing.T) {
	defer Disarm()
	if _, err := Arm("after-load=panic;mid-apply=sleep:20ms"); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := failpoint.Hit(failpoint.MidApply); err != nil || time.Since(start) < 20*time.Millisecond {
		t.Errorf("sleep: %v after %v", err, time.Since(start))
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_ = failpoint.Hit(failpoint.AfterLoad)
}

// What no specification is leaves the process as it was.
func TestSpecificationErrors(t *testing.T) {
	for _, s := range []string{"after-load", "after-load=explode", "after-load=panic@0", "after-load=panic@x", "after-load=sleep:long"} {
		if _, err := Arm(s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
	if failpoint.Installed() {
		t.Error("the process is armed")
	}
}

// The environment arms a separate process, which then dies by SIGKILL.
func TestKillFromTheEnvironment(t *testing.T) {
	if what := os.Getenv(Environment); what != "" {
		if _, err := Arm(what); err != nil {
			t.Fatal(err)
		}
		_ = failpoint.Hit(failpoint.BeforeCommit)
		_ = failpoint.Hit(failpoint.BeforeCommit)
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestKillFromTheEnvironment")
	cmd.Env = append(os.Environ(), Environment+"=before-commit=kill@2")
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("ended with %v, want SIGKILL", err)
	}
}
