package console

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

func (v *visit) readPayouts() (url.Values, store.PayoutFilter) {
	q := v.narrowed("payout", "merchant", "sort")
	return q, store.PayoutFilter{Merchant: q.Get("merchant"), Status: credit.PayoutStatus(q.Get("payout"))}
}

// payouts lists payouts, newest first, by the filter of the address.
func (v *visit) payouts() error {
	q, f := v.readPayouts()
	var list, all []*credit.Payout
	var names book
	more := false
	err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		if all, err = store.ListPayouts(w, f, store.Page{Limit: summed + 1}); err != nil {
			return err
		}
		page := v.position()
		page.Limit = pageOf + 1
		if list, err = store.ListPayouts(w, f, page); err != nil {
			return err
		}
		if more = len(list) > pageOf; more {
			list = list[:pageOf]
		}
		names, err = payeesOf(w, list)
		return err
	})
	if err != nil {
		return err
	}
	title := v.say("nav.payouts")
	p := page{
		Shell: v.shell("payouts", title), Title: design.Title{Text: title, Act: v.asFile("payouts", q)}, Figures: v.payoutTotals(all),
		Filter: v.filterOf("payouts", q, []design.Field{v.oneOf(q, "payout", "payout", "PENDING", "SENT", "SETTLED", "FAILED"), v.sorted(q)}, "merchant"),
		Tables: []titled{{ID: "list", Table: v.payoutTable(list, names)}},
	}
	if more {
		last := list[len(list)-1]
		p.Acts = v.older("payouts", q, last.CreatedAt, last.ID)
	}
	return v.show(http.StatusOK, p)
}

// payeesOf reads the merchants of payouts.
func payeesOf(w store.View, list []*credit.Payout) (book, error) {
	s := credit.NewState()
	keys, fresh := credit.NewKeySet(), credit.Keys{}
	for _, x := range list {
		keys.Add(&fresh, credit.Keys{Merchants: []string{x.Merchant}})
	}
	err := w.Load(s, fresh)
	return book{merchants: s.Merchants}, err
}

func (v *visit) payoutTotals(all []*credit.Payout) []design.Figure {
	if len(all) > summed {
		return []design.Figure{{Label: v.say("nav.payouts"), Value: v.say("orders.beyond", summed), Note: v.say("orders.narrow")}}
	}
	gross, net := money.Amount(0), money.Amount(0)
	for _, x := range all {
		gross, net = gross.Add(x.Gross), net.Add(x.Net)
	}
	return []design.Figure{{Label: v.say("nav.payouts"), Value: strconv.Itoa(len(all))}, {Label: v.say("payout.gross"), Value: v.language().Money(gross)}, {Label: v.say("payout.net"), Value: v.language().Money(net)}}
}

func (v *visit) payoutState(x *credit.Payout) design.Badge {
	b := design.Badge{Text: v.say("payout." + string(x.Status))}
	switch x.Status {
	case credit.PayoutSettled:
		b.Tone = design.Good
	case credit.PayoutFailed:
		b.Tone = design.Bad
	}
	return b
}

func (v *visit) payoutTable(list []*credit.Payout, names book) design.Table {
	t := design.Table{Caption: v.say("nav.payouts"), Columns: []design.Column{
		{Text: v.say("payout.payee")}, {Text: v.say("col.date"), From: "sm"}, {Text: v.say("payout.gross"), Number: true, From: "md"}, {Text: v.say("payout.net"), Number: true}, {Text: v.say("orders.status"), From: "sm"},
	}, Empty: &design.Empty{Text: v.say("payouts.none"), Act: &design.Button{Text: v.say("payouts.all"), Href: Prefix + "/payouts"}, Command: "tenor payouts list"}}
	for _, x := range list {
		state := v.payoutState(x)
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: merchantName(names, x.Merchant), Detail: x.ID, Href: Prefix + "/payouts/" + x.ID, Below: &state}, {Text: v.language().Day(x.Date), Soft: true}, {Text: v.language().Money(x.Gross)}, {Text: v.language().Money(x.Net), Strong: true}, {Badge: &state},
		}})
	}
	return t
}

// payoutsCSV is the list as a file.
func (v *visit) payoutsCSV() error {
	q, f := v.readPayouts()
	return v.file("payouts", "exportPayouts", q, []string{"id", "merchant_id", "merchant", "status", "date", "gross", "discount", "refunds", "repaid", "clawback", "collected", "net", "created_at"},
		func(out *csv.Writer, at store.Page) (n int, next store.Page, err error) {
			err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
				list, err := store.ListPayouts(w, f, at)
				if err != nil || len(list) == 0 {
					return err
				}
				names, err := payeesOf(w, list)
				if err != nil {
					return err
				}
				for _, x := range list {
					if err := out.Write([]string{
						x.ID, x.Merchant, web.PlainCell(merchantName(names, x.Merchant)), string(x.Status), x.Date.String(), x.Gross.String(), x.Discount.String(), x.Refunds.String(),
						x.Repaid.String(), x.Clawback.String(), x.Collected.String(), x.Net.String(), x.CreatedAt.UTC().Format(time.RFC3339),
					}); err != nil {
						return err
					}
				}
				last := list[len(list)-1]
				n, next = len(list), store.Page{AfterAt: last.CreatedAt, AfterID: last.ID}
				return nil
			})
			return n, next, err
		})
}

// payout shows one payout with its lines.
func (v *visit) payout() error {
	id := v.r.PathValue("id")
	var x *credit.Payout
	var lines []*credit.PayoutLine
	var names book
	err := v.desk().Store.View(v.r.Context(), func(w store.View) error {
		s := credit.NewState()
		if err := w.Load(s, credit.Keys{Payouts: []string{id}}); err != nil || s.Payouts[id] == nil {
			return err
		}
		x = s.Payouts[id]
		var err error
		if lines, err = store.ListPayoutLines(w, store.LineFilter{Payout: id}, store.Page{Limit: shownPostings}); err != nil {
			return err
		}
		names, err = payeesOf(w, []*credit.Payout{x})
		return err
	})
	if err != nil {
		return err
	}
	if x == nil {
		return v.bare(http.StatusNotFound, "lost")
	}
	state, m, name := v.payoutState(x), v.language().Money, merchantName(names, x.Merchant)
	p := page{
		Shell: v.shell("payouts", name), Crumbs: []design.Link{{Text: v.say("nav.payouts"), Href: Prefix + "/payouts"}, {Text: name}},
		Title: design.Title{Text: m(x.Net), Lead: v.say("payout.lead", name, v.language().Day(x.Date)), Badge: &state}, Handle: &design.Key{ID: "payout-id", Label: v.say("payout.id"), Value: x.ID},
		TopActs: []design.Button{{Text: v.say("payout.merchant"), Href: Prefix + "/merchants/" + x.Merchant}},
		Figures: []design.Figure{{Label: v.say("payout.gross"), Value: m(x.Gross)}, {Label: v.say("payout.discount"), Value: m(x.Discount)}, {Label: v.say("payout.refunds"), Value: m(x.Refunds)}, {Label: v.say("payout.taken"), Value: m(x.Clawback.Add(x.Collected))}},
		Tables:  []titled{{ID: "lines", Title: v.say("payout.lines"), Table: v.lineTable(lines, "payout.lines")}}, Acts: v.auditOf("object", x.ID),
	}
	if x.Failure != nil {
		p.Facts = []design.Fact{{Label: v.say("payment.failure"), Text: strings.TrimSpace(x.Failure.ReturnCode + " " + x.Failure.Message)}}
	}
	return v.show(http.StatusOK, p)
}

func (v *visit) lineTable(list []*credit.PayoutLine, name string) design.Table {
	t := design.Table{Caption: v.say(name), Columns: []design.Column{{Text: v.say("payout.line")}, {Text: v.say("col.due"), From: "sm"}, {Text: v.say("orders.amount"), Number: true}}, Empty: &design.Empty{Text: v.say(name + ".none")}}
	for _, x := range list {
		c := design.Cell{Text: worded(strings.ToLower(string(x.Kind))), Detail: x.Source}
		if x.Order != "" {
			c.Href = Prefix + "/orders/" + x.Order
		}
		amount := x.Amount
		if x.Kind == credit.LineClawback || x.Kind == credit.LineCollected {
			amount = -amount
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{c, {Text: v.dayOr(x.Due), Soft: true}, {Text: v.language().Money(amount), Strong: true}}})
	}
	return t
}

// merchantBook is a merchant with what is paid to it.
type merchantBook struct {
	merchant *credit.Merchant
	waiting  []*credit.PayoutLine
	paid     []*credit.Payout
}

// findMerchant reads the merchant of the address, nil if there is none.
func (v *visit) findMerchant() (x *merchantBook, err error) {
	id := v.r.PathValue("id")
	err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
		s := credit.NewState()
		if err := w.Load(s, credit.Keys{Merchants: []string{id}}); err != nil || s.Merchants[id] == nil {
			return err
		}
		x = &merchantBook{merchant: s.Merchants[id]}
		var err error
		if x.waiting, err = store.ListPayoutLines(w, store.LineFilter{Waiting: id}, store.Page{Limit: pageOf}); err != nil {
			return err
		}
		x.paid, err = store.ListPayouts(w, store.PayoutFilter{Merchant: id}, store.Page{Limit: pageOf})
		return err
	})
	return x, err
}

// merchant shows what waits for a merchant and what was paid to it.
func (v *visit) merchant() error {
	x, err := v.findMerchant()
	if err != nil {
		return err
	}
	if x == nil {
		return v.bare(http.StatusNotFound, "lost")
	}
	y, subject := x.merchant, v.merchantSubject(x.merchant)
	state := design.Badge{Tone: design.Good, Text: v.say("merchant.paid")}
	if y.Account.HeldReason != "" {
		state = design.Badge{Tone: design.Bad, Text: v.say("merchant.held")}
	}
	p := page{
		Shell: v.shell("payouts", y.Name), Crumbs: []design.Link{{Text: v.say("nav.payouts"), Href: Prefix + "/payouts"}, {Text: y.Name}},
		Title: design.Title{Text: y.Name, Lead: subject.lead, Badge: &state}, Handle: &design.Key{ID: "merchant-id", Label: v.say("audit.merchant"), Value: y.ID},
		TopActs: v.topActs(subject), Impossible: v.impossible(subject), Notice: v.did(subject),
		Tables: []titled{
			{ID: "waiting", Title: v.say("merchant.waiting"), Table: v.lineTable(x.waiting, "merchant.waiting")},
			{ID: "paid", Title: v.say("nav.payouts"), Table: v.payoutTable(x.paid, book{merchants: map[string]*credit.Merchant{y.ID: y}})},
		},
		Acts: append([]design.Button{{Text: v.say("nav.orders"), Href: Prefix + "/orders?merchant=" + y.ID}, {Text: v.say("nav.companies"), Href: Prefix + "/companies?merchant=" + y.ID}}, append(v.noteLink(subject), v.auditOf("object", y.ID)...)...),
	}
	if y.Account.HeldReason != "" {
		p.Facts = []design.Fact{{Label: v.say("merchant.because"), Text: y.Account.HeldReason}}
	}
	return v.show(http.StatusOK, p)
}

// merchantSubject is a merchant as its acts' pages name it.
func (v *visit) merchantSubject(m *credit.Merchant) *subject {
	held := m.Account.HeldReason != ""
	return &subject{section: "payouts", path: "/merchants/" + m.ID, name: m.Name, lead: v.say("merchant.lead"), merchant: m.ID, acts: []act{
		act{name: "release-payouts", permission: permit.ReleasePayout, main: true, command: func(given) credit.Command { return merchants.HoldPayouts{Merchant: m.ID} }}.possible(held, "payouts_free"),
		act{name: "hold-payouts", permission: permit.HoldPayouts, command: func(g given) credit.Command { return merchants.HoldPayouts{Merchant: m.ID, Reason: g.reason} }}.possible(!held, "payouts_held"),
	}}
}

func findMerchantSubject(v *visit) (*subject, error) {
	x, err := v.findMerchant()
	if x == nil || err != nil {
		return nil, err
	}
	return v.merchantSubject(x.merchant), nil
}
