package console

import (
	"net/http"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/underwriting"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// hit is something that a search has found, and where it leads.
type hit struct{ kind, name, detail, path string }

// search finds whatever an identifier names: nobody is asked what it is. A single hit opens.
func (v *visit) search() error {
	text := strings.Join(strings.Fields(v.r.URL.Query().Get("q")), " ")
	if r := []rune(text); len(r) > pages.MaxAnswer {
		text = string(r[:pages.MaxAnswer])
	}
	var hits []hit
	err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		hits, err = v.lookUp(w, text)
		return err
	})
	if err != nil {
		return err
	}
	if len(hits) == 1 {
		return v.to(hits[0].path)
	}
	title := v.say("search.title")
	p := page{Shell: v.shell("", title), Title: design.Title{Text: title, Lead: v.say("search.lead."+few(len(hits)), text, len(hits))}}
	t := design.Table{Caption: title, Columns: []design.Column{{Text: v.say("search.what")}, {Text: v.say("search.kind")}}, Empty: &design.Empty{Text: v.say("search.none"), Act: &design.Button{Text: v.say("orders.all"), Href: Prefix + "/orders"}}}
	for _, h := range hits {
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: h.name, Detail: h.detail, Href: Prefix + h.path}, {Text: v.say("search." + h.kind)}}})
	}
	p.Tables = []titled{{ID: "hits", Table: t}}
	return v.show(http.StatusOK, p)
}

// lookUp looks a text up as every kind of identifier that it may be.
func (v *visit) lookUp(w store.View, text string) (out []hit, err error) {
	if text == "" {
		return nil, nil
	}
	s := credit.NewState()
	k := credit.Keys{}
	switch prefix, _, _ := strings.Cut(text, "_"); prefix + "_" {
	case credit.PrefixOrder:
		k.Orders = []string{text}
	case credit.PrefixPayment:
		k.Payments = []string{text}
	case credit.PrefixInvoice:
		k.Invoices = []string{text}
	case credit.PrefixTransfer:
		k.Transfers = []string{text}
	case credit.PrefixPayout:
		k.Payouts = []string{text}
	case credit.PrefixMerchant:
		k.Merchants = []string{text}
	case credit.PrefixCheckout:
		k.Records = []credit.RecordKey{{Noun: credit.NounCheckout, ID: text}}
	case credit.PrefixCase:
		k.Records = []credit.RecordKey{{Noun: credit.NounCase, ID: text}}
	case credit.PrefixApplication:
		k.Records = []credit.RecordKey{{Noun: credit.NounApplication, ID: text}}
	case credit.PrefixApproval:
		k.Records = []credit.RecordKey{{Noun: credit.NounApproval, ID: text}}
	}
	if id, err := strconv.ParseInt(text, 10, 64); err == nil && id > 0 {
		k.Companies = []int64{id}
	}
	if err := w.Load(s, k); err != nil {
		return nil, err
	}
	out = append(v.loaded(s), v.records(s)...)
	return v.named(w, text, out)
}

func orderHit(kind, key, detail string) hit { return hit{kind, key, detail, "/orders/" + key} }

func (v *visit) loaded(s *credit.State) (out []hit) {
	for key, o := range s.Orders { // unordered: at most one, as below
		if o != nil {
			out = append(out, orderHit("order", key, o.MerchantOrderID))
		}
	}
	for id, x := range s.Payments {
		if x != nil {
			out = append(out, hit{"payment", id, x.Order, "/payments/" + id})
		}
	}
	for id, x := range s.Invoices {
		if x != nil {
			out = append(out, hit{"invoice", id, x.Order, "/orders/" + x.Order})
		}
	}
	for id, x := range s.Transfers {
		if x != nil && x.Payment != "" {
			out = append(out, hit{"transfer", id, x.Payment, "/payments/" + x.Payment})
		} else if x != nil {
			out = append(out, hit{"transfer", id, x.Payout, "/merchants/" + x.Merchant})
		}
	}
	for id, x := range s.Payouts {
		if x != nil {
			out = append(out, hit{"payout", id, x.Merchant, "/payouts/" + id})
		}
	}
	for id, x := range s.Merchants {
		if x != nil {
			out = append(out, hit{"merchant", x.Name, id, "/merchants/" + id})
		}
	}
	for id, x := range s.Companies {
		if x != nil {
			out = append(out, v.companyHit(x, id))
		}
	}
	return out
}

func (v *visit) companyHit(x *credit.Company, id int64) hit {
	n := strconv.FormatInt(id, 10)
	name := x.Name
	if permit.Masked(v.visitor.Staff.Roles) {
		name = n
	}
	return hit{"company", name, n, "/companies/" + n}
}

func (v *visit) records(s *credit.State) (out []hit) {
	for key, r := range s.Records {
		switch x := r.(type) {
		case *credit.Checkout:
			if x != nil && x.Of != "" {
				out = append(out, orderHit("checkout", x.Of, key.ID))
			}
		case *credit.Case:
			if x != nil && x.Order() != "" {
				out = append(out, orderHit("case", x.Order(), key.ID))
			}
		case *credit.Application:
			if x != nil && x.Kind != underwriting.Estimate {
				out = append(out, hit{"application", v.business(x), key.ID, "/applications/" + key.ID})
			}
		case *credit.Approval:
			if x != nil {
				out = append(out, hit{"approval", key.ID, worded(x.Act), "/approvals/" + key.ID})
			}
		}
	}
	return out
}

// named adds what has the text as its number or e-mail.
func (v *visit) named(w store.View, text string, out []hit) ([]hit, error) {
	if len(out) > 0 {
		return out, nil
	}
	orders, err := store.ListOrders(w, store.OrderFilter{MerchantOrderID: text, CapturedFrom: calendar.None, CapturedTo: calendar.None}, store.Page{Limit: 20})
	if err != nil {
		return nil, err
	}
	for _, o := range orders {
		out = append(out, hit{"order", o.MerchantOrderID, o.Key, "/orders/" + o.Key})
	}
	if !strings.Contains(text, "@") || permit.Masked(v.visitor.Staff.Roles) {
		return out, nil
	}
	companies, err := store.ListCompaniesByEmail(w, strings.ToLower(text), 20)
	for _, x := range companies {
		out = append(out, v.companyHit(x, x.ID))
	}
	return out, err
}
