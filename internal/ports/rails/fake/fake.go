// Package fake plays the other side of the rails in a sandbox: a bank that takes ACH
// files and leaves real ones, of returns, of notifications of change and of
// acknowledgements, on their day, and a processor of cards.
//
// Nothing in it is random, and its time is business time. What it knows can be saved
// and loaded, so that a sandbox goes on where it ended. It is not for live mode: it
// keeps account numbers in the clear, which are invented here.
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

// Routing is the routing number of the fake bank, and Account an account at it that
// has enough money. Other account numbers that mean something:
//
//	1000000NN   comes back as RNN two banking days after settlement
//	2000000NN   comes back as RNN on the last day that the code allows
//	3000000NN   the first debit comes back as RNN, those after it settle
//	4000000NN   settles; a notification of change CNN comes two banking days after,
//	            until what it corrects is corrected
//
// NN is a code of the network's table; the number of any other code just settles.
const (
	Routing = "990000000"
	Account = "100000000"
)

// ReturnCost is what the bank charges for a return. Files cannot say it: it is in Origin.
const ReturnCost money.Amount = 4_00

// Origin is the sender of a sandbox's files.
func Origin() ach.Origin {
	return ach.Origin{
		ODFI: Routing, Destination: Routing, DestinationName: "SANDBOX BANK", Source: Routing, SourceName: "TENOR SANDBOX",
		Company: "TENOR SANDBOX", CompanyID: "1000000000", ReturnCost: ReturnCost,
	}
}

// The bank opens at 08:30: what comes back on a day is there from then on.
const (
	openingHour   = 8
	openingMinute = 30
)

// Errors of what a sandbox asks of the bank or the processor.
var (
	ErrUnknown = errors.New("fake: not found")
	ErrCode    = errors.New("fake: unknown code")
	ErrState   = errors.New("fake: already returned")
	ErrTaken   = errors.New("fake: the name or key is already taken")
)

// Bank is the fake bank, with the processor beside it. It is safe for concurrent use.
type Bank struct {
	zone calendar.Zone
	now  func() time.Time // nil: only Advance moves it

	mu sync.Mutex
	s  state
}

// state is all that a bank knows.
type state struct {
	Now     time.Time         `json:"now"`
	Seq     int               `json:"seq"`
	Taken   map[string]string `json:"taken"`   // digest of each file by its name
	Entries map[string]*entry `json:"entries"` // by trace number of fifteen digits
	Coming  []answer          `json:"coming"`  // what will be said
	Left    []left            `json:"left"`    // files that have not been dealt with
	Orders  []order           `json:"orders"`  // for debits to come
	Failed  map[string]bool   `json:"failed"`  // accounts 3000000NN that have failed once
	Cards   cardState         `json:"cards"`
}

func fresh() state {
	return state{
		Taken: map[string]string{}, Entries: map[string]*entry{}, Failed: map[string]bool{},
		Cards: cardState{Charges: map[string]*charge{}, Refunds: map[string]*refund{}},
	}
}

// New opens a bank in a business zone. With a clock, every call first brings the bank
// to what it shows; without one (nil), only Advance does.
func New(zone calendar.Zone, now func() time.Time) *Bank {
	return &Bank{zone: zone, now: now, s: fresh()}
}

// Advance brings the bank to an instant of business time: what has become due is there
// to be fetched. It never goes back.
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

// enter begins a call.
func (b *Bank) enter() (leave func()) {
	b.mu.Lock()
	if b.now != nil {
		b.advance(b.now())
	}
	return b.mu.Unlock
}

// Save writes all that the bank and the processor know, as JSON.
func (b *Bank) Save() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, err := json.Marshal(b.s)
	if err != nil { // nothing in it can fail to be written
		panic(fmt.Sprintf("fake: save: %v", err))
	}
	return text
}

// Load puts what Save has written in the place of all that is known. On an error
// nothing changes.
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

// opening is when the bank opens on the first, second … banking day after a date.
func (b *Bank) opening(date calendar.Date, days int) time.Time {
	return b.zone.At(date.AddBankingDays(days), openingHour, openingMinute)
}
