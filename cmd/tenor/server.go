package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tenor/api"
	"tenor/docs"
	"tenor/internal/auth"
	"tenor/internal/buyer"
	"tenor/internal/clockwork"
	"tenor/internal/credit"
	"tenor/internal/engine"
	"tenor/internal/httpapi"
	"tenor/internal/portal"
	"tenor/internal/requestlog"
	"tenor/internal/rest"
	"tenor/internal/webhook"
)

// shutdownTimeout is how long requests that are being answered may take at the
// end. With the drain before it the process is gone within 25 s.
const shutdownTimeout = 10 * time.Second

// authenticator shows auth's principals to the API. Neither knows the other.
type authenticator struct{ *auth.Authenticator }

// Authenticate looks a token up by its hash.
func (a authenticator) Authenticate(ctx context.Context, hash [32]byte) (rest.Principal, bool, error) {
	p, ok, err := a.Authenticator.Authenticate(ctx, hash)
	return rest.Principal{
		ClientID: p.Client, Tenant: p.Merchant, Operator: p.Operator, Scopes: p.Scopes, RatePerMinute: p.PerMinute, Burst: p.Burst,
	}, ok, err
}

// server answers HTTP for a node.
type server struct {
	node     *node
	http     *rest.Server
	sender   *webhook.Sender
	work     *clockwork.Scheduler // what brings what is due; nil: nobody here does
	heads    *headDuty            // what signs the audit chain; nil: nobody here does
	calls    *requestlog.Log      // what writes the request log; nil: there is none
	reads    *engine.Later        // what records reads of personal data; nil: a sandbox has none
	desk     *buyer.Desk          // what applications and mails need
	release  func()               // lets go of requests that wait for what does not come
	log      *slog.Logger
	draining atomic.Bool
	reached  kept // whether the database answers
}

// newServer puts the API and the probes on a node. base is the public address.
func newServer(n *node, base string, wall func() time.Time, log *slog.Logger) (*server, error) {
	sender, err := newSender(n, wall, log)
	if err != nil {
		return nil, err
	}
	tokens := auth.NewAuthenticator(n.db, wall)
	service := n.service(tokens, wall)
	s := &server{node: n, sender: sender, log: log, release: func() {}}
	if s.desk, err = n.newDesk(base, wall, log); err != nil {
		return nil, err
	}
	service.Desk = s.desk
	if n.mode == live {
		s.reads = engine.NewLater(n.engine)
		service.Reads = s.reads.Add
	}
	s.calls = n.requestLog(wall, log)
	var hooks receivers
	if n.controls != nil {
		hooks = newReceivers(n, base, sender, wall)
		service.Receivers, service.SuspendLater = hooks, n.suspendLater
	}
	api, err := httpapi.New(rest.Config{
		BaseURL: base, Authenticator: authenticator{tokens}, CursorKey: n.cursors, Log: log, Now: wall, TrustedProxies: n.proxies,
		Keep: httpapi.Logged(s.keep()), Mark: n.mark,
		Observe: func(o rest.Observation) {
			n.metrics.Request(o.Operation, o.Method, o.Status, o.Code, o.Duration)
			if o.Status < 300 && o.Method != http.MethodGet && o.Method != http.MethodHead {
				sender.Notify() // perhaps there is an event to send
			}
		},
	}, service.Table())
	if err != nil {
		return nil, err
	}
	handler, err := api.Handler()
	if err != nil {
		return nil, err
	}
	// Pages are made when somebody asks for one: a server that is probed and stopped
	// again does without.
	pages := sync.OnceValues(func() (http.Handler, error) { return n.portal(api, handler, base) })
	answering, err := s.withBuyers(base, wall, n.withFrontDoor(withPages(pages, handler, log)))
	if err != nil {
		return nil, err
	}
	if n.controls != nil {
		shown, err := newScreens(n, handler, base, wall)
		if err != nil {
			return nil, err
		}
		answering, s.release = withScreens(shown, hooks, answering), hooks.Release
	}
	s.http = rest.NewServer("", s.withProbes(answering), log)
	s.http.Connections.Most, s.http.Connections.Proxies = n.budget.Connections, n.proxies
	s.http.RegisterOnShutdown(s.release)
	return s, nil
}

// service is the API's nouns on a node.
func (n *node) service(tokens *auth.Authenticator, wall func() time.Time) *httpapi.Service {
	return &httpapi.Service{
		Submit: n.engine, Store: n.db, Zone: n.zone, Now: n.now, Seed: n.seed,
		OAuth: auth.NewServer(n.db, n.engine, tokens, wall), Seal: n.ring.Seal, Open: n.ring.Open, Fingerprint: n.fingerprint, CheckURL: n.rules().CheckURL,
		Sandbox: n.mode == sandbox, Controls: n.controls, SilentBank: n.silentBank,
	}
}

// newSender makes what delivers the node's events.
func newSender(n *node, wall func() time.Time, log *slog.Logger) (*webhook.Sender, error) {
	return webhook.New(webhook.Config{
		Backend: n.db, Submit: n.engine, Open: n.ring.Open, Node: n.name, Now: wall, Log: log,
		Sandbox: n.mode == sandbox, Alone: n.alone, Rules: n.rules(), Workers: n.budget.Deliveries,
	})
}

// portal is the pages for developers of a node: in a sandbox their forms are answered.
func (n *node) portal(served *httpapi.API, handler http.Handler, base string) (http.Handler, error) {
	if n.mode == sandbox {
		return newPortal(served, handler, base)
	}
	return newPortal(served, nil, base)
}

// newPortal makes the pages for developers of the contract that is served. try
// answers their forms; nil: they have none.
func newPortal(served *httpapi.API, try http.Handler, base string) (http.Handler, error) {
	contract, _, err := served.Contract()
	if err != nil {
		return nil, err
	}
	var codes []portal.Code
	for _, c := range httpapi.Codes() {
		codes = append(codes, portal.Code{Name: c.Name, Status: c.Status, Title: c.Title})
	}
	examples, err := portal.ReadExamples(api.Examples)
	if err != nil {
		return nil, err
	}
	return portal.New(portal.Config{
		OpenAPI: contract, BaseURL: base, Version: version, Docs: docs.Files, Codes: codes, Events: credit.EventTable(),
		States: credit.StatusTable(), Try: try, Examples: examples,
	})
}

// withFrontDoor leads browsers from / to the pages that there are: those of the sandbox, or
// the documentation. Whoever does not ask for a page is told by the API what is where.
func (n *node) withFrontDoor(next http.Handler) http.Handler {
	home := "/docs"
	if n.controls != nil {
		home = "/sandbox"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read := r.Method == http.MethodGet || r.Method == http.MethodHead
		if r.URL.Path != "/" || !read || !strings.Contains(r.Header.Get("Accept"), "text/html") {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Vary", "Accept")
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, home, http.StatusSeeOther)
	})
}

// withPages answers below /docs with pages, and the rest with the API.
func withPages(pages func() (http.Handler, error), next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/docs" && !strings.HasPrefix(r.URL.Path, "/docs/") {
			next.ServeHTTP(w, r)
			return
		}
		p, err := pages()
		if err != nil { // a page that is not true; tests make them all
			log.Error("developer portal", "error", err.Error())
			http.Error(w, "The pages cannot be shown.", http.StatusInternalServerError)
			return
		}
		p.ServeHTTP(w, r)
	})
}

// withProbes answers /healthz and /readyz, which nobody logs, and leaves the rest
// to the API.
func (s *server) withProbes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case read && r.URL.Path == "/healthz":
			if rest.ForwardedBy(r, s.node.proxies) {
				w.Header().Set(proxyHeader, proxyUntrusted)
			}
			probe(w, http.StatusOK, "ok")
		case read && r.URL.Path == "/readyz":
			if s.ready(r.Context()) != nil {
				probe(w, http.StatusServiceUnavailable, "not ready")
				return
			}
			probe(w, http.StatusOK, "ready")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// proxyHeader tells doctor, which asks under the public address, that the proxy there is
// none that the server trusts.
const (
	proxyHeader    = "Tenor-Proxy"
	proxyUntrusted = "not trusted"
)

func probe(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	fmt.Fprintf(w, "{\"status\":%q}\n", text)
}

// ready is nil while the node can do all its work: it is not stopping, takes
// writes, and its database answers within a second.
func (s *server) ready(ctx context.Context) error {
	if s.draining.Load() {
		return errors.New("stopping")
	}
	if err := s.node.engine.Health(); err != nil {
		return err
	}
	return s.reached.ask(func() error {
		// Whoever asks may be gone before the answer, which is for others, too.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_, _, err := s.node.db.Setting(ctx, settingMode) // a read that reaches the database
		return err
	})
}

// lookKept is for how long it is believed what a look at the database has found: probes
// need no token, so that anybody could have it looked at without end.
const lookKept = 200 * time.Millisecond

// kept is the latest look at something.
type kept struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// ask looks, unless somebody has just done so. One looks at a time.
func (k *kept) ask(look func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.at.IsZero() || time.Since(k.at) >= lookKept {
		k.err = look()
		k.at = time.Now()
	}
	return k.err
}

// serve answers until the context ends. Then it says that it is not ready, goes
// on for the time that a load balancer needs to see it, takes no more
// connections, and finishes the requests that run.
func (s *server) serve(ctx context.Context, l net.Listener, drain time.Duration) error {
	defer s.duties(ctx)()
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.draining.Store(true)
	time.Sleep(drain)
	end, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if err := s.http.Shutdown(end); err != nil {
		return errors.Join(fmt.Errorf("stop: %w", err), s.http.Close())
	}
	return nil
}

// duties starts what the node does besides answering, until the returned function ends
// it: events are delivered, and what is due is done.
func (s *server) duties(ctx context.Context) (end func()) {
	ends := []func(){}
	if s.heads != nil { // it ends last, and covers what the others have committed
		ends = append(ends, duty(ctx, s.log, "heads", s.heads.Run))
	}
	if s.calls != nil {
		ends = append(ends, duty(ctx, s.log, "requests", s.calls.Run))
	}
	if s.reads != nil {
		ends = append(ends, duty(ctx, s.log, "reads", s.reads.Run))
	}
	ends = append(ends, duty(ctx, s.log, "webhooks", s.sender.Run))
	ends = append(ends, duty(ctx, s.log, "buyers", keepDesk(s.desk, s.node.name)))
	if s.work != nil {
		ends = append(ends, duty(ctx, s.log, "clockwork", s.work.Run))
	}
	return func() {
		for _, end := range slices.Backward(ends) {
			end()
		}
	}
}

// duty starts one that goes on until the returned function ends it: longer than the
// serving, and not as long as the engine.
func duty(ctx context.Context, log *slog.Logger, name string, run func(context.Context) error) (end func()) {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := run(running); err != nil {
			log.Error(name, "error", err.Error())
		}
	}()
	return func() { stop(); <-ended }
}

// quietLog is the log of commands that serve nobody: warnings and errors only.
func quietLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
