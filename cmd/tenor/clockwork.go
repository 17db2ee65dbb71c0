package main

import (
	"log/slog"
	"time"

	"tenor/internal/clockwork"
	"tenor/internal/credit"
	vendors "tenor/internal/facts"
	"tenor/internal/mailer"
	"tenor/internal/rails"
	"tenor/internal/rails/ach"
	"tenor/internal/screening"
)

// carriers are who moves money for a node. Without a bank, transfers by ACH wait, and
// without a processor charges of cards do; everything else goes on.
type carriers struct {
	bank   rails.Bank
	origin ach.Origin
	silent bool // the bank acknowledges no files
	cards  rails.Processor
	// sanctions is the list with which names are compared; nil: nobody is screened.
	sanctions *screening.List
	mail      mailer.Port   // nil: nobody is written to
	facts     vendors.Ports // the vendors that are asked about applications
	// inOrder draws the seeds of commands that are made one after the other; nil: at
	// random, and many at a time.
	inOrder func() [16]byte
}

// scheduler makes the clockwork of a node that has its keys.
func (n *node) scheduler(c carriers, wall func() time.Time, log *slog.Logger) (*clockwork.Scheduler, error) {
	inFlight := 0
	if c.inOrder != nil {
		inFlight = 1
	}
	return clockwork.New(clockwork.Config{
		Seed: c.inOrder, InFlight: inFlight, Backend: n.db, Submit: n.engine, Now: n.now, Wall: wall, Zone: n.zone, Node: n.name, Alone: n.alone,
		Ahead: n.alone, // SQLite
		Bank:  c.bank, Origin: c.origin, Silent: c.silent, Cards: c.cards,
		Open: n.ring.Open, Seal: n.ring.Seal, Fingerprint: n.fingerprint, Sanctions: c.sanctions, Log: log,
		Worked: n.worked, Turned: func(all clockwork.Report, took time.Duration, err error) {
			n.metrics.Turned(wall(), took, all.Idle(), all.Stuck, err)
		},
	})
}

// account is a bank account that is sealed with the node's keys for the place in which it
// is to stand.
func (n *node) account(place string, x credit.AccountDetails) (*credit.BankAccount, error) {
	return credit.SealedAccount(place, x, credit.BankAccount{AccountType: rails.Checking, HolderType: rails.Business}, n.fingerprint, n.ring.Seal)
}
