package credit

// moving is the command by which a bank, or the time, brings a transfer to a status.
func moving(id string, to TransferStatus, f *Failure) Command {
	code := ""
	if f != nil {
		code = f.Code
	}
	switch to {
	case TransferFailed:
		return RejectTransfer{Transfer: id, Code: code}
	case TransferReturned:
		return ReturnTransfer{Transfer: id, Code: code, Cost: cents("0.00")}
	}
	return ServiceTransfer{Transfer: id}
}

// system is who submits what time and banks bring.
var system = Actor{Client: "system", Operator: true}

// move lets a transfer come to a status, as the bank does.
func (w *world) move(id string, to TransferStatus, f *Failure) Changes {
	w.t.Helper()
	ch, r := w.do(system, moving(id, to, f))
	if r != nil {
		w.t.Fatalf("transfer %s becomes %s: %v", id, to, r)
	}
	if t := w.all.Transfers[id]; t.Status != to {
		w.t.Fatalf("transfer %s is %s instead of %s", id, t.Status, to)
	}
	return ch
}

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
