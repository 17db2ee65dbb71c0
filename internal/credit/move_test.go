package credit

// move lets a merchant's transfer come to a status, as the bank does.
func (w *world) move(id string, to TransferStatus, f *Failure) Changes {
	w.t.Helper()
	w.seed++
	e := w.env(Actor{Client: "system", Operator: true})
	s := NewState()
	w.load(s, Keys{Transfers: []string{id}})
	w.load(s, movedKeys(s.Transfers[id]))
	d := newDraft(s, e)
	t := d.transfers.edit(id)
	t.Status = to
	if f != nil {
		t.ReturnCode = f.ReturnCode
	}
	d.moved(t, f)
	ch := d.done(t, false)
	if w.tamper != nil {
		w.tamper(&ch)
	}
	if err := ch.Check(s); err != nil {
		w.t.Fatalf("transfer %s becomes %s: %v", id, to, err)
	}
	w.apply(ch)
	return ch
}

// bank is a line of a story that says what a bank has done with a transfer.
func (s *story) bank(a args) {
	status := map[string]TransferStatus{
		"sends": TransferSent, "settles": TransferSettled, "rejects": TransferFailed, "returns": TransferReturned,
	}[a.words[1]]
	var f *Failure
	if code := a.named["code"]; code != "" {
		f = &Failure{Code: code, ReturnCode: code}
	}
	s.report(s.move(s.id(a.words[2]), status, f), s.statuses())
}
