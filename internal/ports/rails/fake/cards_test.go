package fake

import (
	"errors"
	"testing"

	"tenor/internal/domain/money"
)

func TestCardApproved(t *testing.T) {
	w := open(t)
	w.at("2026-06-15", 16, 0)
	cards := w.bank.Cards()
	first, err := cards.Charge(t.Context(), "trf_1", TokenOK, money.MustParse("104.65"))
	if err != nil || !first.Approved || first.Reference == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := cards.Charge(t.Context(), "trf_1", TokenOK, money.MustParse("104.65"))
	if err != nil || again != first {
		t.Errorf("asked again: %+v, %v", again, err)
	}
	if _, err := cards.Charge(t.Context(), "trf_1", TokenOK, money.MustParse("104.66")); !errors.Is(err, ErrTaken) {
		t.Errorf("another amount with the same key: %v", err)
	}
	w.at("2026-06-17", 8, 29)
	if list, err := cards.News(t.Context()); err != nil || len(list) != 0 {
		t.Fatalf("%+v, %v", list, err)
	}
	w.at("2026-06-17", 8, 30) // the last entry of the worked example, docs/accounting.md
	for range 2 {
		list, err := cards.News(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		if x := list[0]; x.Kind != "SETTLED" || x.Cost != money.MustParse("3.33") || x.Key != "trf_1" || x.Reference != first.Reference {
			t.Errorf("%+v", x)
		}
	}
	list, _ := cards.News(t.Context())
	for range 2 {
		if err := cards.Done(t.Context(), list[0].ID); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := cards.News(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestCardDeclined(t *testing.T) {
	w := open(t)
	for token, code := range map[string]string{
		"tok_decline_insufficient_funds": "insufficient_funds", TokenExpired: "expired_card", "tok_decline_do_not_honor": "do_not_honor", "pm_1": "invalid_token", "": "invalid_token",
	} {
		for range 2 {
			x, err := w.bank.Cards().Charge(t.Context(), "key of "+token, token, 100)
			if err != nil || x.Approved || x.Code != code || x.Message == "" {
				t.Errorf("%q: %+v, %v", token, x, err)
			}
		}
	}
	w.at("2026-06-30", 12, 0)
	if list, err := w.bank.Cards().News(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// The response is lost: retried with the same key, the card is charged once.
func TestCardLostAnswer(t *testing.T) {
	w := open(t)
	if _, err := w.bank.Cards().Charge(t.Context(), "k", TokenLost, 100); !errors.Is(err, ErrLost) {
		t.Fatal(err)
	}
	if x, err := w.bank.Cards().Charge(t.Context(), "k", TokenLost, 100); err != nil || !x.Approved {
		t.Fatalf("%+v, %v", x, err)
	}
	w.at("2026-02-18", 8, 30)
	if list, err := w.bank.Cards().News(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestCardRefund(t *testing.T) {
	w := open(t)
	cards := w.bank.Cards()
	c, err := cards.Charge(t.Context(), "k", TokenOK, 10000)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if x, err := cards.Refund(t.Context(), "r1", c.Reference, 6000); err != nil || !x.Approved {
			t.Fatalf("%+v, %v", x, err)
		}
	}
	if x, err := cards.Refund(t.Context(), "r2", c.Reference, 4001); err != nil || x.Approved || x.Code != "charge_already_refunded" {
		t.Errorf("more than is left: %+v, %v", x, err)
	}
	if _, err := cards.Refund(t.Context(), "r1", c.Reference, 1); !errors.Is(err, ErrTaken) {
		t.Errorf("another amount with the same key: %v", err)
	}
	if x, err := cards.Refund(t.Context(), "r3", c.Reference, 4000); err != nil || !x.Approved {
		t.Errorf("the rest: %+v, %v", x, err)
	}
	if _, err := cards.Refund(t.Context(), "r4", "ch_unknown", 1); !errors.Is(err, ErrUnknown) {
		t.Errorf("of nothing: %v", err)
	}
	w.at("2026-02-18", 8, 30)
	list, err := cards.News(t.Context())
	if err != nil || len(list) != 3 || list[1].Kind != "REFUND_SETTLED" || list[1].Key != "r1" || list[1].Reference != c.Reference {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestCardDispute(t *testing.T) {
	w := open(t)
	cards := w.bank.Cards()
	c, err := cards.Charge(t.Context(), "k", TokenOK, 10000)
	if err != nil {
		t.Fatal(err)
	}
	if err := cards.Win(c.Reference); !errors.Is(err, ErrUnknown) {
		t.Errorf("won before it began: %v", err)
	}
	if err := cards.Dispute(c.Reference, "fraudulent"); err != nil {
		t.Fatal(err)
	}
	if err := cards.Dispute(c.Reference, "fraudulent"); !errors.Is(err, ErrState) {
		t.Errorf("twice: %v", err)
	}
	if x, err := cards.Refund(t.Context(), "r", c.Reference, 1); err != nil || x.Approved {
		t.Errorf("a refund of what is disputed: %+v, %v", x, err)
	}
	list, err := cards.News(t.Context())
	if err != nil || len(list) != 1 || list[0].Kind != "DISPUTE" || list[0].Cost != DisputeFee || list[0].Code != "fraudulent" || list[0].Key != "k" {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := cards.Win(c.Reference); err != nil {
		t.Fatal(err)
	}
	if err := cards.Win(c.Reference); !errors.Is(err, ErrState) {
		t.Errorf("won twice: %v", err)
	}
	list, err = cards.News(t.Context())
	if err != nil || len(list) != 2 || list[1].Kind != "DISPUTE_WON" || list[1].Key != "k" {
		t.Errorf("%+v, %v", list, err)
	}
	declined, err := cards.Charge(t.Context(), "d", TokenExpired, 1)
	if err != nil || cards.Dispute(declined.Reference, "x") == nil || cards.Dispute("ch_unknown", "x") == nil {
		t.Error("a charge that was not made is disputed")
	}
}

// tok_dispute: settled on the second banking day, disputed five banking days later, and until
// then an ordinary charge.
func TestCardDisputedByToken(t *testing.T) {
	w := open(t)
	cards := w.bank.Cards()
	c, err := cards.Charge(t.Context(), "k", TokenDispute, 10000)
	if err != nil {
		t.Fatal(err)
	}
	if x, err := cards.Refund(t.Context(), "r", c.Reference, 1); err != nil || !x.Approved {
		t.Errorf("%+v, %v", x, err)
	}
	w.at("2026-02-25", 8, 29)
	if list, err := cards.News(t.Context()); err != nil || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	w.at("2026-02-25", 8, 30)
	if list, err := cards.News(t.Context()); err != nil || len(list) != 3 || list[2].Kind != "DISPUTE" {
		t.Errorf("%+v, %v", list, err)
	}
}
