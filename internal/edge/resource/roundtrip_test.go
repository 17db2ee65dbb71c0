package resource_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/edge/resource"
)

// TestRoundTrip: what is decoded is encoded again as the same bytes, and they are the bytes
// of the general encoder.
func TestRoundTrip(t *testing.T) {
	t.Run("order", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, resource.NewOrder(anOrder(t))) }))
	t.Run("payment", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, resource.NewPayment(aPayment(t))) }))
	t.Run("invoice", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, resource.NewInvoice(anInvoice(t))) }))
	t.Run("entry", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, resource.NewEntry(anEntry(t), rapid.Int64Min(0).Draw(t, "q"))) }))
	t.Run("company", rapid.MakeCheck(func(t *rapid.T) {
		late := resource.Lateness{Amount: anAmount(t), Days: aCount(t)}
		roundTrip(t, resource.NewCompany(aCompany(t), late, aBool(t)))
	}))
	t.Run("merchant", rapid.MakeCheck(func(t *rapid.T) {
		m := sampleMerchant()
		m.Name = aText(t)
		m.Programs[1].Settings.TierRates[aText(t)] = aRate(t)
		roundTrip(t, resource.NewMerchant(m, nil))
		roundTrip(t, resource.NewProgram(m.Programs[1]))
	}))
	t.Run("explanation", rapid.MakeCheck(func(t *rapid.T) {
		roundTrip(t, resource.NewExplanation(aText(t), some(t, anExplanation), []resource.Entry{resource.NewEntry(anEntry(t), 7)}))
	}))
	t.Run("webhook", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, resource.NewWebhook(anEndpoint(t), aText(t))) }))
	t.Run("client", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, resource.NewAPIClient(aClient(t), aText(t))) }))
	t.Run("resend", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, resource.NewResend(aResend(t))) }))
	t.Run("delivery", rapid.MakeCheck(func(t *rapid.T) { roundTrip(t, resource.NewDelivery(aDelivery(t), some(t, anAttempt))) }))
	t.Run("schedule", rapid.MakeCheck(func(t *rapid.T) {
		o, l, day := anOrder(t), aLoan(t), date("2026-01-15").AddDays(rapid.IntRange(0, 1500).Draw(t, "day"))
		roundTrip(t, resource.NewSchedule(o, l, day))
		roundTrip(t, resource.NewEstimate(o, l, day))
		roundTrip(t, resource.NewCanceledSchedule(o))
		roundTrip(t, resource.NewPayoff(o, day, l.Payoff(day), aBool(t)))
	}))
	t.Run("list", rapid.MakeCheck(func(t *rapid.T) {
		data := make([]resource.Payment, rapid.IntRange(0, 3).Draw(t, "n"))
		for i := range data {
			data[i] = resource.NewPayment(aPayment(t))
		}
		roundTrip(t, resource.NewList(data, aText(t)))
	}))
	t.Run("event", rapid.MakeCheck(func(t *rapid.T) {
		o := anOrder(t)
		e := credit.Event{
			ID: "evt_1", Type: credit.OrderUpdatedEvent, Object: credit.ObjectRef{Type: "order", ID: aText(t)}, Sequence: 1, Data: o,
			Previous: map[string]any{aText(t): aText(t), "cart_items": o.Cart, "charges": o.Charges, "terms": o.Terms, "metadata": o.Metadata},
		}
		b, err := resource.EncodeEvent(e, anInstant(t), credit.Actor{Merchant: e.Merchant, RequestID: aText(t), Key: aText(t)})
		if err != nil {
			t.Fatal(err)
		}
		typed, err := resource.Decode[resource.Event[resource.Order]](b)
		if err != nil {
			t.Fatal(err)
		}
		untyped, err := resource.Decode[resource.AnyEvent](b)
		if err != nil {
			t.Fatal(err)
		}
		same(t, b, typed)
		same(t, b, untyped)
	}))
}

func roundTrip[T any](t *rapid.T, shown T) {
	b, err := resource.Encode(shown)
	if err != nil {
		t.Fatal(err)
	}
	same(t, b, shown)
	back, err := resource.Decode[T](b)
	if err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	same(t, b, back)
}

// same checks that both encoders encode a value as b, given itself or a pointer.
func same[T any](t *rapid.T, b []byte, v T) {
	general, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		t.Fatal(err)
	}
	own, err := resource.Encode(&v)
	if err != nil {
		t.Fatal(err)
	}
	if string(own) != string(b) || string(general) != string(b) {
		t.Fatalf("%T\nwant    %s\nown     %s\ngeneral %s", v, b, own, general)
	}
}

func TestEncodeMendsBadText(t *testing.T) {
	o := bareOrder()
	o.MerchantStatus = "a\xffb\u2028</script>\x00"
	b, err := resource.Encode(resource.NewOrder(o))
	if err != nil {
		t.Fatal(err)
	}
	got, err := resource.Decode[resource.Order](b)
	if err != nil {
		t.Fatal(err)
	}
	if want := "a\ufffdb\u2028</script>\x00"; *got.MerchantStatus != want {
		t.Errorf("got %q, want %q", *got.MerchantStatus, want)
	}
}

// TestDecodeSkipsAdditions: today's client reads tomorrow's answer.
func TestDecodeSkipsAdditions(t *testing.T) {
	got, err := resource.Decode[resource.CreditLine]([]byte(`{"limit":1.00,"new_member":{"a":[1]},"currency":"USD"}`))
	if err != nil || got.Limit != usd("1.00") {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{`{"limit":1.0}`, `{"limit":"1.00"}`, `{"limit":1.00`, `[]`} {
		if _, err := resource.Decode[resource.CreditLine]([]byte(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func TestInstantsAreUTCMicroseconds(t *testing.T) {
	o := bareOrder()
	o.CreatedAt = time.Date(2026, 1, 12, 10, 4, 5, 123456789, time.FixedZone("EST", -5*3600))
	o.AuthorizedAt = o.CreatedAt
	w := resource.NewOrder(o)
	want := at(t, "2026-01-12T15:04:05.123456Z")
	if w.CreatedAt != want || *w.AuthorizedAt != want {
		t.Errorf("got %v and %v, want %v", w.CreatedAt, *w.AuthorizedAt, want)
	}
}

// The generators make any record that the types allow, not only likely ones.

func aText(t *rapid.T) string { return rapid.String().Draw(t, "text") }

func aBool(t *rapid.T) bool { return rapid.Bool().Draw(t, "bool") }

func aCount(t *rapid.T) int { return rapid.IntRange(0, 40).Draw(t, "count") }

func anAmount(t *rapid.T) money.Amount {
	return money.Amount(rapid.Int64Range(-1_000_000_000, 1_000_000_000).Draw(t, "amount"))
}

func aRate(t *rapid.T) money.Rate {
	return money.Rate(rapid.Int64Range(0, 99_999_999).Draw(t, "rate"))
}

func aDate(t *rapid.T) calendar.Date {
	return calendar.Date(rapid.Int32Range(0, int32(date("2999-12-31"))).Draw(t, "date"))
}

func maybeDate(t *rapid.T) calendar.Date {
	if aBool(t) {
		return calendar.None
	}
	return aDate(t)
}

func anInstant(t *rapid.T) time.Time {
	seconds := rapid.Int64Range(0, int64(date("2999-12-31"))*86400).Draw(t, "seconds")
	return time.Unix(seconds, rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
}

func maybeInstant(t *rapid.T) time.Time {
	if aBool(t) {
		return time.Time{}
	}
	return anInstant(t)
}

func some[T any](t *rapid.T, make func(*rapid.T) T) []T {
	var out []T
	for range rapid.IntRange(0, 3).Draw(t, "n") {
		out = append(out, make(t))
	}
	return out
}

func maybe[T any](t *rapid.T, make func(*rapid.T) T) *T {
	if aBool(t) {
		return nil
	}
	return new(make(t))
}
