package credit

import (
	"maps"
	"slices"

	"tenor/internal/domain/money"
)

// Previous holds the members of a resource that a command changed, by JSON name, with their
// old values. Laid over the resource as an event shows it, they give the resource before the
// command.
type Previous map[string]any

// Differs records a member whose value has changed.
func Differs[T comparable](p Previous, name string, was, now T) {
	if was != now {
		p[name] = was
	}
}

// differsAt is Differs for values behind pointers.
func differsAt[T comparable](p Previous, name string, was, now *T) {
	if !Same(was, now) {
		p[name] = was
	}
}

// differsIn is Differs for lists.
func differsIn[T comparable](p Previous, name string, was, now []T) {
	if !slices.Equal(was, now) {
		p[name] = append([]T{}, was...)
	}
}

// PreviousOrder is the old values of an order's changed members.
func PreviousOrder(was, now *Order) Previous {
	p := Previous{}
	Differs(p, "merchant_order_id", was.MerchantOrderID, now.MerchantOrderID)
	Differs(p, "amount", was.Amount, now.Amount)
	Differs(p, "status", was.Status, now.Status)
	if was.Installments != now.Installments {
		p["installments"] = nil
		if was.Installments != 0 {
			p["installments"] = was.Installments
		}
	}
	Differs(p, "capture_date", was.CaptureDate, now.CaptureDate)
	differsAt(p, "terms", was.Terms, now.Terms)
	Differs(p, "authorized_amount", was.Authorized, now.Authorized)
	Differs(p, "captured_amount", was.Captured, now.Captured)
	Differs(p, "refunded_amount", was.Refunded, now.Refunded)
	Differs(p, "refundable_amount", was.Captured.Sub(was.Refunded), now.Captured.Sub(now.Refunded))
	Differs(p, "authorization_expires_at", was.ExpiresAt, now.ExpiresAt)
	Differs(p, "authorized_at", was.AuthorizedAt, now.AuthorizedAt)
	Differs(p, "canceled_at", was.CanceledAt, now.CanceledAt)
	Differs(p, "returned_at", was.ReturnedAt, now.ReturnedAt)
	Differs(p, "cancel_reason", was.CancelReason, now.CancelReason)
	Differs(p, "invoice_id", was.Invoice, now.Invoice)
	Differs(p, "financing_status", was.Financing, now.Financing)
	Differs(p, "autopay", !was.Servicing.NoAutopay, !now.Servicing.NoAutopay)
	Differs(p, "collection_stopped", was.Waits(), now.Waits())
	PreviousDetails(p, was, now)
	return p
}

// PreviousDetails records changes of the members in which the shop describes its order.
func PreviousDetails(p Previous, was, now *Order) {
	differsIn(p, "cart_items", was.Cart, now.Cart)
	differsAt(p, "charges", was.Charges, now.Charges)
	differsAt(p, "shipping_address", was.Shipping, now.Shipping)
	differsAt(p, "billing_address", was.Billing, now.Billing)
	Differs(p, "merchant_status", was.MerchantStatus, now.MerchantStatus)
	if !maps.Equal(was.Metadata, now.Metadata) {
		old := map[string]string{}
		maps.Copy(old, was.Metadata)
		p["metadata"] = old
	}
	if len(was.Refunds) != len(now.Refunds) {
		p["refunds"] = append([]Refund{}, was.Refunds...)
	}
}

// PreviousPayment is PreviousOrder for a payment.
func PreviousPayment(was, now *Payment) Previous {
	p := Previous{}
	Differs(p, "status", was.Status, now.Status)
	Differs(p, "scheduled_date", was.ScheduledDate, now.ScheduledDate)
	Differs(p, "effective_date", was.EffectiveDate, now.EffectiveDate)
	Differs(p, "submitted_at", was.SubmittedAt, now.SubmittedAt)
	Differs(p, "settled_at", was.SettledAt, now.SettledAt)
	Differs(p, "refunded_amount", was.Refunded, now.Refunded)
	Differs(p, "refundable_amount", was.Refundable(), now.Refundable())
	Differs(p, "unapplied_amount", was.Unapplied, now.Unapplied)
	differsIn(p, "allocations", was.Allocations, now.Allocations)
	differsIn(p, "refunds", was.Refunds, now.Refunds)
	differsAt(p, "failure", was.Failure, now.Failure)
	return p
}

// PreviousInvoice is PreviousOrder for an invoice.
func PreviousInvoice(was, now *Invoice) Previous {
	p := Previous{}
	Differs(p, "amount_due", was.AmountDue, now.AmountDue)
	Differs(p, "amount_paid", was.Paid, now.Paid)
	Differs(p, "balance", was.AmountDue.Sub(was.Paid), now.AmountDue.Sub(now.Paid))
	Differs(p, "status", was.Status, now.Status)
	differsIn(p, "lines", was.Lines, now.Lines)
	return p
}

// PreviousCompany is PreviousOrder for a company, without its links, which merchants must not
// see.
func PreviousCompany(was, now *Company) Previous {
	p := previousDescription(was, now)
	Differs(p, "status", was.Status, now.Status)
	if was.StatusCode != now.StatusCode || was.StatusMessage != now.StatusMessage {
		p["status_reason"] = statusReason(was)
	}
	Differs(p, "tier", was.Tier, now.Tier)
	Differs(p, "unapplied_credit", was.Credit, now.Credit)
	Differs(p, "credit_requested_at", was.Servicing.CreditAsked, now.Servicing.CreditAsked)
	Differs(p, "apply_credit_to_due", was.Servicing.CreditUse.On, now.Servicing.CreditUse.On)
	Differs(p, "apply_credit_to_due_at", was.Servicing.CreditUse.At, now.Servicing.CreditUse.At)
	if autopayDiffers(was, now) {
		a := was.Servicing.Autopay
		p["autopay"] = map[string]any{"enabled": a.Enabled, "payment_method_id": a.Method, "paused": was.AutopayPaused()}
	}
	if was, now := lineOf(was), lineOf(now); was != now {
		p["credit_line"] = was.previous(now)
	}
	return p
}

// autopayDiffers reports whether the visible part of a company's autopay has changed.
func autopayDiffers(was, now *Company) bool {
	a, b := was.Servicing.Autopay, now.Servicing.Autopay
	return a.Enabled != b.Enabled || a.Method != b.Method || was.AutopayPaused() != now.AutopayPaused() ||
		!slices.Equal(was.Servicing.Mandates, now.Servicing.Mandates) // a merchant's mandate shows in that merchant's view alone
}

// previousDescription is the old values of the members that describe the company.
func previousDescription(was, now *Company) Previous {
	p := Previous{}
	Differs(p, "name", was.Name, now.Name)
	Differs(p, "legal_name", was.LegalName, now.LegalName)
	Differs(p, "tax_id_last4", was.TaxIDLast4, now.TaxIDLast4)
	Differs(p, "phone", was.Phone, now.Phone)
	Differs(p, "email", was.Email, now.Email)
	Differs(p, "billing_address", was.BillingAddress, now.BillingAddress)
	return p
}

func statusReason(c *Company) any {
	if c.StatusCode == "" {
		return nil
	}
	return map[string]any{"code": c.StatusCode, "message": c.StatusMessage}
}

// line is the subject of company.credit_line_changed.
type line struct{ limit, reserved, outstanding, onHold money.Amount }

func lineOf(c *Company) line { return line{c.Limit, c.Reserved, c.Outstanding, c.OnHold} }

func (l line) available() money.Amount {
	return l.limit.Sub(l.outstanding).Sub(l.reserved).Sub(l.onHold)
}

// previous lists the members of credit_line that changed.
func (l line) previous(now line) map[string]any {
	p := Previous{}
	Differs(p, "limit", l.limit, now.limit)
	Differs(p, "available", l.available(), now.available())
	Differs(p, "reserved", l.reserved, now.reserved)
	Differs(p, "outstanding", l.outstanding, now.outstanding)
	Differs(p, "on_hold", l.onHold, now.onHold)
	return p
}

func previousPayout(was, now *Payout) Previous {
	p := Previous{}
	Differs(p, "status", was.Status, now.Status)
	differsAt(p, "failure", was.Failure, now.Failure)
	Differs(p, "sent_at", was.SentAt, now.SentAt)
	Differs(p, "settled_at", was.SettledAt, now.SettledAt)
	return p
}
