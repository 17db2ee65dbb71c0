package operate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
	"tenor/internal/core/store"
	"tenor/internal/edge/gate"
	"tenor/internal/office/alarm"
)

// Free space on the disk of a data directory.
const (
	roomWarning = 2 << 30
	roomFailed  = 256 << 20
)

// room checks the free space where the data is stored.
func (x *examination) room(context.Context) []finding {
	const name = "disk"
	if x.at.Dir == "" {
		return nil
	}
	free, known := node.FreeBytes(x.at.Dir)
	if !known {
		return nil
	}
	f := fine(name, fmt.Sprintf("%s free", terminal.Size(int(free))))
	switch {
	case free < roomFailed:
		f = finding{name, failed, f.Text + "; writes will be refused", "Free up space, or move " + x.at.Dir + " to a larger disk."}
	case free < roomWarning:
		f = finding{name, warning, f.Text, "Free up space. When the disk is full, writes are refused."}
	}
	return []finding{f}
}

// enoughFiles is how many files and connections a server may need to have open.
const enoughFiles = 4096

// files checks how many files a process may have open.
func (x *examination) files(context.Context) []finding {
	const name = "open files"
	limit, known := node.OpenFileLimit()
	if !known {
		return nil
	}
	if b, enough := gate.Room(limit, node.FilesOfDatabase+node.DefaultReaders, gate.DefaultMost); !enough {
		return []finding{{name, failed, fmt.Sprintf("the limit is %d; the server will not start", limit), "ulimit -n 65536, or LimitNOFILE=65536 in the service unit"}}
	} else if limit < enoughFiles {
		return []finding{{name, warning, fmt.Sprintf("the limit is %d, enough for about %d client connections", limit, b.Connections), "ulimit -n 65536, or LimitNOFILE=65536 in the service unit"}}
	}
	return []finding{fine(name, fmt.Sprintf("the limit is %d", limit))}
}

// secrets checks who can read the secret files: the named key, the rails file and what it names.
func (x *examination) secrets(context.Context) []finding {
	const name = "secrets"
	files := slices.DeleteFunc([]string{x.c.KeyFile, x.a.Getenv("TENOR_CLIENT_SECRET_FILE")}, func(s string) bool { return s == "" })
	files = append(files, x.c.RailFlags.SecretFiles()...)
	var open []string
	for _, path := range files {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return []finding{{name, failed, "no such file: " + path, "Correct the path, or create the file: " + x.a.Program + " keys create FILE"}}
		case err != nil:
			return []finding{{name, failed, err.Error(), ""}}
		case !node.OwnersOnly(info):
			open = append(open, path)
		}
	}
	if len(open) == 0 {
		return []finding{fine(name, fmt.Sprintf("only the owner can read the %s in use", terminal.Counted(len(files), "file", "files")))}
	}
	if x.c.Fix {
		if err := closeFiles(open); err != nil {
			return []finding{{name, failed, err.Error(), ""}}
		}
		return []finding{fine(name, "fixed: only the owner can read "+strings.Join(open, ", "))}
	}
	return []finding{{name, failed, "others can read " + strings.Join(open, ", ") + "; the server will not start with them", "chmod 600 " + strings.Join(open, " ")}}
}

// closeFiles removes access to files for everyone but their owner.
func closeFiles(paths []string) error {
	var all error
	for _, path := range paths {
		all = errors.Join(all, os.Chmod(path, 0o600))
	}
	return all
}

// looking bounds a check over the network.
const looking = 10 * time.Second

// caller makes requests with a timeout.
func caller() *http.Client { return &http.Client{Timeout: looking} }

// Days for which a certificate must still be valid.
const (
	certificateWarning = 30
	certificateFailed  = 7
)

// address checks the address at which callers reach the server: that it answers, that its
// certificate is valid long enough, and that its clock agrees with ours.
func (x *examination) address(ctx context.Context) []finding {
	const name = "address"
	if x.c.PublicURL == "" {
		return []finding{{name, warning, "no --public-url; links point to this machine", "Pass the same --public-url as to serve."}}
	}
	u, err := url.Parse(x.c.PublicURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return []finding{{name, failed, x.c.PublicURL + " is not an http or https URL", "It should look like https://pay.example.com."}}
	}
	ctx, cancel := context.WithTimeout(ctx, looking)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(x.c.PublicURL, "/")+"/healthz", nil)
	if err != nil {
		return []finding{{name, failed, err.Error(), ""}}
	}
	answer, err := caller().Do(r)
	if err != nil {
		return []finding{{name, failed, "no answer from " + u.Host + ": " + plainCause(err), "Check that a server is running, the DNS name and the certificate."}}
	}
	defer answer.Body.Close()
	out := []finding{fine(name, u.Host+" is reachable")}
	if answer.StatusCode != http.StatusOK {
		out[0] = finding{name, failed, fmt.Sprintf("%s/healthz returned %d", u.Host, answer.StatusCode), "Check whether another program uses this address."}
	}
	local := u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
	switch {
	case answer.TLS != nil:
		out = append(out, x.certificate(answer.TLS))
	case !local:
		out = append(out, finding{"tls", warning, "no TLS; tokens can be read in transit", "Put a TLS proxy in front of it and use its https URL."})
	}
	if answer.Header.Get(node.ProxyHeader) == node.ProxyUntrusted {
		out = append(out, finding{
			"proxy", failed, "the server does not trust the proxy at " + u.Host + "; all clients share one address and its limits",
			"Pass the proxy's network, as seen by the server, to serve --trusted-proxies.",
		})
	}
	return append(out, x.skew(answer.Header.Get("Date"))...)
}

// certificate checks when a certificate expires.
func (x *examination) certificate(state *tls.ConnectionState) finding {
	const name = "tls"
	end := state.PeerCertificates[0].NotAfter
	days := int(end.Sub(x.a.Wall()).Hours() / 24)
	text := fmt.Sprintf("the certificate expires on %s, in %d days", end.UTC().Format(time.DateOnly), days)
	switch {
	case days < certificateFailed:
		return finding{name, failed, text, "Renew it now."}
	case days < certificateWarning:
		return finding{name, warning, text, "Renew it, and check why it was not renewed automatically."}
	}
	return fine(name, text)
}

// serverSkew is how far the clocks of this machine and the server may differ: a Date header has
// whole seconds.
const serverSkew = 5 * time.Second

// skew compares this machine's clock with the server's.
func (x *examination) skew(date string) []finding {
	const name = "server clock"
	at, err := http.ParseTime(date)
	if err != nil {
		return nil // the server has not said
	}
	off := x.a.Wall().Sub(at)
	if off.Abs() > serverSkew {
		return []finding{{name, failed, fmt.Sprintf("differs from this machine's clock by %s", off.Abs().Round(time.Second)), "Sync both with NTP."}}
	}
	return []finding{fine(name, "matches this machine's clock")}
}

// plainCause strips the request from an error of a request.
func plainCause(err error) string {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return err.Error()
}

// port checks that the server's port is free, or in use by a Tenor server.
func (x *examination) port(ctx context.Context) []finding {
	const name = "port"
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", x.c.Addr)
	if err == nil {
		_ = l.Close()
		return []finding{fine(name, x.c.Addr+" is free")}
	}
	ctx, cancel := context.WithTimeout(ctx, looking)
	defer cancel()
	r, bad := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+hostOf(x.c.Addr)+"/healthz", nil)
	if bad == nil {
		if answer, gone := caller().Do(r); gone == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return []finding{fine(name, "a server is running on "+x.c.Addr)}
			}
		}
	}
	return []finding{{name, failed, x.c.Addr + " is not available, and no Tenor server is there: " + err.Error(), "Stop the program that uses it, or choose another port with --addr."}}
}

// hostOf adds a host to an address without one.
func hostOf(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port)
}

// chain checks that each batch of the audit log follows the one before it, up to the head of the
// book. verify checks the contents of the batches.
func (x *examination) chain(ctx context.Context) []finding {
	const name = "audit chain"
	if x.db == nil {
		return nil
	}
	var hash [32]byte
	n, broken := 0, ""
	err := x.db.View(ctx, func(v store.View) error {
		head, err := v.Head()
		if err != nil {
			return err
		}
		if err := store.EachBatch(v, func(b store.BatchRow) error {
			if b.Tombstone || broken != "" {
				return nil
			}
			n++
			if want := sha256.Sum256(slices.Concat(hash[:], b.Digest[:])); want != b.Hash {
				broken = fmt.Sprintf("the batch of commits %d to %d does not follow the one before it", b.FirstQ, b.LastQ)
			}
			hash = b.Hash
			return nil
		}); err != nil {
			return err
		}
		if broken == "" && head.Hash != hash {
			broken = fmt.Sprintf("it does not end at the last commit, %d", head.Q)
		}
		return nil
	})
	switch {
	case err != nil:
		return []finding{{name, failed, err.Error(), ""}}
	case broken != "":
		return []finding{{name, failed, broken, "Leave everything unchanged and run\n  " + x.a.Program + " verify" + x.at.Flag()}}
	}
	return []finding{fine(name, fmt.Sprintf("intact, %s", terminal.Counted(n, "batch", "batches")))}
}

// endpoints counts the destinations of events.
func (x *examination) endpoints(ctx context.Context) []finding {
	const name = "endpoints"
	if x.db == nil {
		return nil
	}
	on, off := 0, []string(nil)
	err := x.db.View(ctx, func(v store.View) error {
		for page := (store.Page{Limit: 500}); ; {
			list, err := store.ListEndpoints(v, "", page)
			if err != nil {
				return err
			}
			for _, e := range list {
				if e.Enabled {
					on++
				} else if e.DeletedAt.IsZero() && e.DisabledReason != "" {
					off = append(off, e.ID)
				}
			}
			if len(list) < page.Limit {
				return nil
			}
			last := list[len(list)-1]
			page.AfterAt, page.AfterID = last.CreatedAt, last.ID
		}
	})
	switch {
	case err != nil:
		return []finding{{name, failed, err.Error(), ""}}
	case len(off) > 0:
		return []finding{{name, warning, fmt.Sprintf("%d enabled; disabled after failed deliveries: %s", on, strings.Join(off, " ")), x.a.Program + " webhooks update " + off[0] + " --enable"}}
	}
	return []finding{fine(name, fmt.Sprintf("%d enabled", on))}
}

// bank lists the files that the bank has left, and takes none.
func (x *examination) bank(ctx context.Context, c node.Carriers) finding {
	const name = "bank"
	ctx, cancel := context.WithTimeout(ctx, looking)
	defer cancel()
	list, err := c.Bank.Fetch(ctx)
	if err != nil {
		return finding{name, failed, "unreachable: " + err.Error(), "Files are not sent until then. Check its address, key and directories in the rails file."}
	}
	return fine(name, fmt.Sprintf("reachable, with %s to pick up", terminal.Counted(len(list), "file", "files")))
}

// bankFiles checks that the bank has received the files for it, and has acknowledged them. One
// page of them is enough to say that some wait.
func (x *examination) bankFiles(ctx context.Context, c node.Carriers) finding {
	const name = "bank files"
	if x.db == nil {
		return finding{name, warning, "the database cannot be opened", "Fix the database first."}
	}
	var here, late []string
	err := x.db.View(ctx, func(v store.View) error {
		page := store.Page{Limit: 100}
		built, err := store.ListFiles(v, store.FileBuilt, page)
		if err != nil {
			return err
		}
		for _, f := range built {
			if !x.now.Before(f.CreatedAt.Add(alarm.SendWithin)) {
				here = append(here, f.ID)
			}
		}
		sent, err := store.ListFiles(v, store.FileSent, page)
		for _, f := range sent {
			if !x.now.Before(alarm.AnswerBy(x.zone, f.MovedAt)) {
				late = append(late, f.ID)
			}
		}
		return err
	})
	switch {
	case err != nil:
		return finding{name, failed, err.Error(), ""}
	case len(here) > 0:
		return finding{name, warning, "may not have reached the bank: " + strings.Join(here, " "), x.a.Program + " alarms --kind file_unsent says what to do."}
	case c.Silent:
		return fine(name, "all sent; the rails file expects no acknowledgment")
	case len(late) > 0:
		return finding{name, warning, "the bank has not acknowledged " + strings.Join(late, " "), "Ask the bank whether it received them. Then see " + x.a.Program + " alarms --kind file_unanswered."}
	}
	return fine(name, "all sent and acknowledged")
}
