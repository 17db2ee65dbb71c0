package credit

import "tenor/internal/domain/calendar"

// receipt are the commands on money that nobody can place.
func (s *story) receipt(verb, id string, a args) Command {
	switch verb {
	case "receipt":
		c := RecordReceipt{Amount: a.value("amount"), Method: Method(a.named["method"]), Received: a.date("on"), Reference: a.named["reference"], Note: a.named["note"]}
		if c.Method == "" {
			c.Method = Wire
		}
		return c
	case "identify":
		c := IdentifyReceipt{Receipt: id, Memo: a.named["memo"]}
		if o := a.named["order"]; o != "" {
			c.Order = s.id(o)
		}
		if x := a.named["company"]; x != "" {
			c.Company = s.company(x)
		}
		return c
	case "send-back":
		return ReturnReceipt{Receipt: id, Reference: a.named["reference"]}
	}
	return nil
}

func (s *story) reportReceipts(ch Changes) {
	for _, r := range ch.Receipts {
		text := ""
		switch r.Status {
		case ReceiptIdentified:
			text = ", was payment " + s.short(r.Payment)
		case ReceiptReturned:
			text = ", sent back by " + r.BackReference
		}
		if r.Received == calendar.None {
			text += ", of no day"
		}
		s.say("receipt %s: %s, %s of %s by %s%s", s.short(r.ID), r.Status, r.Amount, r.Received, r.Method, text)
	}
}
