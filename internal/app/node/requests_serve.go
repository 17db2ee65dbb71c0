package node

import (
	"log/slog"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/edge/requestlog"
)

// RequestLogFlag says whether calls are logged.
type RequestLogFlag struct {
	RequestLog string `name:"request-log" env:"TENOR_REQUEST_LOG" enum:"on,off" default:"on" help:"Keep a log of API requests for 30 days, masked: on or off."`
}

// Off says that no calls are logged.
func (f RequestLogFlag) Off() bool { return f.RequestLog == "off" }

// requestLog is what writes the calls that this process answers; nil: they are not kept.
func (n *Node) requestLog(wall func() time.Time, log *slog.Logger) *requestlog.Log {
	if n.Unlogged {
		return nil
	}
	return requestlog.New(requestlog.Config{Store: n.DB, Node: n.Name, Alone: n.alone, Now: wall, Log: log})
}

// Keep gets calls for the request log; nil: nobody does.
func (s *Server) Keep() func(size int, row func() store.RequestRow) {
	if s.Calls == nil {
		return nil
	}
	return s.Calls.Add
}

// markDigits keep a mark short: it tells two values apart, and tells nobody a value even
// who holds the key.
const markDigits = 6

// mark tells masked values apart under the key of fingerprints, which the database holds
// sealed.
func (n *Node) mark(text string) string {
	return n.Fingerprint("request log", text)[:markDigits]
}
