//go:build unix

package pgtest

import (
	"fmt"
	"net"
	"os"
	"testing"
)

// Standby creates a hot standby of the server and starts it. Backup and replication both go
// through the address via, host:port: the server's own, or that of a proxy in front of it. It has
// the server's settings except synchronous_standby_names, and then those of the options. It is
// removed at the end of the test.
func (c *Cluster) Standby(t testing.TB, via string, o Options) *Cluster {
	t.Helper()
	dir, err := c.installation.directory()
	if err != nil {
		t.Fatal(err)
	}
	s := &Cluster{installation: c.installation, dir: dir}
	s.cleanup(t)
	if err := s.follow(via, o); err != nil {
		t.Fatal(err)
	}
	if err := s.firstStart(); err != nil {
		t.Fatalf("standby: %v\n%s", err, s.tail())
	}
	return s
}

// follow takes the backup and configures which server the standby follows.
func (c *Cluster) follow(via string, o Options) error {
	host, port, err := net.SplitHostPort(via)
	if err != nil {
		return err
	}
	if o.Name == "" {
		o.Name = "standby"
	}
	// pg_basebackup's own option for that (-R) is not used: it also takes the address from flags and
	// the environment, and then the standby bypasses the proxy.
	primary := fmt.Sprintf("host=%s port=%s user=%s sslmode=disable application_name=%s", host, port, User, o.Name)
	if err := c.installation.run(c.dir, "pg_basebackup", "-D", c.data(), "-X", "stream", "-c", "fast", "--no-sync", "-d", primary); err != nil {
		return err
	}
	if err := c.configure(o); err != nil {
		return err
	}
	// The file of ALTER SYSTEM came with the backup and overrides the other one. A promoted standby
	// must not wait for standbys that it does not have.
	err = c.appendTo("postgresql.auto.conf", map[string]string{"primary_conninfo": primary, "synchronous_standby_names": ""})
	if err != nil {
		return err
	}
	return c.write("standby.signal", os.O_EXCL, "")
}

// Promote promotes a standby and returns when it accepts writes.
func (c *Cluster) Promote(t testing.TB) {
	t.Helper()
	if done := c.Query1(t, "postgres", "SELECT pg_promote(true, 60)"); done != "t" {
		t.Fatal("the standby is not promoted")
	}
}

// InRecovery reports whether the server is a standby that follows another, or is still
// recovering.
func (c *Cluster) InRecovery(t testing.TB) bool {
	t.Helper()
	return c.Query1(t, "postgres", "SELECT pg_is_in_recovery()") == "t"
}

// Synchronous makes commits wait for standbys, in the syntax of the setting
// synchronous_standby_names, and returns when one of them is waited for. With "" commits do not
// wait any more.
//
// The list of standbys shows the setting before it takes effect: whether a commit waits is
// determined by the checkpointer, which reads the setting when it has time. A checkpoint
// requested after the server had read the setting comes after that.
func (c *Cluster) Synchronous(t testing.TB, names string) {
	t.Helper()
	c.Set(t, map[string]string{"synchronous_standby_names": names})
	want := "SELECT count(*) > 0 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')"
	if names == "" {
		want = "SELECT count(*) = 0 FROM pg_stat_replication WHERE sync_state <> 'async'"
	}
	c.until(t, "synchronous "+names, func() bool { return c.Query1(t, "postgres", want) == "t" })
	c.Exec(t, "postgres", "CHECKPOINT")
}
