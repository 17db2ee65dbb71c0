package webhook

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"tenor/internal/domain/credit"
)

// BenchmarkFanOut is W7 in small: each event goes to three endpoints over loopback, one of
// which is dead; on SQLite, durable. It reports deliveries per second.
func BenchmarkFanOut(b *testing.B) {
	var got atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		got.Add(1)
	}))
	defer s.Close()
	w := newWorldOn(b, openSQLite(b, filepath.Join(b.TempDir(), "tenor.db")))
	shop := w.merchant("Shop")
	w.endpoint(shop, s.URL+"/a")
	w.endpoint(shop, s.URL+"/b")
	w.endpoint(shop, "http://127.0.0.1:1/dead")
	for i := 0; i < b.N; i += 50 {
		w.emit(shop, order(fmt.Sprint("o", i)), repeat(min(50, b.N-i), credit.OrderUpdatedEvent)...)
	}
	sender, stop := w.start(func(c *Config) { c.Client, c.Workers = nil, 0 })
	b.ResetTimer()
	for int(sender.Stats().Delivered) < 2*b.N {
		time.Sleep(time.Millisecond)
	}
	b.StopTimer()
	b.ReportMetric(float64(2*b.N)/b.Elapsed().Seconds(), "deliveries/s")
	stop()
	if n := w.pending(); n != b.N || int(got.Load()) != 2*b.N {
		b.Errorf("%d pending, %d received", n, got.Load())
	}
}
