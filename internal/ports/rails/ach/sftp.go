package ach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path"
	"sync"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"tenor/internal/ports/rails"
)

// SFTPConfig is a bank's server and how it is identified.
type SFTPConfig struct {
	Address string // host:port
	User    string
	Key     []byte // private key in PEM: the only way to sign in
	HostKey string // the server's key as ssh-keyscan prints it without the host: "ssh-ed25519 AAAA…"; no other is trusted
	// Directories on the server. Sent contains a mark of each file handed over and must be ours
	// alone. Without it, a file that the bank has taken away arrives twice if it is sent again.
	Out, In, Done, Sent string
	Timeout             time.Duration // of each call, 0: a minute
}

// SFTP is a bank behind a server. It connects on first use, and again after the connection is
// lost; then it retries the call once, since all calls are idempotent. It is safe for concurrent
// use: calls take turns.
type SFTP struct {
	cfg    SFTPConfig
	dirs   dirs
	client *ssh.ClientConfig

	mu   sync.Mutex
	link *link // nil while not connected
}

// link is a connection.
type link struct {
	ssh  *ssh.Client
	sftp *sftp.Client
}

func (l *link) close() { _ = errors.Join(l.sftp.Close(), l.ssh.Close()) }

// NewSFTP parses the keys. It does not connect.
func NewSFTP(c SFTPConfig) (*SFTP, error) {
	key, err := ssh.ParsePrivateKey(c.Key)
	if err != nil {
		return nil, errors.New("ach: sftp: the private key cannot be read") // the cause may quote it
	}
	host, _, _, _, err := ssh.ParseAuthorizedKey([]byte(c.HostKey))
	if err != nil {
		return nil, fmt.Errorf("ach: sftp: host key: %w", err)
	}
	for _, x := range []string{c.Address, c.User, c.Out, c.In, c.Done} {
		if x == "" {
			return nil, errors.New("ach: sftp: address, user and the directories out, in and done are required")
		}
	}
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	return &SFTP{cfg: c, dirs: dirs{out: c.Out, in: c.In, done: c.Done, sent: c.Sent, read: newReads()}, client: &ssh.ClientConfig{
		User:              c.User,
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(key)},
		HostKeyCallback:   ssh.FixedHostKey(host),
		HostKeyAlgorithms: algorithms(host.Type()),
	}}, nil
}

// algorithms are those with which a server may prove that it has a key.
func algorithms(keyType string) []string {
	if keyType == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{keyType}
}

// Send uploads a file under a temporary name and renames it. The same name with the same bytes
// has no effect; other bytes return ErrTaken.
func (s *SFTP) Send(ctx context.Context, name string, content []byte) error {
	if err := s.do(ctx, func(t tree) error { return s.dirs.send(t, name, content) }); err != nil {
		return fmt.Errorf("ach: sftp: send %s: %w", name, err)
	}
	return nil
}

// Fetch downloads the files that the bank has left, oldest first, at most a hundred at a time.
func (s *SFTP) Fetch(ctx context.Context) ([]rails.Incoming, error) {
	var out []rails.Incoming
	if err := s.do(ctx, func(t tree) (err error) {
		out, err = s.dirs.fetch(t)
		return err
	}); err != nil {
		return nil, fmt.Errorf("ach: sftp: fetch: %w", err)
	}
	return out, nil
}

// Done moves a file that the bank has left out of the way. It is idempotent.
func (s *SFTP) Done(ctx context.Context, name string) error {
	if err := s.do(ctx, func(t tree) error { return s.dirs.finish(t, name) }); err != nil {
		return fmt.Errorf("ach: sftp: finish %s: %w", name, err)
	}
	return nil
}

// Close closes the connection. The next call opens another.
func (s *SFTP) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

func (s *SFTP) drop() {
	if s.link != nil {
		s.link.close()
		s.link = nil
	}
}

// do runs work on the connection, and retries once on a new one if the old one was lost.
func (s *SFTP) do(ctx context.Context, work func(tree) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	for again := s.link != nil; ; again = false {
		if s.link == nil {
			l, err := s.connect(ctx)
			if err != nil {
				return fmt.Errorf("connect: %w", err)
			}
			s.link = l
		}
		stop := context.AfterFunc(ctx, s.link.close) // a silent server is given up when the call ends
		err := work(remote{s.link.sftp})
		if !stop() && err == nil {
			err = ctx.Err()
		}
		if err == nil || answered(err) {
			return err
		}
		s.drop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !again {
			return err
		}
	}
}

// answered reports whether an error is the server's answer, and not a lost connection.
func answered(err error) bool {
	var status *sftp.StatusError
	if errors.As(err, &status) {
		return status.FxCode() != sftp.ErrSSHFxConnectionLost && status.FxCode() != sftp.ErrSSHFxNoConnection
	}
	return errors.Is(err, ErrTaken) || errors.Is(err, ErrFile) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

func (s *SFTP) connect(ctx context.Context) (*link, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", s.cfg.Address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	c, channels, requests, err := ssh.NewClientConn(conn, s.cfg.Address, s.client)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	client := ssh.NewClient(c, channels, requests)
	files, err := sftp.NewClient(client)
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return &link{client, files}, nil
}

// remote is a tree on a server.
type remote struct{ c *sftp.Client }

func (r remote) put(name string, content []byte) error {
	temporary := path.Join(path.Dir(name), "."+path.Base(name)+".tmp")
	f, err := r.c.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = synced(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	info, err := r.c.Stat(temporary)
	if err != nil {
		return err
	}
	if info.Size() != int64(len(content)) {
		return fmt.Errorf("the server has only %d of %d bytes", info.Size(), len(content))
	}
	// Not every server lets a rename replace a file: remove what an interrupted call has left.
	if err := r.c.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return r.c.Rename(temporary, name)
}

// synced asks the server to flush the bytes to disk; not every server supports it.
func synced(f *sftp.File) error {
	err := f.Sync()
	var status *sftp.StatusError
	if errors.As(err, &status) && status.FxCode() == sftp.ErrSSHFxOpUnsupported {
		return nil
	}
	return err
}

func (r remote) get(name string) ([]byte, error) {
	f, err := r.c.Open(name)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	return content, errors.Join(err, f.Close())
}

func (r remote) rename(from, to string) error { return r.c.Rename(from, to) }

func (r remote) list(dir string) ([]fs.FileInfo, error) { return r.c.ReadDir(dir) }

func (r remote) exists(name string) (bool, error) {
	_, err := r.c.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
