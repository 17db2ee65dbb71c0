package resource_test

import (
	"testing"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
)

func BenchmarkEncodeOrder(b *testing.B) {
	o := sampleOrder()
	b.ReportAllocs()
	for b.Loop() {
		w := resource.NewOrder(o)
		if _, err := resource.Encode(&w); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeOrderEvent(b *testing.B) {
	e := credit.Event{
		ID: "evt_01KB0A4E7W5N3R1P9M8K6J4H2G", Type: credit.OrderCapturedEvent, Object: credit.ObjectRef{Type: "order", ID: "ord_1"},
		Sequence: 4, Data: sampleOrder(), Previous: map[string]any{"status": credit.OrderAuthorized},
	}
	at := time.Date(2026, 1, 15, 16, 0, 0, 0, time.UTC)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := resource.EncodeEvent(e, at, credit.Actor{Merchant: e.Merchant, RequestID: "req_1", Key: "key-1"}); err != nil {
			b.Fatal(err)
		}
	}
}
