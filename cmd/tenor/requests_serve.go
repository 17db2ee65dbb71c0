package main

import (
	"log/slog"
	"time"

	"tenor/internal/requestlog"
	"tenor/internal/store"
)

type requestLogFlag struct {
	RequestLog string `name:"request-log" env:"TENOR_REQUEST_LOG" enum:"on,off" default:"on" help:"Keep a log of API requests for 30 days, masked: on or off."`
}

func (f requestLogFlag) off() bool { return f.RequestLog == "off" }

// requestLog is what writes the calls that this process answers; nil: nobody wants them.
func (n *node) requestLog(wall func() time.Time, log *slog.Logger) *requestlog.Log {
	if n.unlogged {
		return nil
	}
	return requestlog.New(requestlog.Config{Store: n.db, Node: n.name, Alone: n.alone, Now: wall, Log: log})
}

// keep is who is told of calls for the request log; nil: nobody.
func (s *server) keep() func(size int, row func() store.RequestRow) {
	if s.calls == nil {
		return nil
	}
	return s.calls.Add
}

// markDigits keep a mark short: it tells two values apart, and tells nobody a value even
// who holds the key.
const markDigits = 6

// mark tells masked values apart under the key of fingerprints, which the database holds
// sealed.
func (n *node) mark(text string) string {
	return n.fingerprint("request log", text)[:markDigits]
}
