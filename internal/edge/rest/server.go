package rest

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"tenor/internal/edge/gate"
	"tenor/internal/edge/throttle"
)

// largeBodyTimeout is how long a body above 1 MiB may take; 64 MiB in that time is about 4
// Mbit/s.
const largeBodyTimeout = 2 * time.Minute

// AnswerTimeout is how long writing an answer may take.
const AnswerTimeout = 30 * time.Second

// Server answers on connections that come through a gate, whichever listener it is given.
type Server struct {
	*http.Server
	// Connections bounds the number of connections, in all and per address. Change them
	// only before Serve.
	Connections gate.Limits
}

// NewServer returns a server with limits that keep slow and hostile connections from
// holding memory: header 5 s, read 15 s, write 30 s, idle 60 s, header 16 KiB, 100 streams,
// and as many connections as a gate admits.
func NewServer(address string, handler http.Handler, log *slog.Logger) *Server {
	return &Server{
		Connections: gate.Limits{Key: addressKey},
		Server: &http.Server{
			Addr:              address,
			Handler:           handler,
			ReadHeaderTimeout: 5 * time.Second,
			ReadTimeout:       15 * time.Second,
			WriteTimeout:      AnswerTimeout,
			IdleTimeout:       60 * time.Second,
			MaxHeaderBytes:    16<<10 - 4<<10, // the library adds 4 KiB
			HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 100},
			// OPTIONS * is answered like any other unknown path.
			DisableGeneralOptionsHandler: true,
			ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		},
	}
}

// addressKey is the key under which an address's connections are counted: the same as for
// its failures.
func addressKey(a netip.Addr) string { return throttle.AddressKey(a) }

// Serve is http.Server.Serve behind a gate.
func (s *Server) Serve(l net.Listener) error {
	g := gate.Listen(l, s.Connections)
	told := s.ConnState
	s.ConnState = func(c net.Conn, state http.ConnState) {
		g.State(c, state)
		if told != nil {
			told(c, state)
		}
	}
	return s.Server.Serve(g)
}
