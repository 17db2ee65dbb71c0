package credit_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/outcome"
)

// moves are observed status changes: "order.create/create an order order.status > CREATED",
// with the previous status before the sign.
type moves map[string]bool

func (m moves) see(op operation, member, from, to string) {
	if from != to {
		m[fmt.Sprintf("%s/%s %s %s>%s", op.command, op.what, member, from, to)] = true
	}
}

// watch records which statuses a world's commands change.
func (m moves) watch(w *world) {
	w.watch = func(c credit.Command, ch credit.Changes) {
		op := operationOf(c, ch, orderStatuses(w.all))
		u, byHand := c.(lending.UpdateCompany)
		switch {
		case byHand:
			op.what = map[credit.CompanyStatus]string{credit.CompanyOnHold: "hold a company", credit.CompanyApproved: "release a company", credit.CompanyClosed: "close a company"}[u.Status]
		case op.what == "":
			op.what = outcome.EventTable()[slices.IndexFunc(outcome.EventTable(), func(r outcome.EventRule) bool { return r.Command == op.command })].Operation
		}
		for _, x := range ch.Orders {
			old := was(w.all.Orders, x.Key)
			m.see(op, "order.status", string(old.Status), string(x.Status))
			m.see(op, "order.financing_status", string(old.Financing), string(x.Financing))
		}
		for _, x := range ch.Payments {
			m.see(op, "payment.status", string(was(w.all.Payments, x.ID).Status), string(x.Status))
		}
		for _, x := range ch.Invoices {
			m.see(op, "invoice.status", string(was(w.all.Invoices, x.ID).Status), string(x.Status))
		}
		for _, x := range ch.Methods {
			m.see(op, "payment_method.status", string(was(w.all.Methods, x.ID).Status), string(x.Status))
		}
		for _, x := range ch.Payouts {
			m.see(op, "payout.status", string(was(w.all.Payouts, x.ID).Status), string(x.Status))
		}
		if !byHand || u.From != nil { // staff may request more than an action in the table does
			for _, x := range ch.Companies {
				m.see(op, "company.status", string(was(w.all.Companies, x.ID).Status), string(x.Status))
			}
		}
	}
}

// was is an object's previous version, all zero if it is new.
func was[K comparable, V any](all map[K]*V, key K) V {
	if x := all[key]; x != nil {
		return *x
	}
	var none V
	return none
}

func orderStatuses(s *credit.State) map[string]credit.OrderStatus {
	out := map[string]credit.OrderStatus{}
	for key, o := range s.Orders {
		out[key] = o.Status
	}
	return out
}

// published are the moves in the table. A rule of loans, or of their invoices, applies to
// every command; its moves are returned separately, without the command.
func published() (own, loans moves) {
	own, loans = moves{}, moves{}
	for _, r := range outcome.StatusTable() {
		from := r.From
		if len(from) == 0 {
			from = []string{""}
		}
		for _, before := range from {
			for _, to := range r.To {
				own.see(operation{r.Command, r.Operation}, r.Object+"."+r.Member, before, to)
				if len(from) > 1 && len(r.To) > 1 {
					loans.see(operation{r.Command, r.Operation}, r.Object+"."+r.Member, before, to)
				}
			}
		}
	}
	return own, loans
}

// What the stories and scenes change is what the table says, and each move of the table
// occurs. What follows from a loan may come with any command that moves money: of those, each
// status must occur as the start and the end of a move.
func TestStatusTable(t *testing.T) {
	seen := everyMove(t)
	table, loans := published()
	for _, m := range slices.Sorted(maps.Keys(seen)) {
		if !table[m] {
			t.Errorf("%s was seen, and the table does not say so", m)
		}
	}
	ends := map[string]bool{}
	for m := range seen {
		_, move, _ := strings.Cut(m, " order.financing_status ")
		for _, kind := range []string{"invoice", "company"} {
			if _, other, ok := strings.Cut(m, " "+kind+".status "); ok {
				move = kind + " " + other
			}
		}
		from, to, _ := strings.Cut(move, ">")
		ends[from+">"], ends[to] = true, true
	}
	for _, m := range slices.Sorted(maps.Keys(table)) {
		if !seen[m] && !loans[m] {
			t.Errorf("%s is in the table, and was not seen", m)
		}
	}
	for _, end := range []string{
		"ACTIVE>", "OVERDUE>", "PAID_OFF>", "ACTIVE", "OVERDUE", "PAID_OFF",
		"invoice OPEN>", "invoice PAST_DUE>", "invoice PAID>", "OPEN", "PAST_DUE", "PAID", "VOID",
		"CHARGED_OFF>", "CHARGED_OFF", "company APPROVED>", "company SUSPENDED>",
	} {
		if !ends[end] {
			t.Errorf("nothing was seen to move from or to %s", end)
		}
	}
}

// everyMove plays all stories, every request in every scene, and the moves that neither has.
func everyMove(t *testing.T) moves {
	t.Helper()
	seen := moves{}
	for _, path := range storyFiles(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := newStory(t)
		seen.watch(s.world)
		s.tell(string(text))
	}
	for _, state := range states() {
		for _, r := range requests() {
			s := newScene(t, state)
			seen.watch(s.world)
			s.do(s.owner, r.make(s))
			s.do(operator, r.make(s))
		}
	}
	s := newStory(t)
	seen.watch(s.world)
	s.tell(rareMoves)
	seen.companies(t)
	return seen
}

// rareMoves are the moves that no other story covers.
const rareMoves = `
operator merchant M terms=3:ZERO
operator company A limit=1000.00 links=M
operator company B limit=1000.00 links=M
operator account M bank=6789
at 2026-04-10
M method bank company=A
operator autopay A method=bank enabled=yes
M order O company=A amount=300.00 installments=3 status=AUTHORIZED
M order P company=B amount=300.00 installments=3 status=AUTHORIZED
at 2026-04-14
M capture O
M capture P
operator charge-off P reason=bankruptcy
at 2026-04-15
operator payout M as=po
pass 2026-04-15 17:00
bank returns t1 code=R02
pass 2026-05-14 08:00
bank rejects d1 code=R01
pass 2026-05-14 17:00
bank rejects d2 code=R02
at 2026-05-20 10:00
M method asked company=A verify=yes
M remove-method asked
M method left company=A
M pay p1 order=O amount=10.00 by=ACH method=left
M remove-method left
pass 2026-05-21 09:00
M method visa company=A card=debit
M pay p2 order=O amount=20.00 by=CARD method=visa
pass 2026-05-21 09:01
bank approves p2
M refund-payment p2
pass 2026-05-21 09:02
bank disputes p2 code=fraudulent
bank loses p2
M method good company=A
M pay p3 order=O amount=30.00 by=ACH method=good
M pay p4 order=O amount=40.00 by=ACH method=good
pass 2026-06-10 09:00
M refund-payment p3
M refund-payment p4 amount=10.00
pass 2026-06-10 17:00
bank returns p3 code=R01
bank returns p4 code=R01
operator pay p5 order=O amount=600.00 by=WIRE
operator pay p6 company=A amount=50.00 by=WIRE
operator send-credit A method=good amount=185.00
operator send-credit A method=good
`

// companies lets staff try each action of the table on a company in each status.
func (m moves) companies(t *testing.T) {
	t.Helper()
	for _, r := range outcome.StatusTable() {
		if r.Command != "company.update" {
			continue
		}
		act := lending.UpdateCompany{Status: credit.CompanyStatus(r.To[0]), Reasons: []string{"credit_score"}}
		for _, from := range r.From {
			act.From = append(act.From, credit.CompanyStatus(from))
		}
		for _, status := range []credit.CompanyStatus{credit.CompanyPending, credit.CompanyApproved, credit.CompanyDeclined, credit.CompanyOnHold, credit.CompanySuspended, credit.CompanyClosed} {
			w := newWorld(t)
			if status != credit.CompanyClosed { // no caller can create a closed company
				m.watch(w)
			}
			act.Company = w.must(operator, lending.CreateCompany{Title: "Alder Kitchens", Status: status, Tier: "A"}).(*credit.Company).ID
			m.watch(w)
			w.do(operator, act)
		}
	}
}

// What is accepted on an order or a payment depends on its status as the table says: each
// request is tried in each status.
func TestStatusesAskedFor(t *testing.T) {
	asked := func(command, operation, object string, conditional bool) []string {
		var from []string
		for _, r := range outcome.StatusTable() {
			if r.Command == command && r.Operation == operation && r.Object == object && r.Member == "status" && (conditional || r.Condition == "") {
				from = append(from, r.From...)
			}
		}
		slices.Sort(from)
		return slices.Compact(from)
	}
	for _, x := range []struct {
		request string
		want    []string
	}{
		{"patch amount down", asked("order.update", "change fields", "order", false)},
		{"patch merchant_order_id", asked("order.update", "change fields", "order", false)},
		{"patch merchant_status", asked("order.update", "change fields", "order", true)},
		{"status AUTHORIZED", asked("order.update", "authorize", "order", true)},
		{"status CAPTURED", asked("order.update", "capture", "order", true)},
		{"status CANCELED", asked("order.update", "cancel", "order", true)},
		{"partial", asked("order.partial", "capture part of an order", "order", true)},
		{"extend", asked("order.extend", "extend an authorization", "order", true)},
		{"refund", asked("order.refund", "refund an order", "order", true)},
		{"pay order", asked("payment.record", "record a payment", "order", true)},
		{"refund payment", asked("payment.refund", "refund a payment", "payment", true)},
		{"return payment", asked("payment.return", "return a payment", "payment", true)},
		{"cancel payment", asked("payment.cancel", "cancel a payment", "payment", true)},
	} {
		if got := acceptedIn(t, x.request); !slices.Equal(got, x.want) {
			t.Errorf("%s is accepted in %v, and the table says %v", x.request, got, x.want)
		}
	}
}

// acceptedIn lists the statuses in which a request has an effect: a payment's for payment
// requests, else an order's.
func acceptedIn(t *testing.T, name string) []string {
	t.Helper()
	r := requests()[slices.IndexFunc(requests(), func(r request) bool { return r.name == name })]
	ofPayment := strings.HasSuffix(name, " payment")
	var out []string
	for _, state := range states() {
		status, isPayment := strings.CutPrefix(state, "payment ")
		if isPayment != ofPayment || strings.HasPrefix(state, "company ") || state == "no order" {
			continue
		}
		s := newScene(t, state)
		if ch, refusal := s.do(operator, r.make(s)); refusal == nil && !ch.Empty() {
			out = append(out, status)
		}
	}
	slices.Sort(out)
	return out
}
