package credit_test

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
)

// receipt builds the commands on unidentified money.
func (s *story) receipt(verb, id string, a args) credit.Command {
	switch verb {
	case "receipt":
		c := payments.RecordReceipt{Amount: a.value("amount"), Method: credit.Method(a.named["method"]), Received: a.date("on"), Reference: a.named["reference"], Note: a.named["note"]}
		if c.Method == "" {
			c.Method = credit.Wire
		}
		return c
	case "identify":
		c := payments.IdentifyReceipt{Receipt: id, Memo: a.named["memo"]}
		if o := a.named["order"]; o != "" {
			c.Order = s.id(o)
		}
		if x := a.named["company"]; x != "" {
			c.Company = s.company(x)
		}
		return c
	case "send-back":
		return payments.ReturnReceipt{Receipt: id, Reference: a.named["reference"]}
	}
	return nil
}

func (s *story) reportReceipts(ch credit.Changes) {
	for _, r := range ch.Receipts {
		text := ""
		switch r.Status {
		case payments.ReceiptIdentified:
			text = ", was payment " + s.short(r.Payment)
		case payments.ReceiptReturned:
			text = ", sent back by " + r.BackReference
		}
		if r.Received == calendar.None {
			text += ", of no day"
		}
		s.say("receipt %s: %s, %s of %s by %s%s", s.short(r.ID), r.Status, r.Amount, r.Received, r.Method, text)
	}
}
