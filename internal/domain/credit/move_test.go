package credit

// system is who submits what time and banks bring.
var system = Actor{Client: "system", Operator: true}

// bank is a line of a story that says what a bank or a processor has done with a
// transfer.
func (s *story) bank(a args) {
	id := s.id(a.words[2])
	if p := s.all.Payments[id]; p != nil {
		id = p.Transfer
	}
	var c Command
	switch a.words[1] {
	case "sends", "settles", "releases":
		c = ServiceTransfer{Transfer: id}
	case "rejects":
		c = RejectTransfer{Transfer: id, Code: a.named["code"]}
	case "returns":
		c = ReturnTransfer{Transfer: id, Code: a.named["code"], Cost: a.value("cost")}
	case "approves":
		c = CompleteCharge{Transfer: id, Approved: true, Reference: "ch_" + s.short(id)}
	case "declines":
		c = CompleteCharge{Transfer: id, Code: a.named["code"]}
	case "pays-out":
		c = SettleCharge{Transfer: id, Cost: a.value("cost")}
	case "disputes":
		c = DisputeCharge{Transfer: id, Code: a.named["code"], Fee: a.value("fee")}
	case "loses":
		c = DisputeCharge{Transfer: id, Won: true, Fee: a.value("fee")}
	default:
		s.t.Fatalf("a bank does not do: %s", a.words[1])
	}
	s.decide(system, args{words: a.words[:1], named: a.named}, c)
}
