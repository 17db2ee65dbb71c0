//go:build unix

package pgtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// first is the empty data directory that the servers of the process begin with, while somebody will
// remove it: initdb takes seven times as long as a copy.
var first model

type model struct {
	mu      sync.Mutex
	allowed bool
	dir     string
}

func (m *model) allow() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.allowed = true
}

func (m *model) remove() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dir != "" {
		_ = os.RemoveAll(m.dir) // a leftover takes room until it is removed, and nothing else
	}
	m.dir, m.allowed = "", false
}

// begin creates the data directory of a server.
func (m *model) begin(c *Cluster) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.allowed {
		return c.initialize(c.data())
	}
	if m.dir == "" {
		dir, err := c.installation.directory()
		if err != nil {
			return err
		}
		if err := c.initialize(filepath.Join(dir, "data")); err != nil {
			return errors.Join(err, os.RemoveAll(dir))
		}
		m.dir = dir
	}
	return copyAll(filepath.Join(m.dir, "data"), c.data(), c.installation.credential)
}

func (c *Cluster) initialize(data string) error {
	return c.installation.run(c.dir, "initdb", "-D", data, "--no-sync", "--no-instructions", "-A", "trust", "-U", User, "--locale=C", "-E", "UTF8")
}

// copyAll copies a directory of files and directories, and gives the copy to a user.
func copyAll(from, to string, owner *syscall.Credential) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, below)
		if d.IsDir() {
			err = os.Mkdir(target, 0o700)
		} else {
			err = copyFile(path, target)
		}
		if err == nil && owner != nil {
			err = os.Chown(target, int(owner.Uid), int(owner.Gid))
		}
		return err
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = out.ReadFrom(in)
	return errors.Join(err, out.Close())
}
