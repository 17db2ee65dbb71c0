// Package linear records what clients see of a running Tenor and proves, or
// disproves, that it was one order of things (P3, test T18 of the reliability
// program): writes strictly serializable in the order of their Commit-Seq, reads
// linearizable at their As-Of-Seq, each Idempotency-Key executed at most once (P4).
//
//	Recorder    keeps every call with its times, its answer and its sequence
//	Driver      clients that contend for few credit lines over HTTP, at one or more
//	            nodes, and ask again under the same key when they got no answer
//	Check       holds a history against the rules, and names what breaks them
//	CrossCheck  asks porcupine whether there is any order at all, without looking
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
// The rules of the lines are worked out by a model of its own (model.go), which
// shares no code with the program: one plain function of a line, an order and a
// request. It knows the operations that the driver issues and no other. Orders are
// in one installment (NET30), which bears no charge, so nothing depends on the day
// as long as a run is shorter than the thirty days of an authorization. What its clients
// record as paid stays with the merchant (F41.4), whose limit for that must be out of reach.
package linear
