package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// counting counts what is written to it.
type counting int64

// Write accepts everything.
func (c *counting) Write(p []byte) (int, error) {
	*c += counting(len(p))
	return len(p), nil
}

// A download is written as it arrives, even if it is larger than any response kept in memory. It
// requests its media type. A problem is still a problem. An interrupted download is an error and
// is not retried.
func TestDownload(t *testing.T) {
	const large = maxAnswer + 1<<20
	asked := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.RequestURI()+" "+r.Header.Get("Accept")]++
		switch {
		case strings.HasPrefix(r.URL.Path, "/v1/operator/ledger"):
			_, _ = io.CopyN(w, zeros{}, large)
		case strings.HasPrefix(r.URL.Path, "/v1/payouts/export"):
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte("line_id"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case strings.HasSuffix(r.URL.Path, "/2026-02"):
			_, _ = w.Write([]byte("%PDF-"))
		default:
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"code":"not_found","status":404}`))
		}
	}))
	t.Cleanup(server.Close)
	c, err := New(server.URL, "token")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	var n counting
	if err := c.ExportEntries(ctx, "2026-01-01", "", Ledger, &n); err != nil || n != large {
		t.Errorf("%d bytes of %d: %v", n, large, err)
	}
	var b strings.Builder
	if err := c.StatementFile(ctx, "7", "2026-02", PDF, &b); err != nil || b.String() != "%PDF-" {
		t.Errorf("%q %v", b.String(), err)
	}
	b.Reset()
	since := time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)
	if err := c.ExportPayouts(ctx, since, time.Time{}, CSV, &b); err == nil || !strings.Contains(err.Error(), "broke off after 7 bytes") {
		t.Errorf("an answer that breaks off: %v", err)
	}
	b.Reset()
	var p *Problem
	if err := errors.Join(c.PayoutFile(ctx, "po_1", HTML, &b), c.InvoiceFile(ctx, "inv_1", HTML, &b), c.NoticeFile(ctx, "ntc_1", PDF, &b)); !errors.As(err, &p) || b.Len() > 0 {
		t.Errorf("a problem: %v, %q", err, b.String())
	}
	for _, want := range []string{
		"/v1/operator/ledger/entries?from=2026-01-01 text/plain", "/v1/companies/7/statements/2026-02 application/pdf",
		"/v1/payouts/export?updated_since=2026-01-15T00%3A00%3A00Z text/csv", "/v1/payouts/po_1 text/html", "/v1/invoices/inv_1 text/html", "/v1/operator/notices/ntc_1 application/pdf",
	} {
		if asked[want] != 1 {
			t.Errorf("%s was asked for %d times: %v", want, asked[want], asked)
		}
	}
}

// zeros is an endless reader.
type zeros struct{}

// Read fills the buffer.
func (zeros) Read(p []byte) (int, error) { return len(p), nil }
