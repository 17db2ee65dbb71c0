// Package fake plays the other side of the rails in a sandbox: a bank that accepts ACH files and
// leaves real ones, with returns, notifications of change and acknowledgments, on the right day,
// and a card processor.
//
// It is not random, and its time is business time. Its state can be saved and loaded, so that a
// sandbox continues where it stopped. It is not for live mode: it stores account numbers, which
// are invented here, in the clear.
package fake

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/ports/rails/ach"
)

// Routing is the routing number of the fake bank, and Account an account there that
// has enough money. Other special account numbers:
//
//	1000000NN   is returned with RNN two banking days after settlement
//	2000000NN   is returned with RNN on the last day that the code allows
//	3000000NN   the first debit is returned with RNN, later ones settle
//	4000000NN   settles; a notification of change CNN comes two banking days later,
//	            until the data is corrected
//
// NN is a code of the network's table; a number with any other code just settles.
const (
	Routing = "990000000"
	Account = "100000000"
)

// ReturnCost is what the bank charges for a return. Files do not contain it: it is in Origin.
const ReturnCost money.Amount = 4_00

// Origin returns the sender of a sandbox's files.
func Origin() ach.Origin {
	return ach.Origin{
		ODFI: Routing, Destination: Routing, DestinationName: "SANDBOX BANK", Source: Routing, SourceName: "TENOR SANDBOX",
		Company: "TENOR SANDBOX", CompanyID: "1000000000", ReturnCost: ReturnCost,
	}
}

// The bank opens at 08:30: a day's returns are available from then on.
const (
	openingHour   = 8
	openingMinute = 30
)

// Errors of a sandbox's requests to the bank or the processor.
var (
	ErrUnknown = errors.New("fake: not found")
	ErrCode    = errors.New("fake: unknown code")
	ErrState   = errors.New("fake: already returned")
	ErrTaken   = errors.New("fake: the name or key is already taken")
)

// Bank is the fake bank, together with the processor. It is safe for concurrent use.
type Bank struct {
	zone calendar.Zone
	now  func() time.Time // nil: only Advance moves the time

	mu sync.Mutex
	s  state
}

// state is the bank's whole state.
type state struct {
	Now     time.Time         `json:"now"`
	Seq     int               `json:"seq"`
	Taken   map[string]string `json:"taken"`   // digest of each file by name
	Entries map[string]*entry `json:"entries"` // by trace number of fifteen digits
	Coming  []answer          `json:"coming"`  // what will be reported
	Left    []left            `json:"left"`    // files that have not been processed
	Orders  []order           `json:"orders"`  // for future debits
	Failed  map[string]bool   `json:"failed"`  // accounts 3000000NN that have failed once
	Cards   cardState         `json:"cards"`
}

func fresh() state {
	return state{
		Taken: map[string]string{}, Entries: map[string]*entry{}, Failed: map[string]bool{},
		Cards: cardState{Charges: map[string]*charge{}, Refunds: map[string]*refund{}},
	}
}

// New opens a bank in a business zone. With a clock, every call first advances the bank to the
// clock's time; without one (nil), only Advance does.
func New(zone calendar.Zone, now func() time.Time) *Bank {
	return &Bank{zone: zone, now: now, s: fresh()}
}

// Advance advances the bank to an instant of business time: what has become due can then be
// fetched. It never goes back.
func (b *Bank) Advance(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance(now)
}

func (b *Bank) advance(now time.Time) {
	if now.After(b.s.Now) {
		b.s.Now = now.UTC()
	}
	b.flush()
	b.forget()
}

// enter starts a call.
func (b *Bank) enter() (leave func()) {
	b.mu.Lock()
	if b.now != nil {
		b.advance(b.now())
	}
	return b.mu.Unlock
}

// Save encodes the state of the bank and the processor, as JSON.
func (b *Bank) Save() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, err := json.Marshal(b.s)
	if err != nil { // it always encodes
		panic(fmt.Sprintf("fake: save: %v", err))
	}
	return text
}

// Load replaces the state with one written by Save. On an error nothing changes.
func (b *Bank) Load(text []byte) error {
	s := fresh()
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("fake: load: %w", err)
	}
	if s.Taken == nil || s.Entries == nil || s.Failed == nil || s.Cards.Charges == nil || s.Cards.Refunds == nil {
		return errors.New("fake: load: not a saved state")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.s = s
	return nil
}

// opening returns when the bank opens on the first, second … banking day after a date.
func (b *Bank) opening(date calendar.Date, days int) time.Time {
	return b.zone.At(date.AddBankingDays(days), openingHour, openingMinute)
}
