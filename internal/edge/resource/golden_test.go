package resource_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/resource"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files; review the difference like code")

// TestGolden compares each resource, full and bare, with its bytes.
func TestGolden(t *testing.T) {
	order, loan := sampleOrder(), sampleLoan(t)
	canceledOrder := bareOrder()
	canceledOrder.Status, canceledOrder.CancelReason, canceledOrder.CanceledAt = credit.OrderCanceled, "buyer_canceled", canceledOrder.CreatedAt
	bareCompany := &credit.Company{ID: 4821073356, Name: "Marsh", Status: credit.CompanyPending, CreatedAt: order.CreatedAt, UpdatedAt: order.CreatedAt}
	for name, shown := range map[string]any{
		"order":              resource.NewOrder(order),
		"order_bare":         resource.NewOrder(bareOrder()),
		"company":            resource.NewCompany(sampleCompany(), resource.Lateness{Amount: usd("207.06"), Days: 31}, true),
		"company_bare":       resource.NewCompany(bareCompany, resource.Lateness{}, false),
		"company_unsigned":   resource.NewCompany(&credit.Company{ID: 4821073356, Name: "Marsh", Status: credit.CompanyApproved, CreatedAt: order.CreatedAt, UpdatedAt: order.CreatedAt, Servicing: credit.CompanyServicing{Unsigned: true}}, resource.Lateness{}, true),
		"person":             resource.NewPerson(samplePerson(), 4821073356),
		"person_gone":        resource.NewPerson(samplePerson(), 4821073357),
		"person_named":       resource.NamedPerson{Person: resource.NewPerson(samplePerson(), 4821073356), Email: resource.Text("ada@alder.example"), FirstName: resource.Text("Ada")},
		"master_agreement":   sampleMaster(true),
		"master_on_pages":    sampleMaster(false),
		"payment":            resource.NewPayment(samplePayment()),
		"payment_bare":       resource.NewPayment(barePayment()),
		"invoice":            resource.NewInvoice(sampleInvoice()),
		"schedule":           resource.NewSchedule(order, loan, date("2026-02-20")),
		"schedule_fees":      resource.NewSchedule(order, withFees(sampleLoan(t)), date("2026-03-20")),
		"schedule_estimated": resource.NewEstimate(bareOrder(), loan, date("2026-01-15")),
		"schedule_canceled":  resource.NewCanceledSchedule(canceledOrder),
		"payoff":             resource.NewPayoff(order, date("2026-02-01"), loan.Payoff(date("2026-02-01")), true),
		"entry":              resource.NewEntry(sampleEntry(), 1042),
		"merchant":           resource.NewMerchant(sampleMerchant(), nil),
		"explanation":        resource.NewExplanation(order.Key, sampleExplanations(), []resource.Entry{resource.NewEntry(sampleEntry(), 1042)}),
		"explanation_bare":   resource.NewExplanation("ord_1", nil, nil),
		"payment_method":     resource.NewPaymentMethod(sampleMethod(), sampleDetails),
		"payment_method_new": resource.NewPaymentMethod(newMethod(), sampleDetails),
		"card":               resource.NewPaymentMethod(sampleCard(), sampleDetails),
		"payout":             resource.NewPayoutDetail(samplePayout(), samplePayoutLines()),
		"transfer":           resource.NewTransfer(sampleTransfer()),
		"transfer_bare":      resource.NewTransfer(&credit.Transfer{ID: "trf_1", Rail: credit.ACH, Kind: credit.TransferPayout, Merchant: "mch_1", Status: credit.TransferQueued, SendOn: date("2026-02-13"), SettlesOn: date("2026-02-17"), ReleaseOn: calendar.None, CreatedAt: batchAt, UpdatedAt: batchAt}),
		"notice":             resource.NewNotice(sampleNotice()),
		"notice_bare":        resource.NewNotice(&credit.Notice{ID: "ntc_1", Kind: credit.NoticeClosure, Company: 4821073356, ActionAt: batchAt, ClockStart: date("2026-01-15"), DueOn: date("2026-02-14")}),
		"period":             resource.NewPeriod(&credit.Period{Month: date("2026-01-01"), ClosedAt: batchAt, Debits: usd("4821.70")}),
		"bank_line":          resource.NewBankLine(store.BankLine{ID: "20260217-3", Date: date("2026-02-17"), Amount: -usd("12.50")}),
		"list":               resource.NewList([]resource.Payment{resource.NewPayment(barePayment())}, "b3JkXzAxS0Y4"),
		"list_empty":         resource.NewList[resource.Order](nil, ""),
	} {
		t.Run(name, func(t *testing.T) {
			b, err := resource.Encode(shown)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name, b)
		})
	}
}

// golden compares a text with its file, which is the same text with line breaks.
func golden(t *testing.T, name string, b []byte) {
	t.Helper()
	pretty := jsontext.Value(b).Clone()
	if err := pretty.Compact(); err != nil || string(pretty) != string(b) {
		t.Fatalf("%s is not compact JSON: %v", b, err)
	}
	if err := pretty.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".json")
	if *rewrite {
		if err := os.WriteFile(file, append(pretty, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(pretty)+"\n"); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

var batchAt = time.Date(2026, 1, 15, 16, 0, 0, 0, time.UTC)

// TestEncodeEvent compares the payload of each kind of data with its bytes.
func TestEncodeEvent(t *testing.T) {
	order, loan := sampleOrder(), sampleLoan(t)
	ofOrder := credit.ObjectRef{Type: "order", ID: order.Key}
	for name, e := range map[string]credit.Event{
		"event_order": {Type: credit.OrderUpdatedEvent, Object: ofOrder, Data: order, Previous: map[string]any{
			"amount": usd("1300.00"), "merchant_order_id": nil, "installments": 3, "status": credit.OrderAuthorized,
			"authorization_expires_at": time.Date(2026, 2, 11, 15, 4, 5, 0, time.FixedZone("", 3600)), "capture_date": date("2026-01-15"),
			"shipping_address": (*credit.Address)(nil), "billing_address": &credit.Address{City: "Albany"},
			"cart_items": []credit.CartItem{{MerchantID: "prod-12", Name: "Assembly", Price: usd("200.00")}},
			"charges":    (*credit.Charges)(nil), "metadata": map[string]string(nil),
			"terms": &credit.OrderTerms{Plan: schedule.Zero, Installments: 3, FirstDueDate: date("2026-02-15")},
		}},
		"event_payment":     {Type: credit.PaymentSucceededEvent, Object: credit.ObjectRef{Type: "payment", ID: "pay_1"}, Data: barePayment()},
		"event_company":     {Type: credit.CreditLineChangedEvent, Object: credit.ObjectRef{Type: "company", ID: "4821073356"}, Data: sampleCompany(), Previous: map[string]any{"credit_line": map[string]any{"reserved": usd("0.00")}}},
		"event_invoice":     {Type: credit.InvoiceIssuedEvent, Object: credit.ObjectRef{Type: "invoice", ID: "inv_1"}, Data: sampleInvoice()},
		"event_installment": {Type: credit.InstallmentDueEvent, Object: ofOrder, Data: credit.InstallmentFact{Order: order, Loan: loan, Number: 2, Day: date("2026-03-15")}},
		"event_schedule":    {Type: credit.ScheduleUpdatedEvent, Object: ofOrder, Data: credit.ScheduleFact{Order: order, Loan: loan, Day: date("2026-01-15")}},
		"event_webhook":     {Type: credit.WebhookTestEvent, Object: credit.ObjectRef{Type: "webhook", ID: "whk_1"}, Data: sampleEndpoint()},
		"event_payout":      {Type: credit.PayoutFailedEvent, Object: credit.ObjectRef{Type: "payout", ID: "po_1"}, Data: samplePayout(), Previous: map[string]any{"status": credit.PayoutSent, "failure": (*credit.Failure)(nil)}},
		"event_clawback":    {Type: credit.ClawbackCreatedEvent, Object: ofOrder, Data: credit.ClawbackFact{Order: order, Refund: order.Refunds[0], Amount: usd("291.00")}},
	} {
		t.Run(name, func(t *testing.T) {
			e.ID, e.Sequence = "evt_01KB0A4E7W5N3R1P9M8K6J4H2G", 5
			if e.Object.Type != "company" {
				e.Merchant = "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"
			}
			b, err := resource.EncodeEvent(e, batchAt, credit.Actor{Merchant: e.Merchant, RequestID: "req_01KB0A4E7W0Q2S4V6X8Z0B2D4F", Key: "key-1"})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name, b)
		})
	}
}

// TestEncodeEventWithoutRequest expects null without a request.
func TestEncodeEventWithoutRequest(t *testing.T) {
	b, err := resource.EncodeEvent(credit.Event{ID: "evt_1", Data: barePayment()}, batchAt, credit.Actor{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := resource.Decode[resource.AnyEvent](b)
	if err != nil {
		t.Fatal(err)
	}
	if e.Request.ID != nil || e.Request.IdempotencyKey != nil || e.APIVersion != resource.APIVersion || e.Data.PreviousAttributes == nil {
		t.Errorf("got %s", b)
	}
}

func TestEncodeEventRefuses(t *testing.T) {
	for _, data := range []any{nil, 7, credit.Order{}, sampleClient(), *sampleEndpoint(), credit.InstallmentFact{Order: sampleOrder(), Loan: sampleLoan(t), Number: 7, Day: date("2026-01-15")}} {
		if b, err := resource.EncodeEvent(credit.Event{ID: "evt_1", Data: data}, batchAt, credit.Actor{}); err == nil {
			t.Errorf("data %T: got %s", data, b)
		}
	}
	odd := credit.Event{ID: "evt_1", Data: sampleOrder(), Previous: map[string]any{"amount": func() {}}}
	if b, err := resource.EncodeEvent(odd, batchAt, credit.Actor{}); err == nil {
		t.Errorf("previous value: got %s", b)
	}
}

// TestCompanyEventKeepsMerchantsSecret: one merchant does not learn of another.
func TestCompanyEventKeepsMerchantsSecret(t *testing.T) {
	e := credit.Event{ID: "evt_1", Type: credit.CompanyUpdatedEvent, Data: sampleCompany(), Previous: map[string]any{"merchants": []string{"mch_1", "mch_2"}, "tier": "B"}}
	b, err := resource.EncodeEvent(e, batchAt, credit.Actor{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := resource.Decode[resource.Event[resource.Company]](b)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "mch_") || string(got.Data.PreviousAttributes["tier"]) != `"B"` {
		t.Errorf("got %s", b)
	}
}

// TestEncodeDryRun creates an order: what the call would generate is null, what exists and
// what the caller sent stays.
func TestEncodeDryRun(t *testing.T) {
	order, company := sampleOrder(), sampleCompany()
	order.CreatedAt, order.UpdatedAt = batchAt, batchAt
	order.Metadata = map[string]string{order.Key: "a name is never blanked"}
	order.Refunds[0].CreatedAt = batchAt.Add(-time.Hour)
	after := *company
	after.Reserved = after.Reserved.Add(usd("1200.00"))
	entry := ledger.Entry{
		ID: "ent_1", BookDate: date("2026-01-15"), ValueDate: date("2026-01-15"), Event: "ORDER_AUTHORIZED", Cause: order.Key, Currency: money.USD,
		Postings: []ledger.Posting{{Account: ledger.Reserved, Amount: usd("1200.00")}, {Account: ledger.ReservedContra, Amount: -usd("1200.00")}},
	}
	c := credit.Changes{
		Orders: []*credit.Order{order}, Entries: []ledger.Entry{entry},
		Invoices: []*credit.Invoice{{ID: order.Invoice, IssuedAt: batchAt}},
	}
	schedule := resource.NewEstimate(order, sampleLoan(t), date("2026-01-15"))
	b, err := resource.EncodeDryRun(resource.NewDryRun(resource.NewOrder(order), &schedule, c, company, &after), c, batchAt)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "dry_run", b)
	got, err := resource.Decode[resource.DryRun[resource.Order]](b)
	if err != nil {
		t.Fatal(err)
	}
	r := got.Result
	if r.Key != "" || !r.CreatedAt.IsZero() || !r.UpdatedAt.IsZero() || r.InvoiceID != nil || got.Schedule.OrderKey != "" || got.Entries[0].ID != "" {
		t.Errorf("something drawn is shown: %s", b)
	}
	if r.AuthorizedAt == nil || r.Refunds[0].ID == "" || r.Metadata[order.Key] == "" || *r.MerchantOrderID != "PO-10042" {
		t.Errorf("something that exists is gone: %s", b)
	}
}

// A request is named only to the merchant that sent it: an Idempotency-Key often contains
// an order number.
func TestEventKeepsTheRequestOfOthers(t *testing.T) {
	shop := credit.Actor{Merchant: "mch_A", RequestID: "req_A", Key: "capture-PO-7"}
	ops := credit.Actor{Operator: true, RequestID: "req_ops", Key: "ops-7"}
	for _, x := range []struct {
		name   string
		reader string
		by     credit.Actor
		shown  bool
	}{
		{"its own", "mch_A", shop, true},
		{"of every linked merchant", "", shop, false},
		{"of another merchant, by a shared replay", "mch_B", shop, false},
		{"of a merchant, by the operator", "mch_A", ops, false},
		{"of the operator", credit.OperatorOnly, ops, true},
	} {
		b, err := resource.EncodeEvent(credit.Event{ID: "evt_1", Merchant: x.reader, Data: barePayment()}, batchAt, x.by)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(b), x.by.Key) && strings.Contains(string(b), x.by.RequestID); got != x.shown {
			t.Errorf("%s: %s", x.name, b)
		}
	}
}
