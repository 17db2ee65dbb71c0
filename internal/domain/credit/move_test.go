package credit_test

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
)

// system is the actor for commands caused by time and by banks.
var system = credit.Actor{Client: "system", Operator: true}

// bank is a story line that says what a bank or a processor did with a transfer.
func (s *story) bank(a args) {
	id := s.id(a.words[2])
	if p := s.all.Payments[id]; p != nil {
		id = p.Transfer
	}
	var c credit.Command
	switch a.words[1] {
	case "sends", "settles", "releases":
		c = payments.ServiceTransfer{Transfer: id}
	case "rejects":
		c = payments.RejectTransfer{Transfer: id, Code: a.named["code"]}
	case "returns":
		c = payments.ReturnTransfer{Transfer: id, Code: a.named["code"], Cost: a.value("cost")}
	case "approves":
		c = payments.CompleteCharge{Transfer: id, Approved: true, Reference: "ch_" + s.short(id)}
	case "declines":
		c = payments.CompleteCharge{Transfer: id, Code: a.named["code"]}
	case "pays-out":
		c = payments.SettleCharge{Transfer: id, Cost: a.value("cost")}
	case "disputes":
		c = payments.DisputeCharge{Transfer: id, Code: a.named["code"], Fee: a.value("fee")}
	case "loses":
		c = payments.DisputeCharge{Transfer: id, Won: true, Fee: a.value("fee")}
	default:
		s.t.Fatalf("a bank does not do: %s", a.words[1])
	}
	s.decide(system, args{words: a.words[:1], named: a.named}, c)
}
