package httpapi_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"tenor/internal/buyer"
	"tenor/internal/credit"
	"tenor/internal/facts/sandbox"
	"tenor/internal/mailer"
)

// desk is a sandbox's buyer's side, which decides nothing behind its callers.
func (h *house) desk() *buyer.Desk {
	return &buyer.Desk{
		Submit: h.engine, Store: h.backend, Zone: h.zone, Now: h.business, Wall: h.now, Seed: func() [16]byte { return h.service.Seed() },
		Seal: h.ring.Seal, Open: h.ring.Open, Hash: keyedHash, Base: "http://tenor.test", Sandbox: true,
		Facts: sandbox.Ports(), Patient: true,
	}
}

func keyedHash(kind, text string) string {
	m := hmac.New(sha256.New, []byte("key of a test"))
	_, _ = m.Write([]byte(kind + "/" + text))
	return hex.EncodeToString(m.Sum(nil))
}

// decide decides what has been submitted and sends what is to be mailed.
func (h *house) decide() {
	h.t.Helper()
	if err := h.service.Desk.Turn(context.Background(), "test"); err != nil {
		h.t.Fatal(err)
	}
}

// nobody is a mail server that takes everything and sends nothing.
type nobody struct{}

func (nobody) Send(context.Context, mailer.Message) error { return nil }

// owner makes somebody with an e-mail the first person of a company.
func (h *house) owner(company int64, email string) string {
	h.t.Helper()
	h.submit(credit.UpdateCompany{Company: company, Email: &email})
	p, err := h.service.Desk.Proved(context.Background(), email)
	if err != nil {
		h.t.Fatal(err)
	}
	return p.ID
}
