package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// The limits of the listener: metrics are read seldom and quickly.
const (
	readTimeout  = 5 * time.Second
	writeTimeout = 15 * time.Second
	maxScrapes   = 4 // concurrent
	maxHeader    = 16 << 10
)

// Handler answers GET /metrics, and nothing else.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes}))
	return mux
}

// Serve answers on a listener until the context ends, and closes it.
func (m *Metrics) Serve(ctx context.Context, l net.Listener) error {
	s := &http.Server{Handler: m.Handler(), ReadTimeout: readTimeout, WriteTimeout: writeTimeout, MaxHeaderBytes: maxHeader}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics: %w", err)
	}
	return nil
}
