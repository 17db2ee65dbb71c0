package credit_test

import "tenor/internal/domain/credit"

// system is who submits what time and banks bring.
var system = credit.Actor{Client: "system", Operator: true}

// bank is a line of a story that says what a bank or a processor has done with a
// transfer.
func (s *story) bank(a args) {
	id := s.id(a.words[2])
	if p := s.all.Payments[id]; p != nil {
		id = p.Transfer
	}
	var c credit.Command
	switch a.words[1] {
	case "sends", "settles", "releases":
		c = credit.ServiceTransfer{Transfer: id}
	case "rejects":
		c = credit.RejectTransfer{Transfer: id, Code: a.named["code"]}
	case "returns":
		c = credit.ReturnTransfer{Transfer: id, Code: a.named["code"], Cost: a.value("cost")}
	case "approves":
		c = credit.CompleteCharge{Transfer: id, Approved: true, Reference: "ch_" + s.short(id)}
	case "declines":
		c = credit.CompleteCharge{Transfer: id, Code: a.named["code"]}
	case "pays-out":
		c = credit.SettleCharge{Transfer: id, Cost: a.value("cost")}
	case "disputes":
		c = credit.DisputeCharge{Transfer: id, Code: a.named["code"], Fee: a.value("fee")}
	case "loses":
		c = credit.DisputeCharge{Transfer: id, Won: true, Fee: a.value("fee")}
	default:
		s.t.Fatalf("a bank does not do: %s", a.words[1])
	}
	s.decide(system, args{words: a.words[:1], named: a.named}, c)
}
