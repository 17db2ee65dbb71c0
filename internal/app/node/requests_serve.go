package node

import (
	"log/slog"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/edge/requestlog"
)

// RequestLogFlag says which calls the request log keeps.
type RequestLogFlag struct {
	RequestLog string `name:"request-log" env:"TENOR_REQUEST_LOG" enum:"on,off" default:"on" help:"Keep a log of API requests for 30 days, masked: on or off."`
	Rate       uint   `name:"request-log-rate" env:"TENOR_REQUEST_LOG_RATE" default:"100" placeholder:"N" help:"Maximum number of successful API requests of one client per second in the request log. Requests that fail are always logged."`
}

// Off reports whether calls are not logged.
func (f RequestLogFlag) Off() bool { return f.RequestLog == "off" }

// requestLog returns the log of the calls that this process answers; nil: they are not logged.
func (n *Node) requestLog(wall func() time.Time, log *slog.Logger) *requestlog.Log {
	if n.Unlogged {
		return nil
	}
	return requestlog.New(requestlog.Config{Store: n.DB, Node: n.Name, Alone: n.alone, Now: wall, Log: log, Rate: n.LogRate})
}

// Keep returns the function that adds calls to the request log; nil: they are not logged.
func (s *Server) Keep() func(size int, row func() store.RequestRow) {
	if s.Calls == nil {
		return nil
	}
	return s.Calls.Add
}

// Skip returns the function that leaves successful calls out of the request log; nil: they are
// not logged.
func (s *Server) Skip() func(client string, status int) bool {
	if s.Calls == nil {
		return nil
	}
	return s.Calls.Skip
}

// markDigits keeps a mark short: enough to tell two values apart, too little to reveal a value
// even to someone who has the key.
const markDigits = 6

// mark tells masked values apart. It uses the fingerprint key, which the database stores sealed.
func (n *Node) mark(text string) string {
	return n.Fingerprint("request log", text)[:markDigits]
}
