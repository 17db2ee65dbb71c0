package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tenor/client"
	"tenor/internal/app/exit"
)

// receiver accepts webhooks and checks them like a merchant's.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	secret string
	d      *desk
	status int
	got    []string // IDs of properly signed events
	wrong  []string
}

func newReceiver(t *testing.T, d *desk) *receiver {
	r := &receiver{d: d, status: http.StatusNoContent}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		e, err := client.VerifyWebhook([]string{r.secret}, q.Header, body, d.now)
		if err != nil || q.URL.RequestURI() != "/hooks?x=1" || q.Header.Get("Content-Type") != "application/json" {
			r.wrong = append(r.wrong, q.URL.RequestURI()+": "+string(body))
		} else {
			r.got = append(r.got, e.ID)
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

func TestListen(t *testing.T) {
	f := newFake(t)
	d := newDesk(t, f.URL)
	r := newReceiver(t, d)
	r.secret = strings.TrimSpace(d.must("webhooks", "listen", "--print-secret"))
	args := []string{"webhooks", "listen", "--forward-to", r.URL + "/hooks?x=1", "--every", "1ms"}
	listen := func(more ...string) (string, string, int) { return d.do(append(args, more...)...) }

	// New events are forwarded, signed, byte for byte.
	out, errs, code := listen("--count", "1")
	if code != exit.Done || !strings.Contains(out, "order.refunded") || !strings.Contains(out, "ord_1 #3  -> 204 (") || !strings.Contains(errs, "Signing secret: "+r.secret) ||
		!strings.Contains(errs, "1 event forwarded, 0 rejected.") {
		t.Errorf("ended with %d: %s%s", code, out, errs)
	}
	// Past events, from a date on, and only some types.
	if out, errs, code = listen("--from", "2026-01-05", "--events", "order.captured,invoice.*", "--count", "2", "-q"); code != exit.Done || out != "evt_2\nevt_4\n" {
		t.Errorf("ended with %d: %s%s", code, out, errs)
	}
	if strings.Join(r.got, " ") != "evt_5 evt_2 evt_4" || len(r.wrong) > 0 {
		t.Errorf("received %v, and wrongly %v", r.got, r.wrong)
	}
	// Redirects are not followed, as with a real webhook; the stream continues.
	r.status = http.StatusFound
	if out, errs, code = listen("--from", "2026-01-05", "--count", "2", "--json"); code != exit.Done || strings.Count(out, `"status":302`) != 2 || len(r.wrong) > 0 {
		t.Errorf("ended with %d: %s%s", code, out, errs)
	}
	// A receiver that is down does not stop the stream.
	r.Close()
	if out, errs, code = listen("--from", "2026-01-05", "--count", "3"); code != exit.Done || strings.Count(out, "connection refused") != 3 || !strings.Contains(errs, "0 events forwarded, 3 rejected.") {
		t.Errorf("ended with %d: %s%s", code, out, errs)
	}
	if out, errs, code = listen("--from", "2026-01-05", "--count", "1", "--json"); code != exit.Done || !strings.Contains(out, `"status":null,"error":"`) {
		t.Errorf("ended with %d: %s%s", code, out, errs)
	}
}

// The secret is generated once, for this user alone.
func TestListenSecretStays(t *testing.T) {
	d := newDesk(t, "http://127.0.0.1:1")
	first, second := d.must("webhooks", "listen", "--print-secret"), d.must("webhooks", "listen", "--print-secret")
	path := filepath.Join(d.env["XDG_CONFIG_HOME"], "tenor", "webhook-secret")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || first != second || !strings.HasPrefix(first, "whsec_") {
		t.Errorf("%q and %q, kept with %v, %v", first, second, info, err)
	}
	if other := newDesk(t, "").must("webhooks", "listen", "--print-secret"); other == first {
		t.Error("two users have one secret")
	}
	if err := os.WriteFile(path, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := d.do("webhooks", "listen", "--print-secret"); code != exit.Refused || !strings.Contains(errs, "contains no signing secret") {
		t.Errorf("a spoilt file: %d, %s", code, errs)
	}
	d.env["XDG_CONFIG_HOME"], d.env["HOME"] = "", ""
	if _, _, code := d.do("webhooks", "listen", "--print-secret"); code != exit.Usage {
		t.Errorf("without a home: %d", code)
	}
}
