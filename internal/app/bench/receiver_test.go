package bench

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// What a receiver got is compared with what happened.
func TestWrongDeliveries(t *testing.T) {
	var events []store.EventRow
	for i := range 4 {
		events = append(events, store.EventRow{ID: fmt.Sprint("e", i), Object: credit.ObjectRef{Type: "order", ID: fmt.Sprint("o", i/2)}, Sequence: int64(i%2 + 1)})
	}
	for _, x := range []struct{ name, came, says string }{
		{"all", "e0 e1 e2 e3", ""},
		{"objects mixed, one twice", "e2 e0 e3 e2 e1", ""},
		{"one missing", "e0 e1 e2", "1 of 4 events are missing, such as e3"},
		{"a predecessor missing", "e0 e1 e3", "1 of 4 events are missing, such as e2; 1 events came before their predecessor"},
		{"wrong order", "e1 e0 e2 e3", "2 events came before their predecessor"},
		{"invented", "e0 e9 e1 e2 e3", "1 events came that never happened"},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := &receiver{first: map[string]time.Time{}}
			for _, id := range strings.Fields(x.came) {
				r.take(id, time.Now())
			}
			if got := strings.Join(r.wrong(events), "; "); got != x.says {
				t.Errorf("found %q, want %q", got, x.says)
			}
		})
	}
}

// A receiver understands what Go's client sends, and keeps it in order.
func TestReceiver(t *testing.T) {
	x, err := newReceiver()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"e1", "e2", "e1"} {
		q, err := http.NewRequest("POST", x.url(), strings.NewReader(`{"text":"a\r\n\r\nb"}`))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Webhook-Id", id)
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		if a.Body.Close(); a.StatusCode != http.StatusNoContent {
			t.Errorf("%s: %s", id, a.Status)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if got := strings.Join(x.order, " "); got != "e1 e2" {
		t.Errorf("received %q", got)
	}
	if err := x.close(); err != nil {
		t.Error(err)
	}
	for _, head := range []string{"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n", "POST / HTTP/1.1\r\nWebhook-Id: e1\r\n\r\n", "POST / HTTP/1.1\r\nWebhook-Id: e1\r\nContent-Length: x\r\n\r\n", "POST"} {
		if _, _, err := readHead(bufio.NewReader(strings.NewReader(head))); err == nil {
			t.Errorf("%q was taken for a webhook", head)
		}
	}
}
