// Package verify proves that the books are right (EN14): it recomputes every derived value
// of a live database from orders, postings and the audit log, and reports each difference
// with the invariant it violates.
//
// Run reads one snapshot, so commits continue meanwhile, and it repairs nothing. Most
// passes walk a table once and keep only sums. The last one has the engine decide the whole
// audit log again, into a temporary database, and walks both side by side.
//
// A release may change rules and payloads; what was written before it is still right. So a
// log with batches of other rules is not decided again, and the bytes of payloads in
// another wire format are not compared: the report says so.
//
// Stored rows are not trusted: a pass that cannot compute with them reports that as a
// violation and continues.
package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/underwriting"
)

// Options configure a run. Zone and Scratch are required.
type Options struct {
	// Zone is the business zone, which maps instants to dates (TM1).
	Zone calendar.Zone
	// Scratch creates an empty database, into which the audit log is decided again; Run
	// closes it. It grows to about the size of the tables that commands write.
	Scratch func() (store.Backend, error)
	// EncodeEvent encodes an event's payload as the engine does. Without it the bytes of
	// events are not compared (EV4).
	EncodeEvent func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error)
	// Wire is the format version that EncodeEvent writes, required with it. Payloads of
	// another version are not compared.
	Wire string
	// Open decrypts stored answers that show a secret, as the engine does, and personal
	// data. Without it answers are not compared (ID4), and prequalifications are not
	// decided again (F27).
	Open func(sealed []byte, about string) ([]byte, error)
	// Policy returns a version of the policy; nil: those of this program.
	Policy func(version int) (underwriting.Policy, bool)
	// Keys are the deployment's public keys for signed heads, by id. Without them a head is
	// checked with the key it names (AU8).
	Keys map[string][32]byte
	// Heads were kept outside the database: the log must extend each of them (AU8).
	Heads []GivenHead
	// AuditOnly checks only that the audit log is whole, and its signed heads: nothing is decided
	// again, and no table is recomputed.
	AuditOnly bool
	// Progress, if set, is called often and in order with how far Run is.
	Progress func(done, total int)
}

// Report is what Run found.
type Report struct {
	Seq        int64       `json:"seq"` // commit sequence of the snapshot
	Checks     []Check     `json:"checks"`
	Violations []Violation `json:"violations"`
	More       int         `json:"more"` // violations beyond those listed
	// Head is the last signed head, to be kept elsewhere; nil if there is none.
	Head *engine.HeadDocument `json:"head,omitempty"`
}

// Clean reports whether no violation was found.
func (r Report) Clean() bool { return len(r.Violations) == 0 }

// Check is a completed pass.
type Check struct {
	Name       string   `json:"name"`
	Invariants []string `json:"invariants"`
	Rows       int      `json:"rows"`           // checked
	Note       string   `json:"note,omitempty"` // what it could not check, and why
}

// Violation is a broken invariant of docs/rules/invariants.md and its location.
type Violation struct {
	Invariant string `json:"invariant"`
	Object    string `json:"object"`
	Detail    string `json:"detail"`
}

// maxViolations bounds a report: one bad row can break thousands of sums.
const maxViolations = 1000

// Pass describes a pass: what it proves, and the tables that it recomputes.
type Pass struct {
	Name       string
	Invariants []string
	Tables     []string
}

// pass is a Pass with its code.
type pass struct {
	Pass
	run func(*run) error
}

// Passes lists the passes in the order in which they run.
func Passes() []Pass {
	all := passes()
	out := make([]Pass, len(all))
	for i, p := range all {
		out[i] = p.Pass
	}
	return out
}

// auditPasses is how many of the passes, after that of the storage, prove the audit log by itself.
const auditPasses = 2

func passes() []pass {
	return []pass{
		{Pass{"storage", []string{"ST1"}, nil}, storage},
		{Pass{"audit chain", []string{"AU4", "AU5", "AU7", "TM1"}, []string{"books", "batches", "audit"}}, auditChain},
		{Pass{"signed heads", []string{"AU8"}, []string{"heads"}}, signedHeads},
		{Pass{"answers", []string{"ID4"}, []string{"idempotency"}}, answers},
		{Pass{"entries", []string{"LG1", "LG2", "LG4", "LG7", "LG8", "MN4"}, []string{"entries", "postings"}}, entries},
		{Pass{"balances", []string{"LG3", "LG6"}, []string{"balances"}}, balances},
		{Pass{"totals of days", []string{"LG3"}, []string{"day_totals"}}, dayTotals},
		{Pass{"totals of due dates", []string{"SC9"}, []string{"due_totals"}}, dueTotals},
		{Pass{"positions", []string{"LG3"}, []string{"merchant_positions"}}, positions},
		{Pass{"orders", []string{"OR1", "OR3", "OR5", "OR6", "OR7", "OR10", "OR11", "PA8", "RF1", "RF4", "RF5"}, []string{"orders"}}, orders},
		{Pass{"schedules", []string{"SC1", "SC3", "SC4", "SC5", "F34", "PA4", "PA7"}, []string{"loans", "installments", "fees"}}, schedules},
		{Pass{"stored columns", []string{"AU1", "AU7", "F34"}, []string{"money_events", "money_touches"}}, storedColumns},
		{Pass{"credit lines", []string{"CL2", "CL3", "CL4", "PA6", "PA10"}, []string{"credits"}}, lines},
		{Pass{"payments", []string{"PA1", "PA3", "PA4", "PA9", "RF2"}, []string{"payments"}}, payments},
		{Pass{"money held by merchants", []string{"PA11"}, nil}, held},
		{Pass{"payment methods", []string{"AU1"}, []string{"payment_methods"}}, methods},
		{Pass{"transfers", []string{"PA1", "PA2", "TM2", "AU1"}, []string{"transfers"}}, transfers},
		{Pass{"payouts", []string{"PO1", "PO2", "PO3", "PO4", "CA1"}, []string{"payouts", "payout_lines"}}, payouts},
		{Pass{"exchange", []string{"PA2", "PO5", "PO6"}, []string{"bank_files", "bank_entries", "bank_notices", "bank_lines", "bank_matches", "cash_items"}}, exchanged},
		{Pass{"notices", []string{"F28"}, []string{"notices"}}, notices},
		{Pass{"periods", []string{"LG7"}, []string{"periods"}}, periods},
		{Pass{"lender", []string{"LG3", "LG7", "F17"}, []string{"lenders"}}, lender},
		{Pass{"screenings", []string{"F29", "AU1"}, []string{"screenings"}}, screenings},
		{Pass{"receipts", []string{"F39", "AU1"}, []string{"receipts"}}, receipts},
		{Pass{"records", []string{"RC1", "RC2", "RC3"}, recordTables()}, records},
		{Pass{"prequalifications", []string{"F27"}, nil}, estimates},
		{Pass{"invoices", []string{"OR5", "AU1"}, []string{"invoices"}}, invoices},
		{Pass{"names", []string{"OR8", "EV6"}, []string{"claims"}}, names},
		{Pass{"links", []string{"AU1"}, []string{"company_merchants"}}, links},
		{Pass{"events", []string{"EV1", "EV4", "AU1"}, []string{"events"}}, events},
		{Pass{"clients", []string{"AU1", "AU3", "AU9"}, []string{"clients", "tokens"}}, clients},
		{Pass{"endpoints", []string{"AU1", "EV5", "EV6"}, []string{"endpoints", "endpoint_history"}}, endpoints},
		{Pass{"streams", []string{"EV6", "AU2"}, []string{"event_readers"}}, streams},
		{Pass{"deliveries", []string{"EV2", "EV4", "EV6"}, []string{"deliveries", "attempts", "delivery_cursors"}}, deliveries},
		{Pass{"decide again", []string{"LG5", "OR2", "SC6", "AU2", "AU4", "AU7", "EV4", "EV6"}, []string{"companies", "order_history", "company_history", "resends", "event_objects"}}, decideAgain},
	}
}

// Run recomputes everything from one snapshot. An error means that it could not check, and
// the report is useless; violations are in the report.
func Run(ctx context.Context, b store.Viewer, o Options) (Report, error) {
	if o.Zone.Location() == nil {
		return Report{}, errors.New("verify: no business zone")
	}
	if o.Scratch == nil && !o.AuditOnly {
		return Report{}, errors.New("verify: no temporary database")
	}
	if o.EncodeEvent != nil && o.Wire == "" {
		return Report{}, errors.New("verify: no version of the event encoder")
	}
	all := passes()
	r := &run{ctx: ctx, options: o, backend: b}
	if o.AuditOnly {
		all = all[1 : 1+auditPasses]
	}
	r.passes = len(all)
	if !o.AuditOnly { // before the snapshot: what is damaged may not be readable
		r.begin(0, all[0])
		if err := storage(r); err != nil {
			return Report{}, fmt.Errorf("verify: storage: %w", err)
		}
		r.end()
	}
	damaged := !r.report.Clean()
	err := b.View(ctx, func(v store.View) (err error) {
		r.view, r.report.Seq = v, v.Seq()
		if r.head, err = v.Head(); err != nil {
			return fmt.Errorf("read head: %w", err)
		}
		if !o.AuditOnly {
			if err := r.read(); err != nil {
				return fmt.Errorf("read orders: %w", err)
			}
		}
		first := len(r.report.Checks)
		for i, p := range all[first:] {
			r.begin(first+i, p)
			if err := p.run(r); err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
			r.end()
		}
		return nil
	})
	if err != nil && damaged && ctx.Err() == nil { // what else is wrong cannot be read
		r.note("ended early: %v", err)
		return r.report, nil
	}
	if err != nil {
		return Report{}, fmt.Errorf("verify: %w", err)
	}
	return r.report, nil
}
