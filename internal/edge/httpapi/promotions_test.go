package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/rest"
)

// promoted requests what a merchant's page may say about an amount.
func (h *house) promoted(merchant string, amount money.Amount) reply {
	h.t.Helper()
	r := h.must(200, "", "GET", "/v1/promotions?merchant="+merchant+"&amount="+amount.String()+"&currency=USD", "")
	return r
}

// selling creates a merchant whose program offers terms.
func (h *house) selling(name string, change func(*credit.Settings)) string {
	s := lending.DefaultSettings()
	change(&s)
	return h.submit(merchants.CreateMerchant{Title: name, Settings: s}).(*credit.Merchant).ID
}

const nothing = `{"eligible":false,"text":null,"text_version":null,"installments":null,"amount":null,"finance_charge":null,"apr":null,"example":null,"plans":[],"terms_url":null}`

// For 1,000 amounts, the promotion equals to the cent what a checkout offers a company of
// tier A: the plan with the most payments.
func TestPromotionIsWhatTheEngineOffers(t *testing.T) {
	h := newHouse(t, func(c *rest.Config) { c.MaxPublic = 10_000 })
	shops := map[string]string{
		"presets": h.a,
		"bounds": h.selling("bounds", func(s *credit.Settings) {
			s.MinOrder, s.MaxOrder = money.MustParse("100.00"), money.MustParse("50000.00")
		}),
		"due day": h.selling("due day", func(s *credit.Settings) { s.DueDay = 5 }),
		"fees": h.selling("fees", func(s *credit.Settings) {
			s.Terms = []credit.Term{{Installments: 4, Plan: schedule.FlatFee, MonthlyFeeRate: money.MustParseRate("0.015000")}}
		}),
		"net 30": h.selling("net 30", func(s *credit.Settings) { s.Terms = s.Terms[:1] }),
	}
	dice := rand.New(rand.NewPCG(1, 12))
	shown := map[string]int{}
	for name, merchant := range shops {
		record := credit.NewState()
		if err := h.backend.View(t.Context(), func(v store.View) error { return v.Load(record, credit.Keys{Merchants: []string{merchant}}) }); err != nil {
			t.Fatal(err)
		}
		program := record.Merchants[merchant].InForce(h.zone.Date(h.business()))
		for range 200 {
			amount := money.Amount(1 + dice.Int64N([]int64{100_00, 10_000_00, 100_000_00}[dice.IntN(3)]))
			r := h.promoted(merchant, amount)
			offers := onboarding.Offers(program, &credit.Company{Tier: "A"}, amount, nil, h.zone.Date(h.business()))
			switch most := program.Settings.MaxOrder; {
			case most != 0 && amount > most:
				shown["above"]++
				if r.text("text") != "Pay over time, up to $50,000.00" || r.body["installments"] != nil || r.body["apr"] != nil {
					t.Errorf("%s %s: %s", name, amount, r.raw)
				}
				continue
			case len(offers) == 0:
				shown["nothing"]++
				if r.raw != nothing {
					t.Errorf("%s %s: %s", name, amount, r.raw)
				}
				continue
			}
			shown["figures"]++
			x := offers[len(offers)-1].Disclosure
			apr := fmt.Sprintf("%d.%02d", x.APR/100, x.APR%100)
			for member, want := range map[string]string{
				"installments": fmt.Sprint(x.Count), "amount": x.Payment.String(), "finance_charge": x.FinanceCharge.String(), "apr": apr, "eligible": "true",
			} {
				if got := fmt.Sprint(r.body[member]); got != want {
					t.Errorf("%s %s: %s is %s, the engine says %s", name, amount, member, got, want)
				}
			}
			plans := r.body["plans"].([]any)
			if len(plans) != len(offers) {
				t.Fatalf("%s %s: %d plans, the engine offers %d", name, amount, len(plans), len(offers))
			}
			for i, o := range offers {
				got, want := plans[i].(map[string]any), o.Disclosure
				if fmt.Sprintf("%v %v %v %v %v", got["installments"], got["amount"], got["finance_charge"], got["apr"], got["plan"]) != fmt.Sprintf("%d %s %s %d.%02d %s", want.Count, want.Payment, want.FinanceCharge, want.APR/100, want.APR%100, o.Terms.Plan) {
					t.Errorf("%s %s: plan %v, the engine says %+v", name, amount, got, want)
				}
			}
			text := r.text("text")
			if !strings.Contains(text, apr+"% APR") || strings.Contains(text, "a month") && !strings.Contains(text, fmt.Sprintf(" %d payments", x.Count)) || strings.Contains(text, "{") {
				t.Errorf("%s %s: a sentence lacks payments or APR: %q", name, amount, text)
			}
			if e := r.text("example"); !strings.Contains(e, "$") || strings.Contains(e, "{") || !strings.Contains(e, "finance charge") {
				t.Errorf("%s %s: example %q", name, amount, e)
			}
		}
	}
	if shown["figures"] < 500 || shown["above"] < 10 || shown["nothing"] < 10 {
		t.Errorf("of 1,000 amounts: %v", shown)
	}
}

// Nobody can find out which merchants exist: an unknown one, one without a checkout and an
// amount below the minimum get the same bytes and headers.
func TestPromotionTellsNobodyWhoIsThere(t *testing.T) {
	h := newHouse(t)
	later := h.selling("later", func(s *credit.Settings) { s.MinOrder = money.MustParse("500.00") })
	amount := money.MustParse("499.99")
	want := h.promoted("mch_01KAG7Q2M8X4T6W2Y9Z0A1B2C4", amount)
	got := h.promoted(later, amount)
	for _, r := range []reply{want, got} {
		r.header.Del("X-Request-Id")
	}
	if got.raw != nothing || got.raw != want.raw || fmt.Sprint(got.header) != fmt.Sprint(want.header) {
		t.Errorf("below its minimum: %s %v\nnobody: %s %v", got.raw, got.header, want.raw, want.header)
	}
	// In live mode a checkout leads only to registered origins. Without one there is no
	// checkout.
	h.service.Desk.Sandbox, h.service.Desk.Mail = false, &letters{}
	if r := h.promoted(h.a, money.MustParse("1200.00")); r.raw != nothing {
		t.Errorf("a live merchant without an origin: %s", r.raw)
	}
	h.submit(merchants.SetMerchantShop{Merchant: h.a, Shop: credit.Shop{Origins: []string{"https://shop.example"}}, Reason: "sells"})
	if r := h.promoted(h.a, money.MustParse("1200.00")); r.body["eligible"] != true {
		t.Errorf("a live merchant with an origin: %s", r.raw)
	}
}

// The response is open to any page, uses no cookies, may be cached, and reveals nothing of
// the books. An address that asks too often is told to wait, and no other is.
func TestPromotionIsForBrowsers(t *testing.T) {
	h := newHouse(t, func(c *rest.Config) { c.MaxPublic = 3 })
	r := h.must(200, "", "GET", "/v1/promotions?merchant="+h.a+"&amount=1200", "", "Origin", "https://shop.example", "Cookie", "a=b")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Credentials": "", "Cache-Control": "public, max-age=600",
		"Set-Cookie": "", "As-Of-Seq": "", "Vary": "",
	} {
		if got := r.header.Get(name); got != want {
			t.Errorf("%s is %q instead of %q", name, got, want)
		}
	}
	if got := r.text("text"); got != "From $56.49 a month: 24 payments, 12.00% APR" {
		t.Errorf("said %q", got)
	}
	terms, err := url.Parse(r.text("terms_url"))
	if err != nil || terms.Path != "/promotions/terms" || terms.Query().Get("amount") != "1200.00" || terms.Query().Get("merchant") != h.a {
		t.Errorf("terms at %s", r.text("terms_url"))
	}
	for _, query := range []string{"", "?merchant=" + h.a, "?amount=1", "?merchant=" + h.a + "&amount=0", "?merchant=nobody&amount=1", "?merchant=" + h.a + "&amount=1&currency=EUR", "?merchant=" + h.a + "&amount=1&email=a@b.example"} {
		h.from = "192.0.2." + fmt.Sprint(20+len(query))
		if r := h.plain("", "GET", "/v1/promotions"+query, ""); r.status != 400 || r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%q: %d %s", query, r.status, r.raw)
		}
	}
	h.from = "192.0.2.10"
	codes := map[int]int{}
	for range 5 {
		r := h.plain("", "GET", "/v1/promotions?merchant="+h.a+"&amount=1200", "")
		codes[r.status]++
		if r.status == 429 && (r.code() != "rate_limited" || r.header.Get("Retry-After") == "") {
			t.Errorf("too often: %s", r.raw)
		}
	}
	if codes[200] != 2 || codes[429] != 3 {
		t.Errorf("five more after the first, of three a minute: %v", codes)
	}
	h.from = "192.0.2.11"
	h.promoted(h.a, money.MustParse("1200.00"))
	h.from = "192.0.2.10"
	h.pass(time.Minute)
	h.promoted(h.a, money.MustParse("1200.00"))
}

// On the day a program changes, the new figures apply from the first minute.
func TestPromotionIsOfToday(t *testing.T) {
	h := newHouse(t)
	tomorrow := h.zone.Date(h.business()).AddDays(1)
	s := lending.DefaultSettings()
	s.Terms = s.Terms[:3]
	h.submit(merchants.AddProgram{Merchant: h.a, From: tomorrow, Settings: s})
	var counts []string
	for range 2 {
		counts = append(counts, fmt.Sprint(h.promoted(h.a, money.MustParse("1200.00")).body["installments"]))
		h.day = h.zone.At(tomorrow, 0, 1)
	}
	if got, _ := json.Marshal(counts); string(got) != `["24","6"]` {
		t.Errorf("payments today and tomorrow: %s", got)
	}
}
