package lending

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Kinds of invoice lines.
const (
	linePrincipal  = "PRINCIPAL"
	lineCharge     = "FINANCE_CHARGE"
	lineRefund     = "REFUND"
	lineAdjustment = "ADJUSTMENT"
)

// issueInvoice creates the invoice of a capture: principal and the scheduled charge, due with
// the last row (F31).
func issueInvoice(d *credit.Draft, o *credit.Order, l *schedule.Loan) {
	charge := money.Amount(0)
	for _, r := range l.Rows {
		charge = charge.Add(r.Charge)
	}
	id := d.IDs.Next(credit.PrefixInvoice)
	i := &credit.Invoice{
		ID: id, Number: "INV-" + id[len(id)-10:], Order: o.Key, Company: o.Company, Merchant: o.Merchant,
		AmountDue: o.Captured.Add(charge), Status: credit.InvoiceOpen, IssuedAt: d.Env.Now, DueDate: l.Rows[len(l.Rows)-1].DueDate,
		UpdatedAt: d.Env.Now, Version: 1,
		Lines: []credit.InvoiceLine{{Kind: linePrincipal, Description: "Financed amount", Amount: o.Captured, Date: o.CaptureDate}},
	}
	if charge != 0 {
		i.Lines = append(i.Lines, credit.InvoiceLine{Kind: lineCharge, Description: "Finance charge as scheduled", Amount: charge, Date: o.CaptureDate})
	}
	o.Invoice = id
	d.Invoices.Add(i.ID, i)
}

// settleInvoice updates an order's invoice to match its loan: refunds and recomputed charges
// become further lines, and it is due with the last row.
func settleInvoice(d *credit.Draft, o *credit.Order, was, l *schedule.Loan) {
	old := d.Invoices.Peek(o.Invoice)
	v := o.View(l, serveTheDay(d, l))
	due, paid := v.TotalAmount, v.TotalPaid
	status, last := invoiceStatus(o, v), l.Rows[len(l.Rows)-1].DueDate
	if old.AmountDue == due && old.Paid == paid && old.Status == status && old.DueDate == last {
		return
	}
	i := d.Invoices.Edit(o.Invoice)
	i.Lines = invoiceLines(d, i, l.Refunded.Sub(was.Refunded), due)
	i.AmountDue, i.Paid, i.Status, i.DueDate = due, paid, status, last
	if status == credit.InvoicePaid && old.Status != credit.InvoicePaid {
		d.InvoiceEvent(credit.InvoicePaidEvent, i.ID)
	}
	if status == credit.InvoicePastDue && old.Status != credit.InvoicePastDue {
		d.InvoiceEvent(credit.InvoicePastDueEvent, i.ID)
	}
}

// invoiceLines returns the invoice's lines plus those that bring it to an amount due: the
// principal taken off by refunds, and the change in charge and fees.
func invoiceLines(d *credit.Draft, i *credit.Invoice, refunded, due money.Amount) []credit.InvoiceLine {
	lines := append([]credit.InvoiceLine{}, i.Lines...)
	rest, today := due.Sub(i.AmountDue), d.On
	if refunded != 0 {
		lines = append(lines, credit.InvoiceLine{Kind: lineRefund, Description: "Refund by the merchant", Amount: -refunded, Date: today})
		rest = rest.Add(refunded)
	}
	if rest != 0 {
		lines = append(lines, credit.InvoiceLine{Kind: lineAdjustment, Description: "Charge and fees recomputed", Amount: rest, Date: today})
	}
	return lines
}

func invoiceStatus(o *credit.Order, v schedule.View) credit.InvoiceStatus {
	switch {
	case o.Status == credit.OrderReturned && v.TotalPaid == 0 && v.Remaining == 0:
		return credit.InvoiceVoid
	case v.Remaining == 0:
		return credit.InvoicePaid
	case v.DPD > 0:
		return credit.InvoicePastDue
	}
	return credit.InvoiceOpen
}
