package accountpages

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
	"tenor/internal/office/buyer"
	"tenor/internal/ui/picture"
)

// invoiced returns an order's invoices.
func (r *rig) invoiced(c *credit.Company, o *credit.Order) []*credit.Invoice {
	r.t.Helper()
	all, err := r.Invoices(context.Background(), c.ID, o.Key)
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

// An order shows its invoice once it has shipped, as a page and as a PDF, and whether it is paid.
func TestInvoicesOfAnOrder(t *testing.T) {
	r := newRig(t)
	c := r.company("Alder Kitchens", "avery@alder.example")
	waits := r.submit(r.shop(), lending.CreateOrder{Company: c.ID, Amount: 900_00, Installments: 6, Authorize: true, MerchantOrderID: "PO-waits"}).(*credit.Order)
	o := r.order(c, 1_200_00)
	all := r.invoiced(c, o)
	if len(all) != 1 {
		t.Fatalf("%d invoices", len(all))
	}
	at := "/account/orders/" + o.Key + "/" + all[0].ID
	b := r.browser().signIn("avery@alder.example").get("/account/orders/"+waits.Key).want("/account/orders/"+waits.Key, "PO-").lacks("Invoices")
	b.get("/account/orders/"+o.Key).want("/account/orders/"+o.Key, "Invoices", all[0].Number, "Open", "$1,242.35", "Invoice "+all[0].Number+" as PDF")
	if !strings.Contains(b.body, `href="`+at+`"`) || !strings.Contains(b.body, `href="`+at+`.pdf"`) {
		t.Errorf("no way to the invoice: %s", b.body)
	}
	b.get(at).want(at, all[0].Number, "Alder Kitchens", "Harbor Supply", "Example Lender", "$1,242.35")
	b.get(at + ".pdf")
	if !strings.HasPrefix(b.body, "%PDF-") || b.head.Get("Content-Type") != "application/pdf" || !strings.Contains(b.head.Get("Content-Disposition"), "invoice-"+all[0].Number+".pdf") {
		t.Errorf("the file: %v", b.head)
	}
	r.submit(staff(), payments.RecordPayment{Company: c.ID, Order: o.Key, Amount: 1_242_35, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: r.zone.Date(r.now)})
	b.get("/account/orders/"+o.Key).want("/account/orders/"+o.Key, "Paid")
	if all = r.invoiced(c, o); all[0].Status != credit.InvoicePaid {
		t.Errorf("the invoice is %s", all[0].Status)
	}
}

// An invoice with a late payment is past due long before its own last day, and says why.
func TestInvoiceOfALateOrder(t *testing.T) {
	r := newRig(t)
	c := r.company("Alder Kitchens", "avery@alder.example")
	o := r.order(c, 1_200_00)
	r.now = r.now.AddDate(0, 0, 45)
	r.submit(staff(), lending.ServiceOrder{Order: o.Key})
	if all := r.invoiced(c, o); all[0].Status != credit.InvoicePastDue {
		t.Fatalf("the invoice is %s", all[0].Status)
	}
	r.browser().signIn("avery@alder.example").get("/account/orders/"+o.Key).want("/account/orders/"+o.Key, "Payment past due")
}

// Invoices are in English; the page around them is in the reader's language.
func TestInvoicesInSpanish(t *testing.T) {
	r := newRig(t)
	c := r.company("Alder Kitchens", "avery@alder.example")
	o := r.order(c, 1_200_00)
	b := r.browser().signIn("avery@alder.example")
	b.get("/account/orders/"+o.Key+"?lang=es-US").want("/account/orders/"+o.Key, "Facturas", "Pendiente", "Emitida", "en PDF")
}

// Nobody else can see them: not a person acting for another company, with its own order or this
// one in the address, and not through another order of the same company.
func TestInvoicesOfOthers(t *testing.T) {
	r := newRig(t)
	c, other := r.company("Alder Kitchens", "avery@alder.example"), r.company("Birch Works", "bo@birch.example")
	mine, second, theirs := r.order(c, 1_200_00), r.order(c, 500_00), r.order(other, 600_00)
	id := r.invoiced(c, mine)[0].ID
	avery, bo := r.browser().signIn("avery@alder.example"), r.browser().signIn("bo@birch.example")
	for _, end := range []string{"", ".pdf"} {
		for _, x := range []struct {
			what string
			b    *browser
			path string
		}{
			{"another company", bo, "/account/orders/" + mine.Key + "/" + id + end},
			{"another company, its own order", bo, "/account/orders/" + theirs.Key + "/" + id + end},
			{"another order", avery, "/account/orders/" + second.Key + "/" + id + end},
			{"no invoice", avery, "/account/orders/" + mine.Key + "/inv_none" + end},
		} {
			if x.b.get(x.path); x.b.status != 404 || strings.Contains(x.b.body, "Alder Kitchens LLC") {
				t.Errorf("%s%s: %d", x.what, end, x.b.status)
			}
		}
	}
	nobody := r.browser()
	if nobody.get("/account/orders/" + mine.Key + "/" + id); strings.Contains(nobody.body, "Alder") {
		t.Error("a stranger sees the invoice")
	}
}

// A paper-signed master agreement is returned as it was uploaded, only to people of the company;
// there is no page for it.
func TestAgreementOnPaper(t *testing.T) {
	for contentType, file := range map[string]string{"application/pdf": "%PDF-1.4\n%%EOF\n", picture.PNG: "\x89PNG\r\n\x1a\n"} { // unordered: each by itself
		r := newRig(t)
		b := r.applied("cleo@cedar.example", "00-0000001")
		p, err := r.Proved(context.Background(), "cleo@cedar.example")
		if err != nil {
			t.Fatal(err)
		}
		c := r.of(p.Roles[0].Company)
		cmd, err := r.SigningOnPaper(c.ID, buyer.Signature{Name: "Avery Quill", Title: "Owner", On: r.zone.Date(r.now)}, contentType, []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		r.submit(staff(), cmd)
		b.get("/account/sign").want("/account/sign", "Master agreement", "Signed on paper by Avery Quill on January 15, 2026")
		ending := map[string]string{"application/pdf": ".pdf", picture.PNG: ".png"}[contentType]
		b.get("/account/sign/master.pdf")
		if b.status != 404 {
			t.Errorf("%s: a PDF was made: %d", contentType, b.status)
		}
		b.get("/account/sign/master")
		if !bytes.Equal([]byte(b.body), []byte(file)) || b.head.Get("Content-Type") != contentType || !strings.Contains(b.head.Get("Content-Disposition"), "master-agreement"+ending) {
			t.Errorf("%s: %d %v", contentType, b.status, b.head)
		}
	}
}
