package payments

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// maxSameDay is the most that a same-day entry may move.
// Source: NACHA Operating Rules (Same Day ACH).
const maxSameDay money.Amount = 1_000_000_00

// SendSameDay lets a transfer that waits for today's file settle on the same day, which only
// staff may request (F22). If it is too late for the file, it goes with the next one and
// settles a day later, like any other. It is idempotent. Result is the *Transfer.
type SendSameDay struct {
	Transfer string `json:"transfer"`
	Reason   string `json:"reason"`
}

func (SendSameDay) Name() string { return "transfer.same_day" }

// Keys requests the transfer and everything that its outcome affects.
func (c SendSameDay) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return transferKeys(s, c.Transfer)
}

func (c SendSameDay) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitTransfer(s, e, c.Transfer)
}

func (c SendSameDay) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Transfers[c.Transfer]
	switch {
	case old.Status != credit.TransferQueued:
		return credit.Changes{}, lockedTransfer(old)
	case !old.Rail.Can().SameDay:
		return credit.Changes{}, credit.InvalidTransition.Because("A card is always charged on the scheduled day.")
	case old.Kind == credit.TransferPrenote || old.Kind == credit.TransferMicro:
		return credit.Changes{}, credit.InvalidTransition.Because("Micro-deposits and prenotes cannot settle the same day.")
	case old.Amount > maxSameDay:
		return credit.Changes{}, credit.LimitExceeded.With("The amount is more than one same-day entry can move.", map[string]any{"limit": "same_day", "maximum": maxSameDay.String()})
	case old.SendOn != e.Today() || !e.Now.Before(old.NextAt):
		return credit.Changes{}, credit.InvalidTransition.With("Only a transfer queued for today's file can settle today.", map[string]any{"send_on": old.SendOn.String()})
	case old.SameDay():
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	t := d.Transfers.Edit(c.Transfer)
	lending.Dated(d, t, t.SendOn, t.SendOn)
	if t.Kind == credit.TransferPayment || t.Kind == credit.TransferCredit {
		rescheduled(d, t)
	}
	return d.Done(t, false), nil
}
