package proctest

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// spawner starts all processes from one thread that lives as long as the tests. The kernel sends
// the parent-death signal when the thread that started a process ends, and the runtime ends
// threads at will.
var spawner = sync.OnceValue(func() chan func() {
	requests := make(chan func())
	go spawnAll(requests)
	return requests
})

// spawnAll starts processes as long as the tests run. It is the only permanent goroutine of this
// package: a test that checks for leaked goroutines ignores
// tenor/internal/proof/proctest.spawnAll.
func spawnAll(requests <-chan func()) {
	runtime.LockOSThread()
	for start := range requests {
		start()
	}
}

// Spawn starts a command that the kernel kills with SIGKILL when the test process ends in any
// way. The error is that of cmd.Start.
func Spawn(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started := make(chan error)
	spawner() <- func() { started <- cmd.Start() }
	return <-started
}
