package node

import (
	"log/slog"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/office/clockwork"
	vendors "tenor/internal/ports/facts"
	"tenor/internal/ports/mailer"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
	"tenor/internal/ports/screening"
)

// Carriers are the services that move money for a node. Without a bank, ACH transfers wait;
// without a processor, card charges wait. Everything else continues.
type Carriers struct {
	Bank   rails.Bank
	Origin ach.Origin
	Silent bool // the bank sends no acknowledgments
	Cards  rails.Processor
	// Sanctions is the list to screen names against; nil disables screening.
	Sanctions *screening.List
	Mail      mailer.Port   // nil: no mail is sent
	Facts     vendors.Ports // the vendors queried about applications
	// InOrder generates seeds for commands that run one at a time; nil: seeds are random and
	// commands run concurrently.
	InOrder func() [16]byte
}

// Scheduler returns the clockwork of a node that has its keys.
func (n *Node) Scheduler(c Carriers, wall func() time.Time, log *slog.Logger) (*clockwork.Scheduler, error) {
	inFlight := 0
	if c.InOrder != nil {
		inFlight = 1
	}
	return clockwork.New(clockwork.Config{
		Seed: c.InOrder, InFlight: inFlight, Backend: n.DB, Submit: n.Engine, Now: n.Now, Wall: wall, Zone: n.Zone, Node: n.Name, Alone: n.alone,
		Ahead: n.alone, // SQLite
		Bank:  c.Bank, Origin: c.Origin, Silent: c.Silent, Cards: c.Cards,
		Open: n.Ring.Open, Seal: n.Ring.Seal, Fingerprint: n.Fingerprint, Sanctions: c.Sanctions, Log: log,
		Worked: n.worked, Ran: func(all clockwork.Report, took time.Duration, err error) {
			n.Metrics.Ran(wall(), took, all.Idle(), all.Stuck, err)
		},
	})
}

// Account returns a bank account sealed with the node's keys for the place where it will be
// stored.
func (n *Node) Account(place string, x credit.AccountDetails) (*credit.BankAccount, error) {
	return payments.SealedAccount(place, x, credit.BankAccount{AccountType: rails.Checking, HolderType: rails.Business}, n.Fingerprint, n.Ring.Seal)
}
