package paper

import (
	"fmt"
	"slices"
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// run is a number of consecutive payments of the same amount.
type run struct {
	count    int
	amount   money.Amount
	from, to calendar.Date
}

// runs returns the payments, equal ones combined.
func runs(rows []lending.DisclosedRow) (out []run) {
	for _, r := range rows {
		if n := len(out); n > 0 && out[n-1].amount == r.Amount {
			out[n-1].count, out[n-1].to = out[n-1].count+1, r.DueDate
			continue
		}
		out = append(out, run{1, r.Amount, r.DueDate, r.DueDate})
	}
	return out
}

// figures returns the values that a disclosure's words refer to.
func figures(in Input) (v values) {
	x, say := in.Disclosure, speaker(in.Language)
	for _, p := range [][2]string{
		{"lender", in.Lender}, {"merchant", in.Merchant}, {"business", in.Business}, {"order", in.Order}, {"reach", in.reach()}, {"accepts", in.accepts()},
		{"text", strconv.Itoa(Text)}, {"template", x.Template}, {"zero", say.Money(0)},
		{"funding", say.Money(x.Funding)}, {"recipient", say.Money(x.Recipient)}, {"charge", say.Money(x.FinanceCharge)}, {"total", say.Money(x.TotalPayments)},
		{"apr", hundredths(x.APR)}, {"captured", say.LongDay(x.CapturedOn)},
		{"late", x.LateFeeRate.Percent(0)}, {"cap", say.Money(x.LateFeeCap)}, {"grace", strconv.Itoa(x.LateFeeGrace)}, {"returned", say.Money(x.ReturnedPayment)},
		{"count", strconv.Itoa(x.Count)}, {"months", strconv.Itoa(x.TermMonths)},
	} {
		v.set(p[0], p[1])
	}
	if n := len(x.Rows); n > 0 {
		v.set("first", say.LongDay(x.FirstDueDate))
		v.set("last", say.LongDay(x.Rows[n-1].DueDate))
	}
	return v
}

// disclose makes the disclosure of an order in its state's form.
func disclose(in Input) (sheet, error) {
	x := in.Disclosure
	c, err := readKeys(in.Language, "disclosure", x.Template)
	if err != nil {
		return sheet{}, err
	}
	rows := form(x.Template)
	if rows == nil || x.Text != Text {
		return sheet{}, fmt.Errorf("%w: form %q has no text version %d", ErrInput, x.Template, x.Text)
	}
	c.values = figures(in)
	s := sheet{
		Language: in.Language, Lender: in.Lender, Address: in.LenderAddress, Title: c.say("title"), Sub: c.say("sub", "form", c.say("form."+x.Template)),
		Lead: c.say("lead"), Parties: parties(c, in), Summary: c.say("summary"), Page: c.find("page"), Foot: c.say("foot"), Contact: c.say("contact"),
	}
	cost := table{Caption: c.say("rows"), Columns: []column{{c.say("column.item"), left, .25}, {c.say("column.amount"), right, .2}, {c.say("column.meaning"), left, .55}}}
	for _, key := range rows {
		value, means := told(key, c, in)
		cost.Rows = append(cost.Rows, []cell{{Lines: []string{c.say(key)}}, {Lines: []string{value}}, {Lines: means}})
		if slices.Contains([]string{rowCharge, rowAPR, rowTotal}, key) {
			s.Figures = append(s.Figures, pair{c.say(key), value})
		}
	}
	s.Sections = []section{{Table: &cost}, {Table: payments(c, in), Text: []string{c.say("schedule.note")}}}
	if x.Signature {
		s.Sections = append(s.Sections, section{Heading: c.say("sign"), Text: []string{c.say("sign.text"), c.say("sign.how")}, Sign: []pair{
			{c.say("sign.name"), in.Signer}, {c.say("sign.title"), in.Title}, {c.say("sign.business"), in.Business}, {c.say("sign.line"), ""}, {c.say("sign.date"), ""},
		}})
	}
	return s, nil
}

// parties are the parties of the paper, without unknown ones.
func parties(c *catalogue, in Input) (out []pair) {
	signer := in.Signer
	if signer != "" && in.Title != "" {
		signer += ", " + in.Title
	}
	for _, p := range []pair{
		{"party.lender", in.Lender}, {"party.business", in.Business}, {"party.merchant", in.Merchant}, {"party.signer", signer},
		{"party.order", in.Order}, {"party.date", speaker(in.Language).LongDay(in.On)},
	} {
		if p.Value != "" {
			out = append(out, pair{c.say(p.Label), p.Value})
		}
	}
	return out
}

// told is a row of a disclosure: its figure, and what it means.
func told(key string, c *catalogue, in Input) (value string, means []string) {
	x, say := in.Disclosure, speaker(in.Language)
	if c.has(key + ".means") {
		means = []string{c.say(key + ".means")}
	}
	if c.has(key + ".value") {
		value = c.say(key + ".value")
	}
	switch key {
	case rowFunding:
		value = say.Money(x.Funding)
	case rowItemization:
		value, means = say.Money(x.Funding), []string{c.say("itemization.merchant"), c.say("itemization.you")}
	case rowRecipient:
		value = say.Money(x.Recipient)
	case rowAPR:
		value = hundredths(x.APR)
	case rowCharge:
		value = say.Money(x.FinanceCharge)
		if !slices.Contains(form(x.Template), rowAPR) { // no price is shown without it
			means = append(means, c.say("charge.apr"))
		}
	case rowRate:
		value, means = rate(c, x)
	case rowTotal:
		value = say.Money(x.TotalPayments)
	case rowPayment:
		value, means = say.Money(x.Payment), append([]string{plural(c, "payment.count", x.Count)}, spans(c, in)...)
	case rowAverage:
		value = say.Money(x.Average)
	case rowTerm:
		value = plural(c, "term", x.TermMonths)
	case rowPrepayment:
		means = append(means, early(c, x))
	case rowFees:
		means = []string{late(c, x), returned(c, x)}
	}
	return value, means
}

// plural returns the words for one or for many.
func plural(c *catalogue, key string, n int) string {
	if n == 1 {
		return c.say(key + ".one")
	}
	return c.say(key + ".many")
}

// spans describes the payments, equal ones in one line.
func spans(c *catalogue, in Input) (out []string) {
	say := speaker(in.Language)
	for _, r := range runs(in.Disclosure.Rows) {
		out = append(out, plural(&catalogue{c.words, c.form, append(slices.Clone(c.values),
			"{number}", strconv.Itoa(r.count), "{amount}", say.Money(r.amount), "{from}", say.LongDay(r.from), "{to}", say.LongDay(r.to))}, "payment.run", r.count))
	}
	return out
}

// rate describes a plan's price.
func rate(c *catalogue, x lending.Disclosure) (value string, means []string) {
	switch {
	case x.Plan == schedule.FlatFee && x.FinanceCharge > 0:
		return money.Rate(0).Percent(2), []string{c.say("rate.flat")}
	case x.FinanceCharge == 0:
		return x.AnnualRate.Percent(2), []string{c.say("rate.free")}
	}
	return x.AnnualRate.Percent(2), []string{c.say("rate.means")}
}

// early describes what is owed when everything is paid early (F8).
func early(c *catalogue, x lending.Disclosure) string {
	switch {
	case x.FinanceCharge == 0:
		return c.say("prepayment.free")
	case x.Plan == schedule.FlatFee:
		return c.say("prepayment.flat")
	}
	return c.say("prepayment.owed")
}

// late describes what a late payment costs (F10).
func late(c *catalogue, x lending.Disclosure) string {
	if x.LateFeeRate == 0 || x.LateFeeCap == 0 {
		return c.say("fees.late.none")
	}
	return c.say("fees.late")
}

// returned describes what a returned payment costs (F11).
func returned(c *catalogue, x lending.Disclosure) string {
	if x.ReturnedPayment == 0 {
		return c.say("fees.returned.none")
	}
	return c.say("fees.returned")
}

// payments is the table of all payments with their parts.
func payments(c *catalogue, in Input) *table {
	x, say := in.Disclosure, speaker(in.Language)
	t := &table{Caption: c.say("schedule"), Columns: []column{
		{c.say("column.number"), left, .1}, {c.say("column.due"), left, .3}, {c.say("column.principal"), right, .2}, {c.say("column.charge"), right, .2}, {c.say("column.payment"), right, .2},
	}}
	line := func(texts ...string) (out []cell) {
		for _, s := range texts {
			out = append(out, cell{Lines: []string{s}})
		}
		return out
	}
	for _, r := range x.Rows {
		t.Rows = append(t.Rows, line(strconv.Itoa(r.Number), say.Day(r.DueDate), say.Money(r.Principal), say.Money(r.Charge), say.Money(r.Amount)))
	}
	t.Total = line(c.say("schedule.total"), "", say.Money(x.Funding), say.Money(x.FinanceCharge), say.Money(x.TotalPayments))
	return t
}
