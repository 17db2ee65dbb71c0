package resource_test

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
)

func sampleEndpoint() *credit.Endpoint {
	created := time.Date(2026, 1, 15, 16, 0, 0, 0, time.UTC)
	return &credit.Endpoint{
		ID: "whk_01KB2C4E6G8J0M2P4R6T8V0X2Z", Merchant: "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0", URL: "https://shop.example/hooks/tenor",
		Description: "stock system", EventTypes: []credit.EventType{credit.OrderCapturedEvent, credit.OrderRefundedEvent}, Enabled: true,
		Secrets: []credit.EndpointSecret{
			{Sealed: []byte("s3cr3t-signing-2")},
			{Sealed: []byte("s3cr3t-signing-1"), Until: created.Add(30 * time.Hour)},
		},
		CreatedAt: created, UpdatedAt: created.Add(6 * time.Hour), Version: 2, EventSeq: 1,
	}
}

func sampleClient() *credit.Client {
	created := time.Date(2026, 1, 12, 9, 0, 0, 0, time.UTC)
	return &credit.Client{
		ID: "cli_01K9Z0B2D4F6H8K0M2P4R6T8V0", Merchant: "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0", Name: "shop backend",
		Scopes: []string{"orders:read", "orders:write"}, PerMinute: 600, Burst: 100,
		Secrets: []credit.ClientSecret{
			{Hash: "s3cr3t-hash-2"}, {Hash: "s3cr3t-hash-1", Until: created.Add(48 * time.Hour)},
		},
		CreatedAt: created, UpdatedAt: created.Add(24 * time.Hour), RevokedAt: created.Add(72 * time.Hour), Version: 3,
	}
}

func sampleDelivery() (*store.Delivery, []store.Attempt) {
	made := time.Date(2026, 1, 15, 16, 0, 1, 0, time.UTC)
	d := &store.Delivery{
		ID: "dlv_01KB2C4E6GAL2P4R6T8V0X2Z4B", Endpoint: "whk_01KB2C4E6G8J0M2P4R6T8V0X2Z", Merchant: "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0",
		Resend: "rsd_01KB2C4E6G9K1N3Q5S7U9W1Y3A", Event: "evt_01KB0A4E7W5N3R1P9M8K6J4H2G", Type: credit.OrderCapturedEvent,
		Object: credit.ObjectRef{Type: "order", ID: "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"}, Sequence: 4, Place: store.Place{Q: 1042, N: 1},
		State: store.DeliverySucceeded, Attempts: 2, Status: 204, CreatedAt: made, FinishedAt: made.Add(6 * time.Second),
	}
	return d, []store.Attempt{
		{Delivery: d.ID, N: 1, At: made, Took: 20*time.Second + 900*time.Microsecond, Error: "no answer within 20 s"},
		{Delivery: d.ID, N: 2, At: made.Add(5 * time.Second), Took: 84*time.Millisecond + 499*time.Microsecond, Status: 204, Answer: "ok"},
	}
}

// TestGoldenAccess compares endpoints, deliveries and clients byte by byte.
func TestGoldenAccess(t *testing.T) {
	delivery, attempts := sampleDelivery()
	pending := &store.Delivery{
		ID: "dlv_1", Endpoint: "whk_1", Event: "evt_1", Type: credit.WebhookTestEvent, Object: credit.ObjectRef{Type: "webhook", ID: "whk_1"},
		Sequence: 1, State: store.DeliveryPending, NextAt: delivery.CreatedAt, CreatedAt: delivery.CreatedAt,
	}
	call := *pending
	call.URL = "https://shop.example/done?order=ord_1"
	from := time.Date(2026, 1, 14, 0, 0, 0, 0, time.UTC)
	off := &credit.Endpoint{
		ID: "whk_1", URL: "https://shop.example/", DisabledReason: credit.DisabledGone, Secrets: []credit.EndpointSecret{{Sealed: []byte("s3cr3t")}},
		CreatedAt: from, UpdatedAt: from, Version: 1,
	}
	bare := &credit.Client{ID: "cli_1", Name: "ops", Scopes: []string{"operator:read"}, PerMinute: 1, Burst: 1, CreatedAt: from, UpdatedAt: from}
	for name, shown := range map[string]any{
		"webhook":        resource.NewWebhook(sampleEndpoint(), ""),
		"webhook_secret": resource.NewWebhook(sampleEndpoint(), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="),
		"webhook_calls": resource.NewWebhook(&credit.Endpoint{
			ID: "whk_2", Kind: credit.EndpointCheckout, EventTypes: []credit.EventType{credit.CheckoutAcceptedEvent}, Enabled: true, CreatedAt: from, UpdatedAt: from, Version: 1,
		}, ""),
		"webhook_bare":    resource.NewWebhook(off, ""),
		"api_client":      resource.NewAPIClient(sampleClient(), ""),
		"api_client_bare": resource.NewAPIClient(bare, "tns_4XQJ7N2M5P6R3S8T1V9W0Y4Z6B"),
		"resend":          resource.NewResend(&credit.Resend{ID: "rsd_1", Endpoint: "whk_1", Event: "evt_1", CreatedAt: from}),
		"resend_span":     resource.NewResend(&credit.Resend{ID: "rsd_1", Endpoint: "whk_1", From: from, To: from.Add(time.Hour), CreatedAt: from}),
		"delivery":        resource.NewDelivery(delivery, attempts),
		"delivery_bare":   resource.NewDelivery(pending, nil),
		"delivery_call":   resource.NewDelivery(&call, nil),
	} {
		t.Run(name, func(t *testing.T) {
			b, err := resource.Encode(shown)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name, b)
			noSecret(t, b)
		})
	}
}

// noSecret looks for the samples' stored secrets in any form they might be written in.
func noSecret(t *testing.T, b []byte) {
	t.Helper()
	for _, form := range []string{"s3cr3t", hex.EncodeToString([]byte("s3cr3t")), base64.StdEncoding.EncodeToString([]byte("s3cr3t"))} {
		if strings.Contains(string(b), form) {
			t.Errorf("a secret is shown as %s: %s", form, b)
		}
	}
}

// No secret of an endpoint gets into an event, which any receiver stores; a client has no
// events at all.
func TestEventsHoldNoSecret(t *testing.T) {
	e := credit.Event{ID: "evt_1", Type: credit.WebhookTestEvent, Object: credit.ObjectRef{Type: "webhook", ID: "whk_1"}, Sequence: 1, Data: sampleEndpoint()}
	b, err := resource.EncodeEvent(e, batchAt, credit.Actor{})
	if err != nil {
		t.Fatal(err)
	}
	noSecret(t, b)
	got, err := resource.Decode[resource.Event[resource.Webhook]](b)
	if err != nil {
		t.Fatal(err)
	}
	if got.Data.Object.Secret != nil || got.Data.Object.ID == "" || got.Object.Type != "webhook" {
		t.Errorf("got %s", b)
	}
	for _, secret := range []any{sampleEndpoint().Secrets, sampleEndpoint().Secrets[0], sampleClient().Secrets, sampleClient().Secrets[0]} {
		e.Previous = map[string]any{"secret": secret}
		if b, err := resource.EncodeEvent(e, batchAt, credit.Actor{}); err == nil {
			t.Errorf("previous value %T: %s", secret, b)
		}
	}
	e.Data, e.Previous = sampleClient(), nil
	if b, err := resource.EncodeEvent(e, batchAt, credit.Actor{}); err == nil {
		t.Errorf("an event of a client: %s", b)
	}
}
