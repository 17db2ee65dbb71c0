//go:build !linux

package proctest

import "os/exec"

// Spawn starts a command. No kernel but Linux can kill it when the process of the
// tests is killed. The error is that of cmd.Start.
func Spawn(cmd *exec.Cmd) error { return cmd.Start() }
