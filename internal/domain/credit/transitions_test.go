package credit_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

const transitionsFile = "testdata/transitions.csv"

// scene is a world with one order, or one payment, in a state.
type scene struct {
	*world
	owner, other credit.Actor
	company      *credit.Company
	order        string
	invoice      string
	payment      string
	client       string
	endpoint     string
	transfer     string
}

// newScene creates the world of a state: "no order", an order's status, "payment STATUS" or
// "company STATUS".
func newScene(t testing.TB, state string) *scene {
	if rail, status, ok := strings.Cut(state, " "); ok && (rail == "debit" || rail == "charge") {
		s, _ := railScene(t, map[string]credit.Method{"debit": credit.ACH, "charge": credit.Card}[rail], credit.TransferStatus(status))
		return s
	}
	w := newWorld(t)
	s := &scene{world: w, owner: w.shop("M", lending.DefaultSettings()), other: w.shop("N", lending.DefaultSettings())}
	s.company = w.buyer("A", "25000.00", s.owner, s.other)
	s.order, s.invoice, s.payment, s.client, s.endpoint = "ord_none", "inv_none", "pay_none", "cli_none", "whk_none"
	switch {
	case state == "no order":
	case strings.HasPrefix(state, "client"), strings.HasPrefix(state, "endpoint"), state == "twenty endpoints":
		s.access(state)
	case len(state) > 8 && state[:8] == "payment ":
		s.make(credit.OrderCaptured)
		s.pay(credit.PaymentStatus(state[8:]))
	case len(state) > 8 && state[:8] == "company ":
		s.make(credit.OrderAuthorized)
		x := *w.all.Companies[s.company.ID]
		x.Status = credit.CompanyStatus(state[8:])
		w.all.Companies[x.ID] = &x
	default:
		s.make(credit.OrderStatus(state))
	}
	return s
}

func (s *scene) make(status credit.OrderStatus) {
	o := s.must(s.owner, lending.CreateOrder{
		Company: s.company.ID, Amount: cents("1200.00"), Installments: 6, MerchantOrderID: "PO-1", Authorize: status != credit.OrderCreated && status != credit.OrderCanceled,
	}).(*credit.Order)
	s.order = o.Key
	switch status {
	case credit.OrderCanceled:
		s.must(s.owner, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCanceled})
	case credit.OrderCaptured, credit.OrderReturned:
		s.must(s.owner, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
		if status == credit.OrderReturned {
			s.must(s.owner, lending.RefundOrder{Order: o.Key})
		}
	}
	if i := s.all.Orders[s.order].Invoice; i != "" {
		s.invoice = i
	}
}

// pay moves a payment to a status. Those of a rail have no command yet.
func (s *scene) pay(status credit.PaymentStatus) {
	switch status {
	case credit.PaymentScheduled, credit.PaymentPending, credit.PaymentFailed, credit.PaymentCanceled:
		s.payment = waiting(s.world, s.all.Orders[s.order], status).ID
		return
	}
	p := s.must(s.owner, payment(s.order, "200.00")).(*credit.Payment)
	s.payment = p.ID
	part := cents("50.00")
	switch status {
	case credit.PaymentPartiallyRefunded:
		s.must(s.owner, payments.RefundPayment{Payment: p.ID, Amount: &part})
	case credit.PaymentRefunded:
		s.must(s.owner, payments.RefundPayment{Payment: p.ID})
	case credit.PaymentReturned:
		s.must(operator, payments.ReturnPayment{Payment: p.ID})
	}
}

type request struct {
	name string
	make func(s *scene) credit.Command
}

func status(to credit.OrderStatus) func(*scene) credit.Command {
	return func(s *scene) credit.Command { return lending.UpdateOrder{Order: s.order, Status: to} }
}

func requests() []request {
	ten := cents("10.00")
	amount := func(x string) func(*scene) credit.Command {
		a := cents(x)
		return func(s *scene) credit.Command { return lending.UpdateOrder{Order: s.order, Amount: &a} }
	}
	number := func(s *scene) credit.Command {
		return lending.UpdateOrder{Order: s.order, MerchantOrderID: &lending.Patch[string]{Value: "PO-2"}}
	}
	shown := func(s *scene) credit.Command {
		return lending.UpdateOrder{Order: s.order, MerchantStatus: &lending.Patch[string]{Value: "packed"}}
	}
	pay := func(order, invoice func(*scene) string, company bool) func(*scene) credit.Command {
		return func(s *scene) credit.Command {
			c := payments.RecordPayment{Amount: 1000, Method: credit.Wire, EffectiveDate: calendar.None, ScheduledDate: calendar.None}
			switch {
			case company:
				c.Company = s.company.ID
			case order != nil:
				c.Order = order(s)
			default:
				c.Invoice = invoice(s)
			}
			return c
		}
	}
	return []request{
		{"create", func(s *scene) credit.Command { return lending.CreateOrder{Company: s.company.ID, Amount: ten} }},
		{"create AUTHORIZED", func(s *scene) credit.Command {
			return lending.CreateOrder{Company: s.company.ID, Amount: ten, Installments: 3, Authorize: true}
		}},
		{"patch amount down", amount("1100.00")}, {"patch amount up", amount("1300.00")},
		{"patch merchant_order_id", number}, {"patch merchant_status", shown},
		{"status CREATED", status(credit.OrderCreated)}, {"status AUTHORIZED", status(credit.OrderAuthorized)}, {"status CAPTURED", status(credit.OrderCaptured)},
		{"status CANCELED", status(credit.OrderCanceled)}, {"status RETURNED", status(credit.OrderReturned)},
		{"partial", func(s *scene) credit.Command { return lending.CapturePart{Order: s.order, Amount: ten} }},
		{"extend", func(s *scene) credit.Command { return lending.ExtendOrder{Order: s.order} }},
		{"refund", func(s *scene) credit.Command { return lending.RefundOrder{Order: s.order, Amount: &ten} }},
		{"service", func(s *scene) credit.Command { return lending.ServiceOrder{Order: s.order} }},
		{"pay order", pay(func(s *scene) string { return s.order }, nil, false)},
		{"pay invoice", pay(nil, func(s *scene) string { return s.invoice }, false)},
		{"pay company", pay(nil, nil, true)},
		{"refund payment", func(s *scene) credit.Command { return payments.RefundPayment{Payment: s.payment, Amount: &ten} }},
		{"return payment", func(s *scene) credit.Command { return payments.ReturnPayment{Payment: s.payment, Code: "bounced"} }},
		{"cancel payment", func(s *scene) credit.Command { return payments.CancelPayment{Payment: s.payment} }},
	}
}

func states() []string {
	return []string{
		"no order", "CREATED", "AUTHORIZED", "CAPTURED", "CANCELED", "RETURNED",
		"payment SCHEDULED", "payment PENDING", "payment SUCCEEDED", "payment FAILED", "payment PARTIALLY_REFUNDED", "payment REFUNDED",
		"payment RETURNED", "payment CANCELED",
		"company PENDING", "company APPROVED", "company DECLINED", "company ON_HOLD", "company SUSPENDED", "company CLOSED",
	}
}

// Every state of a transfer with every command on it by every actor (T1).
func TestTransferTransitions(t *testing.T) {
	var states []string
	for _, status := range []credit.TransferStatus{credit.TransferQueued, credit.TransferSent, credit.TransferSettled, credit.TransferFailed, credit.TransferReturned, credit.TransferCanceled} {
		states = append(states, "debit "+string(status), "charge "+string(status))
	}
	compareCells(t, "testdata/transfers.csv", append(states, "charge answered"), []request{
		{"service", func(s *scene) credit.Command { return payments.ServiceTransfer{Transfer: s.transfer} }},
		{"same day", func(s *scene) credit.Command { return payments.SendSameDay{Transfer: s.transfer} }},
		{"reject", func(s *scene) credit.Command { return payments.RejectTransfer{Transfer: s.transfer, Code: "R17"} }},
		{"return", func(s *scene) credit.Command {
			return payments.ReturnTransfer{Transfer: s.transfer, Code: "R01", Cost: 400}
		}},
		{"approve", func(s *scene) credit.Command {
			return payments.CompleteCharge{Transfer: s.transfer, Approved: true, Reference: "ch_1"}
		}},
		{"decline", func(s *scene) credit.Command { return payments.CompleteCharge{Transfer: s.transfer, Code: "no"} }},
		{"pay out", func(s *scene) credit.Command { return payments.SettleCharge{Transfer: s.transfer, Cost: 100} }},
		{"dispute", func(s *scene) credit.Command {
			return payments.DisputeCharge{Transfer: s.transfer, Code: "fraud", Fee: 1500}
		}},
		{"dispute won", func(s *scene) credit.Command { return payments.DisputeCharge{Transfer: s.transfer, Won: true} }},
		{"cancel payment", func(s *scene) credit.Command { return payments.CancelPayment{Payment: s.payment} }},
		{"refund payment", func(s *scene) credit.Command { return payments.RefundPayment{Payment: s.payment} }},
		{"return payment", func(s *scene) credit.Command { return payments.ReturnPayment{Payment: s.payment, Code: "bounced"} }},
	})
}

// Every state with every command by every actor (T1). "200 unchanged" is a repeat without
// effect; a rejection leaves the state unchanged.
func TestTransitions(t *testing.T) {
	compareCells(t, transitionsFile, states(), requests())
}

func compareCells(t *testing.T, file string, states []string, requests []request) {
	t.Helper()
	rows := [][]string{{"state", "command", "owner", "other merchant", "operator"}}
	for _, state := range states {
		for _, r := range requests {
			row := []string{state, r.name}
			for _, who := range []string{"owner", "other", "operator"} {
				row = append(row, cell(t, state, r, who))
			}
			rows = append(rows, row)
		}
	}
	var got bytes.Buffer
	if err := csv.NewWriter(&got).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	compareText(t, string(want), got.String())
	t.Logf("%d cells", 3*(len(rows)-1))
}

func cell(t *testing.T, state string, r request, who string) string {
	s := newScene(t, state)
	actor := map[string]credit.Actor{"owner": s.owner, "other": s.other, "operator": operator}[who]
	found, entries := s.digest(s.all), len(s.entries)
	ch, refusal := s.do(actor, r.make(s))
	if refusal != nil || ch.Empty() {
		if s.digest(s.all) != found || len(s.entries) != entries {
			t.Errorf("%s, %s by %s: refused and not without a trace", state, r.name, who)
		}
	}
	switch {
	case refusal != nil:
		return fmt.Sprintf("%d %s", refusal.Status, refusal.Code)
	case ch.Empty():
		return "200 unchanged"
	case ch.Created:
		return "201"
	}
	return "200"
}

// fault is something wrong with a request, and the code it is rejected with.
type fault struct {
	code string
	set  func(s *scene, c any)
}

// refusedForFirst submits each fault alone and each pair: the caller gets the one that comes
// first.
func refusedForFirst[C credit.Command](t *testing.T, state string, ask func(s *scene) *C, faults []fault) {
	t.Helper()
	for i, first := range faults {
		for _, second := range faults[i:] {
			s := newScene(t, state)
			actor := s.owner
			c := ask(s)
			second.set(s, c)
			first.set(s, c)
			if s.other.Client == "asks" {
				actor = s.other
			}
			if _, r := s.do(actor, *c); r == nil || r.Code != first.code {
				t.Errorf("%s: %s and %s is refused for %v", (*c).Name(), first.code, second.code, r)
			}
		}
	}
}

func notMine(s *scene, _ any) { s.other.Client = "asks" }

func (s *scene) companyIs(status credit.CompanyStatus) {
	x := *s.all.Companies[s.company.ID]
	x.Status = status
	s.all.Companies[x.ID] = &x
}

func (s *scene) unlink() {
	x := *s.all.Companies[s.company.ID]
	x.Linked = nil
	s.all.Companies[x.ID] = &x
}

func (s *scene) limit(text string) {
	x := *s.all.Companies[s.company.ID]
	x.Limit = cents(text)
	s.all.Companies[x.ID] = &x
}

// perOrder makes the owner's program require the buyer's acceptance.
func (s *scene) perOrder() {
	m := *s.all.Merchants[s.owner.Merchant]
	p := m.Programs[0]
	p.Settings.Acceptance = credit.PerOrder
	m.Programs = []credit.Program{p}
	s.all.Merchants[m.ID] = &m
}

func (s *scene) numberTaken(name string) {
	s.all.Claims[lending.OrderNumber(s.owner.Merchant, name)] = "ord_other"
}

func TestPrecedenceOfCreate(t *testing.T) {
	on := func(set func(*scene, *lending.CreateOrder)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*lending.CreateOrder)) }
	}
	refusedForFirst(t, "no order", func(s *scene) *lending.CreateOrder {
		return &lending.CreateOrder{Company: s.company.ID, Amount: cents("100.00"), Installments: 6, Authorize: true}
	}, []fault{
		{"not_found", on(func(_ *scene, c *lending.CreateOrder) { c.Company = 1 })},
		{"company_not_linked", on(func(s *scene, _ *lending.CreateOrder) { s.unlink() })},
		{"company_not_eligible", on(func(s *scene, _ *lending.CreateOrder) { s.companyIs(credit.CompanyOnHold) })},
		{"acceptance_required", on(func(s *scene, _ *lending.CreateOrder) { s.perOrder() })},
		{"duplicate_merchant_order_id", on(func(s *scene, c *lending.CreateOrder) { c.MerchantOrderID = "PO-9"; s.numberTaken("PO-9") })},
		{"charges_mismatch", on(func(_ *scene, c *lending.CreateOrder) { c.Charges = &credit.Charges{GrandTotal: 1} })},
		{"amount_out_of_bounds", on(func(_ *scene, c *lending.CreateOrder) { c.Amount = 99 })},
		{"term_not_available", on(func(_ *scene, c *lending.CreateOrder) { c.Installments = 5 })},
		{"insufficient_credit", on(func(s *scene, _ *lending.CreateOrder) { s.limit("0.50") })},
	})
}

func TestPrecedenceOfCapture(t *testing.T) {
	on := func(set func(*scene, *lending.UpdateOrder)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*lending.UpdateOrder)) }
	}
	more := cents("1300.00")
	refusedForFirst(t, "AUTHORIZED", func(s *scene) *lending.UpdateOrder {
		return &lending.UpdateOrder{Order: s.order, Status: credit.OrderCaptured, Amount: &more}
	}, []fault{
		{"not_found", notMine},
		{"company_not_linked", on(func(s *scene, _ *lending.UpdateOrder) { s.unlink() })},
		{"precondition_failed", on(func(_ *scene, c *lending.UpdateOrder) { c.IfMatch = []string{`"7"`} })},
		{"invalid_transition", on(func(_ *scene, c *lending.UpdateOrder) { c.Status = credit.OrderReturned })},
		{"installments_required", on(func(_ *scene, c *lending.UpdateOrder) { c.Installments = &lending.Patch[int]{Null: true} })},
		{"authorization_expired", on(func(s *scene, c *lending.UpdateOrder) { s.now = s.all.Orders[c.Order].ExpiresAt })},
		{"company_not_eligible", on(func(s *scene, _ *lending.UpdateOrder) { s.companyIs(credit.CompanyOnHold) })},
		{"acceptance_required", on(func(s *scene, _ *lending.UpdateOrder) { s.perOrder() })},
		{"duplicate_merchant_order_id", on(func(s *scene, c *lending.UpdateOrder) {
			c.MerchantOrderID = &lending.Patch[string]{Value: "PO-9"}
			s.numberTaken("PO-9")
		})},
		{"charges_mismatch", on(func(_ *scene, c *lending.UpdateOrder) {
			cent := money.Amount(1)
			c.Charges = &lending.MapPatch[money.Amount]{Members: map[string]*money.Amount{"grand_total": &cent}}
		})},
		{"insufficient_credit", on(func(s *scene, _ *lending.UpdateOrder) { s.limit("1299.99") })},
	})
}

func TestPrecedenceAfterCapture(t *testing.T) {
	on := func(set func(*scene, *lending.UpdateOrder)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*lending.UpdateOrder)) }
	}
	refusedForFirst(t, "CAPTURED", func(s *scene) *lending.UpdateOrder { return &lending.UpdateOrder{Order: s.order} }, []fault{
		{"not_found", notMine},
		{"precondition_failed", on(func(_ *scene, c *lending.UpdateOrder) { c.IfMatch = []string{`"7"`} })},
		{"invalid_transition", on(func(_ *scene, c *lending.UpdateOrder) { c.Status = credit.OrderCanceled })},
		{"amount_locked", on(func(_ *scene, c *lending.UpdateOrder) { c.Amount = new(money.Amount); *c.Amount = 1 })},
		{"order_locked", on(func(_ *scene, c *lending.UpdateOrder) {
			c.Cart = &lending.Patch[[]credit.CartItem]{Value: []credit.CartItem{{Name: "x"}}}
		})},
	})
}

func TestPrecedenceOfPartAndExtension(t *testing.T) {
	part := func(set func(*scene, *lending.CapturePart)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*lending.CapturePart)) }
	}
	canceled := func(s *scene) {
		o := *s.all.Orders[s.order]
		o.Status = credit.OrderCanceled
		s.all.Orders[s.order] = &o
	}
	refusedForFirst(t, "AUTHORIZED", func(s *scene) *lending.CapturePart {
		return &lending.CapturePart{Order: s.order, Amount: cents("400.00")}
	}, []fault{
		{"not_found", notMine},
		{"invalid_transition", part(func(s *scene, _ *lending.CapturePart) { canceled(s) })},
		{"authorization_expired", part(func(s *scene, c *lending.CapturePart) { s.now = s.all.Orders[c.Order].ExpiresAt })},
		{"company_not_eligible", part(func(s *scene, _ *lending.CapturePart) { s.companyIs(credit.CompanySuspended) })},
		{"duplicate_merchant_order_id", part(func(s *scene, c *lending.CapturePart) { c.MerchantOrderID = "PO-9"; s.numberTaken("PO-9") })},
		{"partial_too_large", part(func(_ *scene, c *lending.CapturePart) { c.Amount = cents("1200.00") })},
	})
	extend := func(set func(*scene)) func(*scene, any) { return func(s *scene, _ any) { set(s) } }
	refusedForFirst(t, "AUTHORIZED", func(s *scene) *lending.ExtendOrder { return &lending.ExtendOrder{Order: s.order} }, []fault{
		{"not_found", notMine},
		{"invalid_transition", extend(canceled)},
		{"authorization_expired", extend(func(s *scene) { s.now = s.all.Orders[s.order].ExpiresAt })},
		{"already_extended", extend(func(s *scene) {
			o := *s.all.Orders[s.order]
			o.Extended = true
			s.all.Orders[s.order] = &o
		})},
		{"company_not_eligible", extend(func(s *scene) { s.companyIs(credit.CompanyClosed) })},
	})
}

func TestPrecedenceOfMoney(t *testing.T) {
	refund := func(set func(*scene, *lending.RefundOrder)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*lending.RefundOrder)) }
	}
	refusedForFirst(t, "CAPTURED", func(s *scene) *lending.RefundOrder { return &lending.RefundOrder{Order: s.order} }, []fault{
		{"not_found", notMine},
		{"precondition_failed", refund(func(_ *scene, c *lending.RefundOrder) { c.IfMatch = []string{`"0"`} })},
		{"refund_reference_used", refund(func(s *scene, c *lending.RefundOrder) {
			o := *s.all.Orders[s.order]
			o.Refunds = []credit.Refund{{ID: "rfd_1", Amount: 1, Reference: "RMA"}}
			s.all.Orders[s.order] = &o
			two := money.Amount(2)
			c.Reference, c.Amount = "RMA", &two
		})},
		{"refund_exceeds_captured", refund(func(_ *scene, c *lending.RefundOrder) { c.Amount = new(money.Amount); *c.Amount = cents("1200.01") })},
		{"refund_window_closed", refund(func(s *scene, _ *lending.RefundOrder) { s.at("2026-07-10") })},
	})
	pay := func(set func(*scene, *payments.RecordPayment)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*payments.RecordPayment)) }
	}
	refusedForFirst(t, "CAPTURED", func(s *scene) *payments.RecordPayment { p := payment(s.order, "10.00"); return &p }, []fault{
		{"not_found", notMine},
		{"duplicate_external_id", pay(func(s *scene, c *payments.RecordPayment) {
			c.ExternalID = "x"
			s.all.Claims[credit.Claim{Kind: credit.ClaimExternalID, Scope: s.owner.Merchant, Name: "x"}] = "pay_other"
		})},
		{"payment_method_required", pay(func(_ *scene, c *payments.RecordPayment) { c.Method = credit.Card })},
		{"invalid_effective_date", pay(func(s *scene, c *payments.RecordPayment) { c.EffectiveDate = s.today() + 1 })},
	})
	back := func(set func(*scene, *payments.RefundPayment)) func(*scene, any) {
		return func(s *scene, c any) { set(s, c.(*payments.RefundPayment)) }
	}
	refusedForFirst(t, "payment SUCCEEDED", func(s *scene) *payments.RefundPayment { return &payments.RefundPayment{Payment: s.payment} }, []fault{
		{"not_found", notMine},
		{"payment_not_refundable", back(func(s *scene, _ *payments.RefundPayment) {
			p := *s.all.Payments[s.payment]
			p.Status = credit.PaymentRefunded
			s.all.Payments[p.ID] = &p
		})},
		{"refund_exceeds_payment", back(func(_ *scene, c *payments.RefundPayment) { c.Amount = new(money.Amount); *c.Amount = cents("200.01") })},
	})
}

// The table of reasons names each code once, in order of stage.
func TestReasons(t *testing.T) {
	seen := map[string]bool{}
	stage := credit.StageExistence
	for _, r := range credit.Reasons() {
		if seen[r.Code] || r.Stage < stage || r.Status < 400 || r.Status > 422 || r.Title == "" {
			t.Errorf("%+v", r)
		}
		seen[r.Code], stage = true, r.Stage
	}
}
