package client

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReconcile(t *testing.T) {
	s := newStub(t, answer{}, ok(`{"as_of_seq":17,"rows":2,"matched":1,"missing_there":1,"differences":[{"kind":"missing_there","merchant_order_id":null,"order_key":"ord_1","row":null,"theirs":null,"ours":{"amount":5.00,"status":"CAPTURED"}}],"later":1}`),
		ok(`{"rows":1,"matched":1,"differences":[]}`))
	s.NewKey = func() string { return "k" }
	list := strings.Repeat("x", 100_000)
	sent := 0
	r, err := s.Reconcile(context.Background(), strings.NewReader(list), CSV, ReconciliationSpan{}, Progress(func(n, of int) {
		if of != len(list) || n > of {
			t.Errorf("%d of %d", n, of)
		}
		sent = max(sent, n)
	}))
	if err != nil {
		t.Fatal(err)
	}
	if d := r.Differences[0]; r.Clean() || r.AsOfSeq != 17 || d.OrderKey != "ord_1" || d.Theirs != nil || d.Ours.Amount != "5.00" || d.Row != 0 || string(r.Member("later")) != "1" {
		t.Errorf("read %+v", r)
	}
	calls, _ := s.asked()
	if sent != len(list) || len(calls) != 2 || calls[1].body != list || calls[1].header.Get("Idempotency-Key") != "k" {
		t.Errorf("%d bytes told, %d calls", sent, len(calls))
	}
	if r, err := s.Reconcile(context.Background(), strings.NewReader("[]"), JSON, ReconciliationSpan{}); err != nil || !r.Clean() {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestListThatCannotBeSent(t *testing.T) {
	s := newStub(t)
	if _, err := s.Reconcile(context.Background(), io.LimitReader(endless{}, maxList+1), CSV, ReconciliationSpan{}); !errors.Is(err, ErrListTooLarge) {
		t.Errorf("too large: %v", err)
	}
	if _, err := s.Reconcile(context.Background(), broken{}, CSV, ReconciliationSpan{}); !errors.Is(err, errBroken) {
		t.Errorf("cannot be read: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errBroken }
