package credit

import (
	"maps"
	"slices"

	"tenor/internal/domain/money"
)

// Previous gathers the members of a resource that a command has changed, by
// their JSON name, with their old values. Laid over the resource as an event
// shows it, they give the resource before the command.
type Previous map[string]any

// differs notes a member whose value has changed.
func differs[T comparable](p Previous, name string, was, now T) {
	if was != now {
		p[name] = was
	}
}

// differsAt is differs for values behind pointers.
func differsAt[T comparable](p Previous, name string, was, now *T) {
	if !Same(was, now) {
		p[name] = was
	}
}

// differsIn is differs for lists.
func differsIn[T comparable](p Previous, name string, was, now []T) {
	if !slices.Equal(was, now) {
		p[name] = append([]T{}, was...)
	}
}

// PreviousOrder is what an order's resource showed before a change of it, by member.
func PreviousOrder(was, now *Order) Previous {
	p := Previous{}
	differs(p, "merchant_order_id", was.MerchantOrderID, now.MerchantOrderID)
	differs(p, "amount", was.Amount, now.Amount)
	differs(p, "status", was.Status, now.Status)
	if was.Installments != now.Installments {
		p["installments"] = nil
		if was.Installments != 0 {
			p["installments"] = was.Installments
		}
	}
	differs(p, "capture_date", was.CaptureDate, now.CaptureDate)
	differsAt(p, "terms", was.Terms, now.Terms)
	differs(p, "authorized_amount", was.Authorized, now.Authorized)
	differs(p, "captured_amount", was.Captured, now.Captured)
	differs(p, "refunded_amount", was.Refunded, now.Refunded)
	differs(p, "refundable_amount", was.Captured.Sub(was.Refunded), now.Captured.Sub(now.Refunded))
	differs(p, "authorization_expires_at", was.ExpiresAt, now.ExpiresAt)
	differs(p, "authorized_at", was.AuthorizedAt, now.AuthorizedAt)
	differs(p, "canceled_at", was.CanceledAt, now.CanceledAt)
	differs(p, "returned_at", was.ReturnedAt, now.ReturnedAt)
	differs(p, "cancel_reason", was.CancelReason, now.CancelReason)
	differs(p, "invoice_id", was.Invoice, now.Invoice)
	differs(p, "financing_status", was.Financing, now.Financing)
	differs(p, "autopay", !was.Servicing.NoAutopay, !now.Servicing.NoAutopay)
	differs(p, "collection_stopped", was.Waits(), now.Waits())
	previousDetails(p, was, now)
	return p
}

// previousDetails are the members in which the shop describes its order.
func previousDetails(p Previous, was, now *Order) {
	differsIn(p, "cart_items", was.Cart, now.Cart)
	differsAt(p, "charges", was.Charges, now.Charges)
	differsAt(p, "shipping_address", was.Shipping, now.Shipping)
	differsAt(p, "billing_address", was.Billing, now.Billing)
	differs(p, "merchant_status", was.MerchantStatus, now.MerchantStatus)
	if !maps.Equal(was.Metadata, now.Metadata) {
		old := map[string]string{}
		maps.Copy(old, was.Metadata)
		p["metadata"] = old
	}
	if len(was.Refunds) != len(now.Refunds) {
		p["refunds"] = append([]Refund{}, was.Refunds...)
	}
}

// PreviousPayment is the same of a payment.
func PreviousPayment(was, now *Payment) Previous {
	p := Previous{}
	differs(p, "status", was.Status, now.Status)
	differs(p, "scheduled_date", was.ScheduledDate, now.ScheduledDate)
	differs(p, "effective_date", was.EffectiveDate, now.EffectiveDate)
	differs(p, "submitted_at", was.SubmittedAt, now.SubmittedAt)
	differs(p, "settled_at", was.SettledAt, now.SettledAt)
	differs(p, "refunded_amount", was.Refunded, now.Refunded)
	differs(p, "refundable_amount", was.Refundable(), now.Refundable())
	differs(p, "unapplied_amount", was.Unapplied, now.Unapplied)
	differsIn(p, "allocations", was.Allocations, now.Allocations)
	differsIn(p, "refunds", was.Refunds, now.Refunds)
	differsAt(p, "failure", was.Failure, now.Failure)
	return p
}

// PreviousInvoice is the same of an invoice.
func PreviousInvoice(was, now *Invoice) Previous {
	p := Previous{}
	differs(p, "amount_due", was.AmountDue, now.AmountDue)
	differs(p, "amount_paid", was.Paid, now.Paid)
	differs(p, "balance", was.AmountDue.Sub(was.Paid), now.AmountDue.Sub(now.Paid))
	differs(p, "status", was.Status, now.Status)
	differsIn(p, "lines", was.Lines, now.Lines)
	return p
}

// PreviousCompany leaves out the links, which a merchant must not read of others.
func PreviousCompany(was, now *Company) Previous {
	p := previousDescription(was, now)
	differs(p, "status", was.Status, now.Status)
	if was.StatusCode != now.StatusCode || was.StatusMessage != now.StatusMessage {
		p["status_reason"] = statusReason(was)
	}
	differs(p, "tier", was.Tier, now.Tier)
	differs(p, "unapplied_credit", was.Credit, now.Credit)
	differs(p, "credit_requested_at", was.Servicing.CreditAsked, now.Servicing.CreditAsked)
	differs(p, "apply_credit_to_due", was.Servicing.CreditUse.On, now.Servicing.CreditUse.On)
	differs(p, "apply_credit_to_due_at", was.Servicing.CreditUse.At, now.Servicing.CreditUse.At)
	if autopayDiffers(was, now) {
		a := was.Servicing.Autopay
		p["autopay"] = map[string]any{"enabled": a.Enabled, "payment_method_id": a.Method, "paused": was.AutopayPaused()}
	}
	if was, now := lineOf(was), lineOf(now); was != now {
		p["credit_line"] = was.previous(now)
	}
	return p
}

// autopayDiffers reports that what is shown of a company's autopay has changed.
func autopayDiffers(was, now *Company) bool {
	a, b := was.Servicing.Autopay, now.Servicing.Autopay
	return a.Enabled != b.Enabled || a.Method != b.Method || was.AutopayPaused() != now.AutopayPaused() ||
		!slices.Equal(was.Servicing.Mandates, now.Servicing.Mandates) // a merchant's word shows in that merchant's view alone
}

// previousDescription are the members that say who the company is.
func previousDescription(was, now *Company) Previous {
	p := Previous{}
	differs(p, "name", was.Name, now.Name)
	differs(p, "legal_name", was.LegalName, now.LegalName)
	differs(p, "tax_id_last4", was.TaxIDLast4, now.TaxIDLast4)
	differs(p, "phone", was.Phone, now.Phone)
	differs(p, "email", was.Email, now.Email)
	differs(p, "billing_address", was.BillingAddress, now.BillingAddress)
	return p
}

func statusReason(c *Company) any {
	if c.StatusCode == "" {
		return nil
	}
	return map[string]any{"code": c.StatusCode, "message": c.StatusMessage}
}

// line is what company.credit_line_changed is about.
type line struct{ limit, reserved, outstanding, onHold money.Amount }

func lineOf(c *Company) line { return line{c.Limit, c.Reserved, c.Outstanding, c.OnHold} }

func (l line) available() money.Amount {
	return l.limit.Sub(l.outstanding).Sub(l.reserved).Sub(l.onHold)
}

// previous lists the members of credit_line that changed.
func (l line) previous(now line) map[string]any {
	p := Previous{}
	differs(p, "limit", l.limit, now.limit)
	differs(p, "available", l.available(), now.available())
	differs(p, "reserved", l.reserved, now.reserved)
	differs(p, "outstanding", l.outstanding, now.outstanding)
	differs(p, "on_hold", l.onHold, now.onHold)
	return p
}

func previousPayout(was, now *Payout) Previous {
	p := Previous{}
	differs(p, "status", was.Status, now.Status)
	differsAt(p, "failure", was.Failure, now.Failure)
	differs(p, "sent_at", was.SentAt, now.SentAt)
	differs(p, "settled_at", was.SettledAt, now.SettledAt)
	return p
}
