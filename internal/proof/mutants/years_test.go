package mutants

// years are faults that show only over time, with a bank and a processor beyond unreliable
// connections: a lender that lives through them must lose money.
var years = []mutant{
	{
		id: "M47", what: "a late fee again on catch-up", pkg: "sim/years", test: "TestYears",
		edits: []edit{
			{"credit/loan.go", "f.Kind == schedule.LateFeeKind && f.Installment == row", "f.Kind == schedule.LateFeeKind && f.Installment == row && f.Paid > 0"},
			{"schedule/portfolio.go", "l.Rows[row-1].Unpaid() == 0 || l.lateFee(row)", "l.Rows[row-1].Unpaid() == 0"},
		},
	},
	{
		id: "M58", what: "autopay is not unique for a date", pkg: "sim/years", test: "TestYears",
		edits: []edit{
			{"lending/autopay_build.go", "Servicing.CollectedFor = collection\n", "Servicing.CollectedFor = collection - 1\n"},
			{"lending/autopay_build.go", "append(onTheWay(o), o.Servicing.Stopped...)", "slices.Clone(o.Servicing.Stopped)"},
			{"credit/autopay.go", "\t\tit.Unpaid = max(0, it.Unpaid.Sub(marked[it.Ref]))\n", ""},
		},
	},
	{
		id: "another name", what: "a file that is sent again has another name", pkg: "sim/years", test: "TestYears",
		edits: []edit{{"clockwork/files.go", "t.s.cfg.Bank.Send(ctx, f.ID, content)", "t.s.cfg.Bank.Send(ctx, f.ID+t.now.Format(\"1504\"), content)"}},
	},
	{
		id: "wrong payment", what: "a return is matched to the entry before", pkg: "sim/years", test: "TestYears",
		edits: []edit{
			{"clockwork/files.go", "EntryByTrace(ctx, t.s.cfg.Backend, x.Trace)", "EntryByTrace(ctx, t.s.cfg.Backend, max(1, x.Trace-1))"},
			{"clockwork/files.go", "\t\tif !same {\n\t\t\tcontinue\n\t\t}\n", "\t\tif same || !same {\n\t\t\treturn e.Transfer, nil\n\t\t}\n"},
		},
	},
	{
		id: "returned twice", what: "a return that is told twice counts twice", pkg: "sim/years", test: "TestYears",
		edits: []edit{{"payments/transfer_return.go", "(old.Status == credit.TransferReturned || old.Status == credit.TransferFailed && old.ReturnCode == c.Code):\n\t\treturn credit.Changes{Result: old}, nil\n\tcase old.Status != credit.TransferSent &&",
			"old.Status == credit.TransferFailed && old.ReturnCode == c.Code:\n\t\treturn credit.Changes{Result: old}, nil\n\tcase old.Status != credit.TransferReturned && old.Status != credit.TransferSent &&"}},
	},
	{
		id: "another key", what: "a charge whose answer was lost is asked for with another key", pkg: "sim/years", test: "TestYears",
		edits: []edit{{"clockwork/cards.go", "t.s.cfg.Cards.Charge(ctx, x.ID, ", "t.s.cfg.Cards.Charge(ctx, x.ID+t.now.Format(\"1504\"), "}},
	},
	{
		id: "late refusal", what: "a file that the bank refuses late stays settled", pkg: "sim/years", test: "TestYears",
		edits: []edit{{"payments/transfer_return.go", "case old.Status != credit.TransferSent && old.Status != credit.TransferSettled || !old.Rail.Can().Return:\n\t\treturn credit.Changes{}, lockedTransfer(old)\n\t}\n\td := credit.NewDraft(s, e)\n\tt := d.Transfers.Edit(c.Transfer)\n\tendTransfer(d, t, c.Code, failureOf(c.Code, c.Message, false))\n\tif c.Code == CodeUnusable",
			"case old.Status != credit.TransferSent || !old.Rail.Can().Return:\n\t\treturn credit.Changes{}, lockedTransfer(old)\n\t}\n\td := credit.NewDraft(s, e)\n\tt := d.Transfers.Edit(c.Transfer)\n\tendTransfer(d, t, c.Code, failureOf(c.Code, c.Message, false))\n\tif c.Code == CodeUnusable"}},
	},
	{
		id: "done before kept", what: "a bank's file is taken off its list before it is kept", pkg: "sim/years", test: "TestYears",
		edits: []edit{{"clockwork/files.go", "\t\tif err := t.keep(ctx, f); err != nil {", "\t\tif err := t.s.cfg.Bank.Done(ctx, f.Name); err != nil {\n\t\t\treturn err\n\t\t}\n\t\tif err := t.keep(ctx, f); err != nil {"}},
	},
	{
		id: "other bytes", what: "a file that is sent again is made again", pkg: "clockwork", test: "TestAFileIsSentAgainAsItWas",
		edits: []edit{{"clockwork/files.go", "if kept, err = t.s.cfg.Backend.Settle(ctx, name, t.s.cfg.Seal(made, name)); err != nil {", "if kept = t.s.cfg.Seal(made, name); err != nil {"}},
	},
	{
		id: "news refused", what: "news of a charge that has no answer yet is refused for ever", pkg: "clockwork", test: "TestNewsBeforeTheAnswer",
		edits: []edit{{"clockwork/notices.go", "x == nil || x.Status != credit.TransferSent || x.Answered()", "x == nil || x.Status != \"\""}},
	},
	{
		id: "overtaking for years", what: "an event overtakes one of its object that failed", pkg: "sim/years", test: "TestYears",
		edits: []edit{{"webhook/queue.go", "key := laneKey{d.Object, d.Resend}\n", "key := laneKey{d.Object, d.Resend + d.ID}\n"}, {"webhook/queue.go", "l := e.lanes[laneKey{it.Object, it.Resend}]\n\tfor i := 1", "l := e.lanes[laneKey{it.Object, it.Resend + it.ID}]\n\tfor i := 1"}, {"webhook/queue.go", "l := e.lanes[laneKey{it.Object, it.Resend}]\n\tl.items[0] = nil", "l := e.lanes[laneKey{it.Object, it.Resend + it.ID}]\n\tl.items[0] = nil"}},
	},
	{
		id: "begins again", what: "a clockwork that slept disputes a charge again whose dispute is over", pkg: "clockwork", test: "TestADisputeThatIsOverDoesNotBeginAgain",
		edits: []edit{{"clockwork/notices.go", "IfMatch: []string{strconv.Quote(", "IfMatch: []string{`*`, strconv.Quote("}},
	},
}
