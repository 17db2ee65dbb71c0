//go:build failpoint

package failpoint

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

func TestErrorOnTheNthHit(t *testing.T) {
	defer Clear()
	if err := Set("after-load=error@3"); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 5; i++ {
		if err := Hit(AfterLoad); errors.Is(err, ErrInjected) != (i == 3) {
			t.Errorf("hit %d: %v", i, err)
		}
		if err := Hit(MidApply); err != nil {
			t.Errorf("unarmed point: %v", err)
		}
	}
	if n := Hits(AfterLoad); n != 5 {
		t.Errorf("hits = %d", n)
	}
}

func TestPanicAndSleep(t *testing.T) {
	defer Clear()
	if err := Set("after-load=panic;mid-apply=sleep:20ms"); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := Hit(MidApply); err != nil || time.Since(start) < 20*time.Millisecond {
		t.Errorf("sleep: %v after %v", err, time.Since(start))
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_ = Hit(AfterLoad)
}

func TestSpecificationErrors(t *testing.T) {
	defer Clear()
	for _, s := range []string{"after-load", "after-load=explode", "after-load=panic@0", "after-load=panic@x", "after-load=sleep:long"} {
		if Set(s) == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}

// The environment arms a separate process, which then dies by SIGKILL.
func TestKillFromTheEnvironment(t *testing.T) {
	if os.Getenv("TENOR_FAILPOINTS") != "" {
		_ = Hit(BeforeCommit)
		_ = Hit(BeforeCommit)
		os.Exit(0)
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestKillFromTheEnvironment")
	cmd.Env = append(os.Environ(), "TENOR_FAILPOINTS=before-commit=kill@2")
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("ended with %v, want SIGKILL", err)
	}
}
