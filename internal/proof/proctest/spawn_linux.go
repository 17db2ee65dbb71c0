package proctest

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// spawner starts all processes from one thread that lives as long as the tests.
// The kernel sends the signal of a parent's death when the thread that started a
// process ends, and the runtime ends threads as it likes.
var spawner = sync.OnceValue(func() chan func() {
	requests := make(chan func())
	go spawnAll(requests)
	return requests
})

// spawnAll starts processes as long as the tests run. It is the only goroutine of
// this package that stays: a test that looks for goroutines that are left ignores
// tenor/internal/proof/proctest.spawnAll.
func spawnAll(requests <-chan func()) {
	runtime.LockOSThread()
	for start := range requests {
		start()
	}
}

// Spawn starts a command that the kernel kills with SIGKILL when the process of
// the tests ends in whatever way. The error is that of cmd.Start.
func Spawn(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started := make(chan error)
	spawner() <- func() { started <- cmd.Start() }
	return <-started
}
