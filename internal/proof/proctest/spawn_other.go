//go:build !linux

package proctest

import "os/exec"

// Spawn starts a command. Only Linux can kill it when the test process is killed. The error is
// that of cmd.Start.
func Spawn(cmd *exec.Cmd) error { return cmd.Start() }
