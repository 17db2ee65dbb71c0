package accountpages

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/office/statement"
	"tenor/internal/ui/design"
)

// invoices lists an order's invoices; there are none before it ships.
func (v *visit) invoices(o *credit.Order) (sections []section, err error) {
	all, err := v.Desk.Invoices(v.Ctx(), v.company.ID, o.Key)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	t := design.Table{Caption: v.Say("a.invoices"), Columns: []design.Column{
		{Text: v.Say("a.col.invoice")}, {Text: v.Say("a.col.issued"), From: "md"}, {Text: v.Say("dates.due"), From: "sm"}, {Text: v.Say("a.col.amount"), Number: true},
		{Text: v.Say("a.col.paid"), Number: true, From: "md"}, {Text: v.Say("a.col.state"), From: "sm"},
	}}
	s := section{Head: design.Heading{ID: "invoices", Text: v.Say("a.invoices")}, Text: v.InEnglish("paper.english.only"), Table: &t}
	for _, i := range all {
		at, state := Prefix+"/orders/"+o.Key+"/"+i.ID, v.invoiceState(i)
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: i.Number, Href: at, Below: &state}, {Text: v.Language.Day(v.Desk.Zone.Date(i.IssuedAt))}, {Text: v.Language.Day(i.DueDate)}, {Text: v.Money(i.AmountDue), Strong: true},
			{Text: v.Money(i.Paid)}, {Badge: &state},
		}})
		s.Acts = append(s.Acts, design.Button{Text: v.Say("a.invoice.pdf", i.Number), Href: at + ".pdf"})
	}
	return []section{s}, nil
}

// invoiceState returns an invoice's status. It is past due with its first late payment, long
// before its own last day.
func (v *visit) invoiceState(i *credit.Invoice) design.Badge {
	tone, text := design.Calm, v.Say("a.invoice."+strings.ToLower(string(i.Status)))
	switch i.Status {
	case credit.InvoicePaid:
		tone = design.Good
	case credit.InvoicePastDue:
		if tone = design.Bad; i.DueDate >= v.Today() {
			text = v.Say("a.invoice.payment_past_due")
		}
	}
	return design.Badge{Tone: tone, Text: text}
}

// invoice shows an invoice as a printable page, or returns it as a file.
func (v *visit) invoice(b *buyer.Book, o *credit.Order, name string) error {
	id, isPDF := strings.CutSuffix(name, ".pdf")
	all, err := v.Desk.Invoices(v.Ctx(), v.company.ID, o.Key)
	if err != nil {
		return err
	}
	n := slices.IndexFunc(all, func(i *credit.Invoice) bool { return i.ID == id })
	if n < 0 {
		return v.stop(http.StatusNotFound, "lost")
	}
	p := statement.InvoicePaper(all[n], o, v.company, v.lender(), b.Merchant(o.Merchant))
	write, media := p.HTML, "text/html; charset=utf-8"
	if isPDF {
		write, media = p.PDF, "application/pdf"
	}
	var out bytes.Buffer
	if err := write(&out); err != nil {
		return err
	}
	v.give(media, "invoice-"+all[n].Number+".pdf", out.Bytes())
	return nil
}
