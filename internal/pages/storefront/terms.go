package storefront

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/office/promotion"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// view is the data of the page.
type view struct {
	Shell     design.App
	Title     design.Title
	Purpose   string
	Plans     *design.Table
	Sentences []string
}

// terms shows what every plan for an amount costs. An unknown merchant, and an amount for which
// it offers nothing, get the same response.
func (p *Pages) terms(w http.ResponseWriter, r *http.Request) {
	now, who := p.config.Desk.Wall(), p.config.Address(r)
	if wait := p.addresses.Wait(who, now); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
		p.refuse(w, r, http.StatusTooManyRequests)
		return
	}
	p.addresses.Count(who, now)
	q := r.URL.Query()
	amount, err := money.Parse(q.Get("amount"))
	if err != nil || amount <= 0 || q.Get("currency") != "USD" {
		p.refuse(w, r, http.StatusNotFound)
		return
	}
	m, program, err := p.config.Desk.Seller(r.Context(), q.Get("merchant"))
	if err != nil {
		p.fault(w, r, err)
		return
	}
	x := promotion.Of(program, amount, p.config.Desk.Zone.Date(p.config.Desk.Now()))
	if !x.Eligible() {
		p.refuse(w, r, http.StatusNotFound)
		return
	}
	p.show(w, r, http.StatusOK, p.written(m, x))
}

// written creates the page of a promotion.
func (p *Pages) written(m *credit.Merchant, x promotion.Promotion) view {
	say := promotion.English.Money
	v := view{Shell: p.shell("Terms of paying over time", m.Name), Title: design.Title{Text: "Paying " + say(x.Amount) + " over time"}, Purpose: p.sentences.Purpose()}
	if x.Maximum > 0 {
		v.Title.Text, v.Sentences = "Paying over time", []string{p.sentences.Text(x) + "."}
		return v
	}
	v.Plans = &design.Table{Caption: "Plans", Columns: []design.Column{
		{Text: "Payments"}, {Text: "Each", Number: true}, {Text: "Finance charge", Number: true}, {Text: "Total", Number: true}, {Text: "APR", Number: true},
	}}
	for _, plan := range x.Plans {
		d := plan.Disclosure
		rate := promotion.Percent(d.APR)
		if plan.Highest > d.APR {
			rate += " to " + promotion.Percent(plan.Highest)
		}
		v.Plans.Rows = append(v.Plans.Rows, design.Row{Cells: []design.Cell{
			{Text: strconv.Itoa(d.Count)}, {Text: say(d.Payment)}, {Text: say(d.FinanceCharge)}, {Text: say(d.TotalPayments)}, {Text: rate},
		}})
	}
	if shown := x.Shown(); shown != nil {
		v.Sentences = []string{"Example: " + p.sentences.Example(*shown), p.sentences.Range(*shown)}
	}
	return v
}

func (p *Pages) shell(title, merchant string) design.App {
	return design.App{Page: design.Page{Title: title, Site: merchant, Assets: p.files}, Brand: design.Brand{Name: merchant, Sub: "Pay over time"}}
}

// refuse answers without terms.
func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, status int) {
	v := view{Shell: p.shell("No terms here", "Pay over time"), Title: design.Title{Text: "There are no terms here", Lead: "The link is wrong, or there is nothing to tell of this amount."}}
	switch status {
	case http.StatusTooManyRequests:
		v.Title = design.Title{Text: "Too many requests", Lead: "Wait a minute, and try again."}
	case http.StatusInternalServerError:
		v.Title = design.Title{Text: "Something does not work", Lead: "Try again in a moment."}
	}
	p.show(w, r, status, v)
}

func (p *Pages) fault(w http.ResponseWriter, r *http.Request, err error) {
	if p.config.Log != nil {
		p.config.Log.Error("the terms of a promotion failed", "error", err.Error())
	}
	p.refuse(w, r, http.StatusInternalServerError)
}

// show sends a page.
func (p *Pages) show(w http.ResponseWriter, r *http.Request, status int, v view) {
	var b bytes.Buffer
	if err := p.templates.ExecuteTemplate(&b, "terms", v); err != nil {
		http.Error(w, "The page cannot be shown.", http.StatusInternalServerError)
		return
	}
	web.Send(w, r, status, b.Bytes())
}
