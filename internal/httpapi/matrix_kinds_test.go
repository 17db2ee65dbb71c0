package httpapi_test

import (
	"fmt"

	"tenor/internal/httpapi"
	"tenor/internal/store"
)

// kindOf names the object behind a segment of a path.
var kindOf = map[string]string{
	"order": "order", "schedule": "order", "payment": "payment", "payments": "payment", "invoices": "invoice", "companies": "company",
	"payment_methods": "method", "statements": "month", "payouts": "payout", "orders": "order", "fees": "fee", "refunds": "refund", "notices": "notice", "screenings": "screening", "receipts": "receipt", "bank_lines": "bank line",
	"bank_matches": "match", "bank_notices": "bank notice", "entries": "entry", "transfers": "transfer",
	"webhooks": "webhook", "deliveries": "delivery", "events": "event", "merchants": "merchant", "clients": "client",
	"checkouts": "checkout", "applications": "application", "documents": "document",
}

// kindFor names the object of operations that are for some of a kind alone.
var kindFor = map[string]string{"getAgreement": "agreed order", "sendApplicationNotice": "declined application"}

// nobodys are identifiers that could be somebody's.
var nobodys = map[string]string{
	"order": "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "payment": "pay_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "invoice": "inv_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"company": "3000000000", "webhook": "whk_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "delivery": "dlv_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"event": "evt_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "merchant": "mch_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "client": "cli_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"method": "3000000000/pm_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "month": "3000000000/2026-01", "payout": "po_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"fee":    "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3/fee_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"refund": "pay_01KAG7Q2M8X4T6W2Y9Z0A1B2C3/rfd_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"notice": "ntc_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "screening": "scr_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "receipt": "rcp_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "bank line": "nobodys",
	"bank notice": "bkn_QUNIL25vYm9keXM", "match": "mtc_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "lines": `nobodys-1","nobodys-2`, "entry": "ent_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"transfer": "trf_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "checkout": "chk_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "application": "app_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"agreed order": "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", "declined application": "app_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
	"document": "app_01KAG7Q2M8X4T6W2Y9Z0A1B2C3/doc_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
}

// deliverTo is deliver for any merchant.
func (m *matrix) deliverTo(id, merchant, endpoint, event string) {
	m.t.Helper()
	a := m.house.a
	m.house.a = merchant
	m.deliver(id, endpoint, event, store.DeliverySucceeded)
	m.house.a = a
}

// conformsOnce holds one answer of each status against the document.
func (m *matrix) conformsOnce(op httpapi.Operation, r reply) {
	m.t.Helper()
	if key := fmt.Sprint(op.ID, r.status); !m.known[key] {
		m.known[key] = true
		m.conforms(op, r)
	}
}
