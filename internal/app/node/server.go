package node

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
	"tenor/internal/app/release"
	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/outcome"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/requestlog"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/webhook"
	"tenor/internal/office/buyer"
	"tenor/internal/office/clockwork"
	"tenor/internal/pages/portal"
)

// ShutdownTimeout is how long running requests may take at shutdown. Including the drain before
// it, the process is gone within 25 s.
const ShutdownTimeout = 10 * time.Second

// Authenticator exposes auth's principals to the API. Neither package knows the other.
type Authenticator struct{ *auth.Authenticator }

// Authenticate looks a token up by its hash.
func (a Authenticator) Authenticate(ctx context.Context, hash [32]byte) (rest.Principal, bool, error) {
	p, ok, err := a.Authenticator.Authenticate(ctx, hash)
	return rest.Principal{
		ClientID: p.Client, Tenant: p.Merchant, Operator: p.Operator, Scopes: p.Scopes, RatePerMinute: p.PerMinute, Burst: p.Burst,
	}, ok, err
}

// Server serves HTTP for a node.
type Server struct {
	node     *Node
	HTTP     *rest.Server
	sender   *webhook.Sender
	Work     *clockwork.Scheduler // does the work that is due; nil: not in this process
	Heads    *HeadDuty            // signs the audit chain; nil: not in this process
	Calls    *requestlog.Log      // writes the request log; nil: there is none
	reads    *engine.Later        // records reads of personal data; nil: a sandbox records none
	desk     *buyer.Desk          // handles applications and mail
	Release  func()               // releases requests that are waiting for something that will not come
	log      *slog.Logger
	Draining atomic.Bool
	reached  kept // whether the database answers
}

// NewServer returns a node's server with the API and the probes. base is the public address.
func NewServer(n *Node, base string, wall func() time.Time, log *slog.Logger) (*Server, error) {
	sender, err := newSender(n, wall, log)
	if err != nil {
		return nil, err
	}
	tokens := auth.NewAuthenticator(n.DB, wall)
	service := n.service(tokens, wall)
	s := &Server{node: n, sender: sender, log: log, Release: func() {}}
	if s.desk, err = n.NewDesk(base, wall, log); err != nil {
		return nil, err
	}
	service.Desk = s.desk
	if n.Mode == Live {
		s.reads = engine.NewLater(n.Engine)
		service.Reads = s.reads.Add
	}
	s.Calls = n.requestLog(wall, log)
	var hooks receivers
	if n.Controls != nil {
		hooks = newReceivers(n, base, sender, wall)
		service.Receivers, service.SuspendLater = hooks, n.SuspendLater
	}
	api, err := httpapi.New(rest.Config{
		BaseURL: base, Authenticator: Authenticator{tokens}, CursorKey: n.Cursors, Log: log, Now: wall, TrustedProxies: n.Proxies,
		Keep: httpapi.Logged(s.Keep()), Skip: s.Skip(), Mark: n.mark,
		Observe: func(o rest.Observation) {
			n.Metrics.Request(o.Operation, o.Method, o.Status, o.Code, o.Duration)
			if o.Status < 300 && o.Method != http.MethodGet && o.Method != http.MethodHead {
				sender.Notify() // there may be an event to send
			}
		},
	}, httpapi.Table(service))
	if err != nil {
		return nil, err
	}
	handler := api.Handler()
	// Pages are created on first request: a server that is only probed and stopped again never needs
	// them.
	pages := sync.OnceValues(func() (http.Handler, error) { return n.portal(api, handler, base) })
	answering, err := s.withBuyers(base, wall, n.withFrontDoor(withPages(pages, handler, log)))
	if err != nil {
		return nil, err
	}
	if n.Controls != nil {
		shown, err := newScreens(n, handler, base, wall)
		if err != nil {
			return nil, err
		}
		answering, s.Release = withScreens(shown, hooks, answering), hooks.Release
	}
	s.HTTP = rest.NewServer("", s.withProbes(answering), log)
	s.HTTP.Connections.Most, s.HTTP.Connections.Proxies = n.Budget.Connections, n.Proxies
	s.HTTP.RegisterOnShutdown(s.Release)
	return s, nil
}

// service returns the API's nouns for a node.
func (n *Node) service(tokens *auth.Authenticator, wall func() time.Time) *serve.Service {
	return &serve.Service{
		Submit: n.Engine, Store: n.DB, Zone: n.Zone, Now: n.Now, Seed: n.Seed,
		OAuth: auth.NewServer(n.DB, n.Engine, tokens, wall), Seal: n.Ring.Seal, Open: n.Ring.Open, Fingerprint: n.Fingerprint, CheckURL: n.Rules().CheckURL,
		Sandbox: n.Mode == Sandbox, Controls: n.Controls, SilentBank: n.SilentBank,
	}
}

// newSender returns the sender of the node's events.
func newSender(n *Node, wall func() time.Time, log *slog.Logger) (*webhook.Sender, error) {
	return webhook.New(webhook.Config{
		Backend: n.DB, Submit: n.Engine, Open: n.Ring.Open, Node: n.Name, Now: wall, Log: log,
		Sandbox: n.Mode == Sandbox, Alone: n.alone, Rules: n.Rules(), Workers: n.Budget.Deliveries,
	})
}

// portal returns a node's developer pages: in a sandbox their forms work.
func (n *Node) portal(served *httpapi.API, handler http.Handler, base string) (http.Handler, error) {
	if n.Mode == Sandbox {
		return newPortal(served, handler, base)
	}
	return newPortal(served, nil, base)
}

// newPortal returns the developer pages for the served contract. try answers their forms; nil: no
// forms.
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
		OpenAPI: contract, BaseURL: base, Version: release.Version, Docs: docs.Files, Codes: codes, Events: outcome.EventTable(),
		States: outcome.StatusTable(), Try: try, Examples: examples,
	})
}

// withFrontDoor redirects browsers from / to the sandbox's pages, or to the documentation. To any
// other client, the API says what is where.
func (n *Node) withFrontDoor(next http.Handler) http.Handler {
	home := "/docs"
	if n.Controls != nil {
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

// withPages serves pages below /docs, and leaves the rest to the API.
func withPages(pages func() (http.Handler, error), next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/docs" && !strings.HasPrefix(r.URL.Path, "/docs/") {
			next.ServeHTTP(w, r)
			return
		}
		p, err := pages()
		if err != nil { // a page is broken; tests render them all
			log.Error("developer portal", "error", err.Error())
			http.Error(w, "The pages are not available.", http.StatusInternalServerError)
			return
		}
		p.ServeHTTP(w, r)
	})
}

// withProbes answers /healthz and /readyz, which are not logged, and leaves the rest to the API.
func (s *Server) withProbes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case read && r.URL.Path == "/healthz":
			if rest.ForwardedBy(r, s.node.Proxies) {
				w.Header().Set(ProxyHeader, ProxyUntrusted)
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

// ProxyHeader tells doctor, which calls the public address, that the server does not trust the
// proxy there.
const (
	ProxyHeader    = "Tenor-Proxy"
	ProxyUntrusted = "not trusted"
)

func probe(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	fmt.Fprintf(w, "{\"status\":%q}\n", text)
}

// ready returns nil while the node can do all its work: it is not stopping, takes writes, and its
// database answers within a second.
func (s *Server) ready(ctx context.Context) error {
	if s.Draining.Load() {
		return errors.New("stopping")
	}
	if err := s.node.Engine.Health(); err != nil {
		return err
	}
	return s.reached.ask(func() error {
		// The caller may be gone before the answer, which others use, too.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_, _, err := store.Setting(ctx, s.node.DB, settingMode) // a read that reaches the database
		return err
	})
}

// lookKept is how long the result of a database check is reused: probes need no token, so without
// it anyone could query the database without limit.
const lookKept = 200 * time.Millisecond

// kept is the latest result of a check.
type kept struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// ask checks, unless a recent result exists. Only one check runs at a time.
func (k *kept) ask(look func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.at.IsZero() || time.Since(k.at) >= lookKept {
		k.err = look()
		k.at = time.Now()
	}
	return k.err
}

// Serve answers until the context ends. Then it reports not ready, continues for as long as a
// load balancer needs to notice, accepts no more connections, and finishes the running requests.
func (s *Server) Serve(ctx context.Context, l net.Listener, drain time.Duration) error {
	defer s.Duties(ctx)()
	failed := make(chan error, 1)
	go func() { failed <- s.HTTP.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.Draining.Store(true)
	time.Sleep(drain)
	end, cancel := context.WithTimeout(context.Background(), ShutdownTimeout)
	defer cancel()
	if err := s.HTTP.Shutdown(end); err != nil {
		return errors.Join(fmt.Errorf("stop: %w", err), s.HTTP.Close())
	}
	return nil
}

// Duties starts the node's background work, until the returned function stops it: delivering
// events and doing what is due.
func (s *Server) Duties(ctx context.Context) (end func()) {
	ends := []func(){}
	if s.Heads != nil { // it stops last, and covers what the others have committed
		ends = append(ends, duty(ctx, s.log, "heads", s.Heads.Run))
	}
	if s.Calls != nil {
		ends = append(ends, duty(ctx, s.log, "requests", s.Calls.Run))
	}
	if s.reads != nil {
		ends = append(ends, duty(ctx, s.log, "reads", s.reads.Run))
	}
	ends = append(ends, duty(ctx, s.log, "webhooks", s.sender.Run))
	ends = append(ends, duty(ctx, s.log, "buyers", keepDesk(s.desk, s.node.Name)))
	if s.Work != nil {
		ends = append(ends, duty(ctx, s.log, "clockwork", s.Work.Run))
	}
	return func() {
		for _, end := range slices.Backward(ends) {
			end()
		}
	}
}

// duty starts a duty that runs until the returned function stops it: longer than the serving, but
// not as long as the engine.
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

// QuietLog is the log of commands that are not servers: warnings and errors only.
func QuietLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
