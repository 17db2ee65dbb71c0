package main

import (
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tenor/api"
	"tenor/internal/app/terminal"
)

// Changes to versioned resources can be made conditional on the version.
func TestIfVersion(t *testing.T) {
	for _, line := range []string{
		"orders update ord_1 --merchant-order-id PO-2", "orders authorize ord_2", "orders capture ord_2", "orders partial ord_2 --amount 5", "orders cancel ord_2 --yes",
		"orders extend ord_2", "orders refund ord_1 --amount 5 --yes", "webhooks update whk_1 --disable", "webhooks delete whk_1 --yes",
		"orders hold ord_1 --days 5 --reason x", "orders reschedule ord_1 --installment 3 --due 2026-04-30 --reason x --yes", "orders reamortize ord_1 --reason x --yes", "orders charge-off ord_1 --reason x --confirm=ord_1", "orders reverse-charge-off ord_1 --reason x --confirm=ord_1", "orders fees waive ord_1 fee_1 --reason x --yes", "orders resume ord_1",
		"lender set --contact x", "orders autopay ord_1 --off", "payments return pay_1 --yes", "payments reverse pay_1 --reason DUPLICATE --yes",
		"companies report 1000000001 --kind fraud --on 2026-01-05 --reason x --yes", "companies withdraw-report 1000000001 --kind bankruptcy --reason x --yes",
	} {
		f := newFake(t)
		d := newDesk(t, f.URL)
		d.do(strings.Fields(line + " --if-version 7")...)
		d.do(strings.Fields(line)...)
		asked, _ := f.told()
		if len(f.matches) != 2 || f.matches[0] != `"7"` || f.matches[1] != "" {
			t.Errorf("%s: asked %v with If-Match %q", line, asked, f.matches)
		}
	}
}

// The parser refuses a word only if the contract does not contain it.
func TestWordsAreThoseOfTheContract(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(api.Document)
	if err != nil {
		t.Fatal(err)
	}
	enum := func(path, parameter string) (words []string) {
		t.Helper()
		for _, p := range doc.Paths.Find(path).Get.Parameters {
			if p.Value.Name == parameter {
				for _, w := range p.Value.Schema.Value.Enum {
					words = append(words, w.(string))
				}
			}
		}
		return words
	}
	orders, financing := enum("/v1/orders", "status"), enum("/v1/orders", "financing_status")
	for kind, want := range map[string][]string{
		"order-status": orders, "financing-status": financing, "watched-status": append(append([]string{}, orders...), financing...),
		"payment-status": enum("/payments", "status"), "method": enum("/payments", "method"), "invoice-status": enum("/v1/invoices", "status"),
		"payout-status": enum("/v1/payouts", "status"), "delivery-state": enum("/v1/webhooks/{id}/deliveries", "state"),
		"rail": enum("/v1/operator/transfers", "rail"), "transfer-status": enum("/v1/operator/transfers", "status"),
		"alarm-kind": enum("/v1/operator/alarms", "kind"), "notice-state": enum("/v1/operator/notices", "state"), "screening-status": enum("/v1/operator/screenings", "status"), "receipt-status": enum("/v1/operator/receipts", "status"),
		"checkout-status": enum("/v1/checkouts", "status"), "application-status": enum("/v1/applications", "status"), "application-kind": enum("/v1/applications", "kind"),
		"case-status": enum("/v1/cases", "status"),
	} {
		var got []string
		for _, c := range terminal.FixedWords(kind) {
			got = append(got, c.Word)
		}
		if len(want) == 0 || strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %v, the contract has %v", kind, got, want)
		}
	}
	limit := doc.Paths.Find("/v1/orders").Get.Parameters.GetByInAndName("query", "limit").Schema.Value
	if *limit.Min != 1 || *limit.Max != terminal.MaxPage {
		t.Errorf("pages of %v to %v", *limit.Min, *limit.Max)
	}
}
