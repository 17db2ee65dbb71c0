package thief

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/proof/sim"
)

// gang is two merchants and two companies that work together, with what they know: the answers
// they got, and what a colluding company sees at its bank.
type gang struct {
	w         *world
	s         sim.Source
	merchants []string
	companies []string
	consented []string // accounts to which the companies have consented, as the operator recorded
	hooks     []string
	calls     map[string]map[bool]int // by operation: accepted or not
}

// newGang sets up a lender with the gang as its customers.
func newGang(w *world, s sim.Source) *gang {
	g := &gang{w: w, s: s, calls: map[string]map[bool]int{}}
	g.merchants = []string{
		w.merchant("Harbor Supply", ""),
		w.merchant("Quarry Tools", `"accrual_posting":"MONTH_END","clawback_debit_days":5,"clawback_write_off_days":30,"returned_payment_fee":"10.00"`),
	}
	for n, limit := range []string{"10000.00", "4000.00"} {
		c := w.company(fmt.Sprint("Buyer ", n+1), limit, g.merchants...)
		g.companies = append(g.companies, c)
		g.consented = append(g.consented, w.account("operator", c, fmt.Sprintf("10000000%d", n*7), "BUSINESS"), w.account("operator", c, fmt.Sprintf("99900011%d", n), "CONSUMER"))
	}
	return g
}

// one picks from a list, "" if it is empty.
func (g *gang) one(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return list[g.s.Intn(len(list))]
}

func (g *gang) chance(percent int) bool { return g.s.Intn(100) < percent }

func (g *gang) merchant() string { return g.one(g.merchants) }
func (g *gang) company() string  { return g.one(g.companies) }

// order picks an order, mostly a fitting one, and its merchant.
func (g *gang) order(fits func(*credit.Order) bool) (key, merchant string) {
	now := g.w.meter.last
	keys := fitting(now.orders, fits)
	if len(keys) == 0 {
		return "ord_00000000000000000000000000", g.merchant()
	}
	key = g.one(keys)
	merchant = now.orders[key].Merchant
	if g.chance(4) {
		merchant = g.merchant()
	}
	return key, merchant
}

// fitting returns the identifiers of the fitting records.
func fitting[T any](all map[string]T, fits func(T) bool) []string {
	var ids []string
	for id, x := range all {
		if fits(x) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (g *gang) payment(fits func(*credit.Payment) bool) (id, merchant string) {
	now := g.w.meter.last
	ids := fitting(now.payments, fits)
	if len(ids) == 0 {
		return "pay_00000000000000000000000000", g.merchant()
	}
	id = g.one(ids)
	p := now.payments[id]
	merchant = p.Merchant
	if o := now.orders[p.Order]; o != nil && merchant == "" {
		merchant = o.Merchant
	}
	if merchant == "" || g.chance(10) {
		merchant = g.merchant()
	}
	return id, merchant
}

func (g *gang) method(company string, fits func(*credit.PaymentMethod) bool) string {
	var ids []string
	for id, m := range g.w.meter.last.methods {
		if (company == "" || fmt.Sprint(m.Company) == company) && fits(m) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	if len(ids) == 0 {
		return "pm_00000000000000000000000000"
	}
	return g.one(ids)
}

// amount generates an amount that hurts: the whole, a cent more, next to nothing, a line, far too
// much.
func (g *gang) amount(whole int64) string {
	list := []int64{whole, whole, whole, whole, whole + 1, whole / 2, whole / 3, whole * 2, 1, 99, 100, 101, 500_00, 500_01, 10_000_00, 77_777_00, 4_000_00, int64(1 + g.s.Intn(1_000_000))}
	return money.Amount(max(1, list[g.s.Intn(len(list))])).String()
}

func captured(o *credit.Order) bool { return o.Status == credit.OrderCaptured }

// step generates one action of a gang: mostly a call, sometimes something at the bank or with the
// lender's staff, sometimes time passes.
func (g *gang) step() {
	if x := g.s.Intn(100); x < 22 {
		g.time()
		return
	} else if x < 30 {
		g.bank()
		return
	} else if x < 35 {
		g.staff()
		return
	}
	ops := moves()
	op := ops[g.s.Intn(len(ops))]
	who, method, path, body := op.draw(g)
	for range 5 {
		if !strings.Contains(path+body, "_000000") || g.chance(10) {
			break // something exists to act on
		}
		op = ops[g.s.Intn(len(ops))]
		who, method, path, body = op.draw(g)
	}
	if a := g.w.call(who, method, path, body); a.Status < 300 {
		g.note(op.id, true)
		if op.id == "createWebhook" {
			g.hooks = append(g.hooks, a.text("id"))
		}
	} else {
		g.note(op.id, false)
	}
}

func (g *gang) note(op string, accepted bool) {
	if g.calls[op] == nil {
		g.calls[op] = map[bool]int{}
	}
	g.calls[op][accepted]++
}

// time passes: to an instant before or after a cut-off or midnight, a day, some days, sometimes
// weeks.
func (g *gang) time() {
	w, day := g.w, g.w.today()
	at := []time.Time{
		w.zone.At(day, 15, 55), w.zone.At(day, 16, 5), w.zone.At(day, 23, 50), w.zone.At(day+1, 0, 30), w.zone.At(day+1, 10, 0), w.zone.At(day+1, 10, 0),
		w.zone.At(day+3, 10, 0), w.zone.At(day+7, 9, 0), w.zone.At(day+14, 12, 0), w.zone.At(day+35, 12, 0),
	}[g.s.Intn(10)]
	if at.After(w.clock.Now()) {
		w.until(at)
	}
}

// bank is what a colluding company has its bank do: return a debit.
func (g *gang) bank() {
	w := g.w
	var list []*credit.Transfer
	for _, t := range w.meter.last.transfers {
		if t.Kind == credit.TransferPayment && t.Rail == credit.ACH && away(t) && t.SentAt.After(w.clock.Now().AddDate(0, 0, -60)) {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return
	}
	t := list[g.s.Intn(len(list))]
	code := []string{"R01", "R10", "R29", "R02", "R09", "R16"}[g.s.Intn(6)]
	late := t.SentAt.Before(w.clock.Now().AddDate(0, 0, -6))
	if m := w.meter.last.methods[t.Method]; late && (m == nil || m.Bank == nil || m.Bank.HolderType != "CONSUMER") {
		return // a business has two days
	} else if late {
		code = "R10"
	}
	if trace, ok := w.trace(t.ID); ok && w.bank.ReturnNow(trace, code) == nil {
		w.log = append(w.log, fmt.Sprintf("the bank returns %s of %s with %s", t.Payment, t.Amount, code))
		w.until(w.clock.Now().Add(time.Minute))
	}
}

// staff are honest: they record what merchants send, release a company that has verified an
// account and owes nothing late, and lift stops.
func (g *gang) staff() {
	w := g.w
	switch g.s.Intn(3) {
	case 0:
		m := g.merchant()
		if owes := w.meter.last.collected(m); owes > 0 {
			w.call("operator", "POST", "/v1/operator/merchants/"+m+"/remittances", fmt.Sprintf(`{"amount":%q,"reference":"wire","reason":"x"}`, money.Amount(1+g.s.Intn(int(owes)))))
		}
	case 1:
		c := g.company()
		x := w.meter.last.companies[w.number(c)]
		if x.Status == credit.CompanySuspended && x.Servicing.Late == 0 {
			if x.Servicing.NeedsVerified {
				w.account("operator", c, fmt.Sprintf("8%08d", g.s.Intn(1e8)), "BUSINESS")
			}
			w.call("operator", "POST", "/v1/operator/companies/"+c+"/release", `{"reason":"reviewed"}`)
		}
	case 2:
		c := g.company()
		key, _ := g.order(func(o *credit.Order) bool { return captured(o) && fmt.Sprint(o.Company) == c })
		if l := w.meter.last.loans[key]; l != nil && unpaid(l) > 0 {
			w.call("operator", "POST", "/payment", fmt.Sprintf(`{"order_key":%q,"amount":%q,"method":"WIRE"}`, key, money.Amount(unpaid(l))))
		}
	}
}

// collected is what a merchant owes on 1210.
func (g *glance) collected(merchant string) int64 {
	sum := int64(0)
	for _, l := range g.lines {
		if l.Merchant == merchant && l.Payout == "" && l.Kind == credit.LineCollected {
			sum += int64(l.Left())
		}
	}
	return sum
}

// move is a call that a merchant's token allows.
type move struct {
	id   string
	draw func(g *gang) (who, method, path, body string)
}

// moves returns all of them, each as often as its weight.
func moves() []move {
	list := slices.Concat(orderMoves(), paymentMoves(), methodMoves(), otherMoves())
	for range 4 {
		list = append(list, orderMoves()[:2]...)
		list = append(list, paymentMoves()...)
	}
	return slices.Concat(list, orderMoves(), orderMoves(), methodMoves())
}

func orderMoves() []move {
	return []move{
		{"createOrder", func(g *gang) (string, string, string, string) {
			more := ""
			if g.chance(25) {
				more = `,"externally_managed_payments":true`
			}
			status := "AUTHORIZED"
			if g.chance(10) {
				status = "CREATED"
			}
			c := g.company()
			free := max(0, int64(g.w.meter.last.companies[g.w.number(c)].Available()))
			return g.merchant(), "POST", "/order", fmt.Sprintf(`{"company_id":%s,"amount":%q,"installments":%d,"status":%q%s}`, c, g.amount(free), []int{1, 1, 3, 6}[g.s.Intn(4)], status, more)
		}},
		{"updateOrder", func(g *gang) (string, string, string, string) {
			key, m := g.order(func(o *credit.Order) bool {
				return o.Status == credit.OrderAuthorized || o.Status == credit.OrderCreated
			})
			body := `{"status":"CAPTURED"}`
			whole := int64(0)
			if o := g.w.meter.last.orders[key]; o != nil {
				whole = int64(o.Amount)
			}
			switch g.s.Intn(8) {
			case 0:
				body = fmt.Sprintf(`{"amount":%q}`, g.amount(whole))
			case 1:
				body = fmt.Sprintf(`{"amount":%q,"status":"CAPTURED"}`, g.amount(whole))
			case 2:
				body = `{"status":"CANCELED"}`
			case 3:
				body = `{"status":"AUTHORIZED","installments":3}`
			}
			return m, "PATCH", "/v1/order/" + key, body
		}},
		{"capturePart", func(g *gang) (string, string, string, string) {
			key, m := g.order(func(o *credit.Order) bool { return o.Status == credit.OrderAuthorized })
			whole := int64(0)
			if o := g.w.meter.last.orders[key]; o != nil {
				whole = int64(o.Amount) / 2
			}
			return m, "POST", "/v1/order/" + key + "/partial", amountBody(g.amount(whole))
		}},
		{"extendOrder", func(g *gang) (string, string, string, string) {
			key, m := g.order(func(o *credit.Order) bool { return o.Status == credit.OrderAuthorized })
			return m, "POST", "/v1/order/" + key + "/extend", `{}`
		}},
		{"refundOrder", func(g *gang) (string, string, string, string) {
			key, m := g.order(captured)
			whole := int64(0)
			if o := g.w.meter.last.orders[key]; o != nil {
				whole = int64(o.Captured - o.Refunded)
			}
			return m, "PATCH", "/v1/order/" + key + "/refund", amountBody(g.amount(whole))
		}},
		{"setOrderAutopay", func(g *gang) (string, string, string, string) {
			key, m := g.order(captured)
			return m, "PATCH", "/v1/order/" + key + "/autopay", fmt.Sprintf(`{"enabled":%t}`, g.chance(60))
		}},
	}
}

func paymentMoves() []move {
	pay := move{"recordPayment", func(g *gang) (string, string, string, string) {
		key, m := g.order(captured)
		whole, company := int64(0), g.company()
		if l := g.w.meter.last.loans[key]; l != nil {
			whole, company = owed(l.Rows), fmt.Sprint(g.w.meter.last.orders[key].Company)
		}
		target := fmt.Sprintf(`"order_key":%q`, key)
		if g.chance(15) {
			target = fmt.Sprintf(`"company_id":%s`, company)
		}
		method := []string{"ACH", "ACH", "ACH", "CARD", "CASH", "CASH", "CHECK", "WIRE", "OTHER"}[g.s.Intn(9)]
		more := ""
		switch {
		case method == "ACH" || method == "CARD":
			more = fmt.Sprintf(`,"payment_method_id":%q`, g.method(company, func(x *credit.PaymentMethod) bool { return string(x.Type) == method }))
			if g.chance(25) {
				more += fmt.Sprintf(`,"scheduled_date":%q`, g.w.today().AddBankingDays(1+g.s.Intn(20)))
			}
		case g.chance(15):
			more = fmt.Sprintf(`,"effective_date":%q`, g.w.today().AddDays(-g.s.Intn(40)))
		}
		if g.chance(10) {
			more += `,"hold_excess":true`
		}
		return m, "POST", "/payment", fmt.Sprintf(`{%s,"amount":%q,"method":%q%s}`, target, g.amount(whole), method, more)
	}}
	return []move{pay, pay, {"refundPayment", func(g *gang) (string, string, string, string) {
		id, m := g.payment(func(p *credit.Payment) bool {
			return p.Direction == "IN" && (p.Status == credit.PaymentSucceeded || p.Status == credit.PaymentPartiallyRefunded)
		})
		whole := int64(0)
		if p := g.w.meter.last.payments[id]; p != nil {
			whole = int64(p.Amount - p.Refunded)
		}
		body := `{}`
		if g.chance(60) {
			body = amountBody(g.amount(whole))
		}
		return m, "POST", "/payment/" + id + "/refund", body
	}}, {"cancelPayment", func(g *gang) (string, string, string, string) {
		id, m := g.payment(func(p *credit.Payment) bool {
			return p.Status == credit.PaymentScheduled || p.Status == credit.PaymentPending
		})
		return m, "POST", "/v1/payment/" + id + "/cancel", `{}`
	}}}
}

func methodMoves() []move {
	any := func(*credit.PaymentMethod) bool { return true }
	return []move{
		{"setAutopay", func(g *gang) (string, string, string, string) {
			c := g.company()
			consent := ""
			if g.chance(70) {
				consent = fmt.Sprintf(`,"authorization":%s`, g.w.consent(""))
			}
			switch g.s.Intn(4) {
			case 0:
				return g.merchant(), "PATCH", "/v1/companies/" + c + "/autopay", fmt.Sprintf(`{"apply_credit_to_due":%t%s}`, g.chance(70), consent)
			case 1:
				return g.merchant(), "PATCH", "/v1/companies/" + c + "/autopay", `{"enabled":false}`
			}
			return g.merchant(), "PATCH", "/v1/companies/" + c + "/autopay", fmt.Sprintf(`{"enabled":true,"payment_method_id":%q%s}`, g.method(c, any), consent)
		}},
		{"addPaymentMethod", func(g *gang) (string, string, string, string) {
			path := "/v1/companies/" + g.company() + "/payment_methods"
			if g.chance(25) {
				return g.merchant(), "POST", path, fmt.Sprintf(
					`{"type":"CARD","card":{"token":"tok_%d","mandate":"mnd","last4":"4242","exp_month":12,"exp_year":2040,"debit":true},"authorization":%s}`, g.s.Intn(9), g.w.consent("WEB"))
			}
			if g.chance(10) {
				return g.merchant(), "POST", path, strings.Replace(g.w.accountBody("123456789", "BUSINESS"), "Alder Kitchens", "  ", 1)
			}
			number := []string{"100000000", "100000001", "100000010", "100000029", "200000010", "100000003", "100000016", "300000001", fmt.Sprintf("5%08d", g.s.Intn(1e8))}[g.s.Intn(9)]
			body := g.w.accountBody(number, []string{"BUSINESS", "CONSUMER"}[g.s.Intn(2)])
			body = body[:len(body)-1] + []string{"}", `,"verify":true}`, `,"verify":true}`, `,"prenote":true}`, `,"verify":false}`}[g.s.Intn(5)]
			return g.merchant(), "POST", path, body
		}},
		{"removePaymentMethod", func(g *gang) (string, string, string, string) {
			c := g.company()
			return g.merchant(), "DELETE", "/v1/companies/" + c + "/payment_methods/" + g.method(c, any), ""
		}},
		{"authorizePaymentMethod", func(g *gang) (string, string, string, string) {
			c := g.company()
			return g.merchant(), "POST", "/v1/companies/" + c + "/payment_methods/" + g.method(c, any) + "/authorization", g.w.consent("WEB")
		}},
		{"verifyPaymentMethod", func(g *gang) (string, string, string, string) {
			c := g.company()
			id := g.method(c, func(m *credit.PaymentMethod) bool { return m.Verification != nil })
			amounts := []money.Amount{1, 2}
			if m := g.w.meter.last.methods[id]; m != nil && m.Verification != nil && g.chance(70) {
				amounts = m.Verification.Amounts // the company has seen them at its bank
			}
			return g.merchant(), "POST", "/v1/companies/" + c + "/payment_methods/" + id + "/verify", fmt.Sprintf(`{"amounts":[%q,%q]}`, amounts[0], amounts[1])
		}},
		{"requestCredit", func(g *gang) (string, string, string, string) {
			return g.merchant(), "POST", "/v1/companies/" + g.company() + "/credit_requests", `{}`
		}},
	}
}

// otherMoves are those that change no money according to the contract.
func otherMoves() []move {
	hook := func(method, end, body string) func(g *gang) (string, string, string, string) {
		return func(g *gang) (string, string, string, string) {
			return g.merchants[0], method, "/v1/webhooks/" + g.one(append([]string{"whk_00000000000000000000000000"}, g.hooks...)) + end, body
		}
	}
	return []move{
		{"createWebhook", func(g *gang) (string, string, string, string) {
			return g.merchants[0], "POST", "/v1/webhooks", `{"url":"https://example.com/hook"}`
		}},
		{"updateWebhook", hook("PATCH", "", `{"description":"mine"}`)},
		{"deleteWebhook", hook("DELETE", "", "")},
		{"rotateWebhook", hook("POST", "/rotate", `{}`)},
		{"testWebhook", hook("POST", "/test", `{}`)},
		{"replayWebhook", hook("POST", "/replay", `{}`)},
		{"redeliver", func(g *gang) (string, string, string, string) {
			return g.merchant(), "POST", "/v1/deliveries/dlv_01KE7AR4C0ET50Z1EVB94ZBZSN/redeliver", `{}`
		}},
		{"reconcile", func(g *gang) (string, string, string, string) {
			return g.merchant(), "POST", "/v1/reconciliations", `[]`
		}},
	}
}
