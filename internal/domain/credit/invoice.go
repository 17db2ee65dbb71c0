package credit

import (
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

// issueInvoice makes the invoice of a capture: principal and the scheduled
// charge, due with the last row (F31).
func (d *Draft) issueInvoice(o *Order, l *schedule.Loan) {
	charge := money.Amount(0)
	for _, r := range l.Rows {
		charge = charge.Add(r.Charge)
	}
	id := d.IDs.Next(prefixInvoice)
	i := &Invoice{
		ID: id, Number: "INV-" + id[len(id)-10:], Order: o.Key, Company: o.Company, Merchant: o.Merchant,
		AmountDue: o.Captured.Add(charge), Status: InvoiceOpen, IssuedAt: d.Env.Now, DueDate: l.Rows[len(l.Rows)-1].DueDate,
		UpdatedAt: d.Env.Now, Version: 1,
		Lines: []InvoiceLine{{Kind: linePrincipal, Description: "Financed amount", Amount: o.Captured, Date: o.CaptureDate}},
	}
	if charge != 0 {
		i.Lines = append(i.Lines, InvoiceLine{Kind: lineCharge, Description: "Finance charge as scheduled", Amount: charge, Date: o.CaptureDate})
	}
	o.Invoice = id
	d.Invoices.Add(i.ID, i)
}

// settleInvoice brings an order's invoice in line with its loan: refunds and
// recomputed charges become further lines, and it is due with the last row.
func (d *Draft) settleInvoice(o *Order, was, l *schedule.Loan) {
	old := d.Invoices.Peek(o.Invoice)
	v := o.View(l, d.day(l))
	due, paid := v.TotalAmount, v.TotalPaid
	status, last := invoiceStatus(o, v), l.Rows[len(l.Rows)-1].DueDate
	if old.AmountDue == due && old.Paid == paid && old.Status == status && old.DueDate == last {
		return
	}
	i := d.Invoices.Edit(o.Invoice)
	i.Lines = d.invoiceLines(i, l.Refunded.Sub(was.Refunded), due)
	i.AmountDue, i.Paid, i.Status, i.DueDate = due, paid, status, last
	if status == InvoicePaid && old.Status != InvoicePaid {
		d.invoiceEvent(InvoicePaidEvent, i.ID)
	}
	if status == InvoicePastDue && old.Status != InvoicePastDue {
		d.invoiceEvent(InvoicePastDueEvent, i.ID)
	}
}

// invoiceLines are the invoice's lines with those that bring it to an amount due:
// the principal that refunds took off, and what charge and fees have changed by.
func (d *Draft) invoiceLines(i *Invoice, refunded, due money.Amount) []InvoiceLine {
	lines := append([]InvoiceLine{}, i.Lines...)
	rest, today := due.Sub(i.AmountDue), d.on
	if refunded != 0 {
		lines = append(lines, InvoiceLine{Kind: lineRefund, Description: "Refund by the merchant", Amount: -refunded, Date: today})
		rest = rest.Add(refunded)
	}
	if rest != 0 {
		lines = append(lines, InvoiceLine{Kind: lineAdjustment, Description: "Charge and fees recomputed", Amount: rest, Date: today})
	}
	return lines
}

func invoiceStatus(o *Order, v schedule.View) InvoiceStatus {
	switch {
	case o.Status == OrderReturned && v.TotalPaid == 0 && v.Remaining == 0:
		return InvoiceVoid
	case v.Remaining == 0:
		return InvoicePaid
	case v.DPD > 0:
		return InvoicePastDue
	}
	return InvoiceOpen
}
