package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"tenor/internal/proof/suite"
)

// one is the browser shared by the tests of the process. It is the only state of the package,
// because a browser takes seconds to start, but a tab with separate cookies only a tenth.
var one shared

type shared struct {
	mu      sync.Mutex
	allowed bool // somebody will stop it
	ctx     context.Context
	stop    func()
	met     *sync.Map // what Browser.met is
}

// Shared makes all tests use one browser, and returns a function that stops it. It is for a
// TestMain; without it each test starts a browser of its own.
func Shared() (stop func()) {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.allowed = true
	return one.end
}

func (s *shared) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop()
	}
	s.ctx, s.stop, s.allowed, s.met = nil, nil, false, nil
}

// Start starts the browser, or returns the shared one. The end of the test stops an unshared one.
func Start(t testing.TB) *Browser {
	t.Helper()
	program := suite.Program(t, "chromium-headless-shell", suite.By([]string{shell, whole}, []string{whole, shell})...)
	one.mu.Lock()
	defer one.mu.Unlock()
	if !one.allowed {
		ctx, stop, err := launch(program)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		return &Browser{ctx, new(sync.Map)}
	}
	if one.ctx == nil {
		var err error
		one.met = new(sync.Map)
		if one.ctx, one.stop, err = launch(program); err != nil {
			t.Fatal(err)
		}
	}
	return &Browser{one.ctx, one.met}
}

// Chromium without the browser around its engine takes half the processor time, and lays out,
// runs and describes a page by the same code. Nights use the whole one.
const (
	shell = "chromium-headless-shell"
	whole = "chromium"
)

// launch starts a browser that can reach only this machine.
func launch(program string) (context.Context, func(), error) {
	dir, err := os.MkdirTemp("", "tenor-browser-")
	if err != nil {
		return nil, nil, fmt.Errorf("browsertest: %w", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true), chromedp.Flag("hide-scrollbars", false),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1"))
	// A page lives for a second or two: compiling its scripts and collecting their garbage beside
	// it costs more than it saves.
	options = append(options, suite.By([]chromedp.ExecAllocatorOption{chromedp.Flag("js-flags", "--single-threaded")}, nil)...)
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocated)
	all := func() { end(); stop(); _ = os.RemoveAll(dir) }
	if _, err := chromedp.Run(ctx, chromedp.Location()); err != nil { // it lives as long as the context of its first step
		all()
		return nil, nil, errors.Join(errors.New("browsertest: start the browser"), err)
	}
	return ctx, all, nil
}
