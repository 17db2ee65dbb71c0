// Package linear records what clients see of a running Tenor and proves, or
// disproves, that it was a single order of events (P3, test T18 of the reliability
// program): writes strictly serializable in the order of their Commit-Seq, reads
// linearizable at their As-Of-Seq, each Idempotency-Key executed at most once (P4).
//
//	Recorder    records every call with its times, its response and its sequence
//	Driver      clients that contend for few credit lines over HTTP, at one or more
//	            nodes, and retry under the same key when they got no response
//	Check       checks a history against the rules, and reports violations
//	CrossCheck  asks porcupine whether there is any valid order, without looking
//	            at sequences inside a window
//
// A test uses them in this order:
//
//	initial, err := d.Initial(ctx)   // while nobody else writes
//	rec := linear.NewRecorder()
//	err = d.Run(ctx, rec)            // kill and restart servers meanwhile
//	err = d.Resolve(ctx, rec)        // once they are up again
//	report := linear.Check(rec.History(), initial)
//	cross, err := linear.CrossCheck(rec.History(), initial, linear.Window{})
//
// The rules of credit lines are implemented by a separate model (model.go), which
// shares no code with the program: one plain function of a line, an order and a
// request. It knows only the operations that the driver issues. Orders are
// in one installment (NET30), which bears no charge, so nothing depends on the day
// as long as a run is shorter than the thirty days of an authorization. What its clients
// record as paid stays with the merchant (F41.4), whose limit for that must be out of reach.
package linear
