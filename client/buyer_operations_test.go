package client

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"
)

// Every method of the buyer's side, and the request that it must send.
func TestBuyerOperations(t *testing.T) {
	ctx := context.Background()
	at := time.Date(2026, 1, 10, 14, 0, 0, 0, time.UTC)
	sends(t, []operation{
		{"POST /v1/checkouts", `{"amount":1200.00,"installments":[3,6],"remote_id":"cart-1","return_url":"https://shop.example/","cancel_url":"https://shop.example/cart"}`, func(c *Client) error {
			_, err := c.CreateCheckout(ctx, CheckoutRequest{Amount: "1200.00", Installments: []int{3, 6}, RemoteID: "cart-1", ReturnURL: "https://shop.example/", CancelURL: "https://shop.example/cart"})
			return err
		}},
		{"GET /v1/checkouts/chk_1", "", func(c *Client) error { _, err := c.Checkout(ctx, "chk_1"); return err }},
		{"GET /v1/checkouts?from=2026-01-01&limit=5&status=OPEN&to=2026-01-31", "", func(c *Client) error {
			_, err := c.ListCheckouts(ctx, CheckoutFilter{Status: "OPEN", From: "2026-01-01", To: "2026-01-31"}, Paging{Limit: 5})
			return err
		}},
		{"POST /v1/checkouts/chk_1/complete", `{}`, func(c *Client) error { _, err := c.CompleteCheckout(ctx, "chk_1"); return err }},
		{"POST /v1/checkouts/chk_1/expire", `{}`, func(c *Client) error { _, err := c.ExpireCheckout(ctx, "chk_1"); return err }},
		{"POST /v1/sandbox/checkouts/chk_1/accept", `{"installments":6,"ein":"00-0000011"}`, func(c *Client) error {
			_, err := c.AcceptSandboxCheckout(ctx, "chk_1", SandboxBuyer{Installments: 6, EIN: "00-0000011"})
			return err
		}},
		{"POST /v1/sandbox/checkouts/chk_1/cancel", `{}`, func(c *Client) error { _, err := c.EndSandboxCheckout(ctx, "chk_1", SandboxCancel); return err }},
		{"GET /v1/promotions?amount=1200.00&currency=USD&merchant=mch_1", "", func(c *Client) error { _, err := c.Promotion(ctx, "mch_1", "1200.00"); return err }},
		{"POST /v1/applications", `{"any":1}`, func(c *Client) error { _, err := c.SubmitApplication(ctx, json.RawMessage(`{"any":1}`)); return err }},
		{"POST /v1/applications", `{"applicant":{"first_name":"Ada","last_name":"Marsh","email":"a@b.example","title":"Owner"},"business":{"legal_name":"Alder","entity_type":"LLC","ein":"00-0000001","formed_on":"2018-05-01",` +
			`"state_of_formation":"NY","address":{"street":"","city":"","state":"","postal_code":"","country":""},"phone":"1","annual_revenue":5},"owners":null,"consents":{"credit_check":true,"electronic_records":false,"accepted_at":"2026-01-10T14:00:00Z"}}`, func(c *Client) error {
			_, err := c.SubmitApplication(ctx, ApplicationRequest{
				Applicant: Applicant{FirstName: "Ada", LastName: "Marsh", Email: "a@b.example", Title: "Owner"},
				Business:  ApplicationBusiness{LegalName: "Alder", EntityType: "LLC", EIN: "00-0000001", FormedOn: "2018-05-01", StateOfFormation: "NY", Phone: "1", AnnualRevenue: "5"},
				Consents:  Consents{CreditCheck: true, AcceptedAt: at},
			})
			return err
		}},
		{"POST /v1/prequalifications", `{"applicant":{"first_name":"Ada","last_name":"Marsh","email":"a@b.example"},"business":{"legal_name":"Alder"},"annual_revenue":300000.00}`, func(c *Client) error {
			_, err := c.Prequalify(ctx, EstimateRequest{
				Applicant: EstimateApplicant{FirstName: "Ada", LastName: "Marsh", Email: "a@b.example"}, Business: EstimateBusiness{LegalName: "Alder"}, AnnualRevenue: "300000.00",
			})
			return err
		}},
		{"GET /v1/applications?kind=PREQUALIFICATION", "", func(c *Client) error {
			_, err := c.ListApplications(ctx, ApplicationFilter{Kind: "PREQUALIFICATION"}, Paging{})
			return err
		}},
		{"GET /v1/applications/app_1", "", func(c *Client) error { _, err := c.Application(ctx, "app_1"); return err }},
		{"GET /v1/applications?email=a%40b.example&status=APPROVED", "", func(c *Client) error {
			_, err := c.ListApplications(ctx, ApplicationFilter{Status: "APPROVED", Email: "a@b.example"}, Paging{})
			return err
		}},
		{"POST /v1/applications/app_1/withdraw", `{}`, func(c *Client) error { _, err := c.WithdrawApplication(ctx, "app_1"); return err }},
		{"GET /v1/operator/applications?status=IN_REVIEW", "", func(c *Client) error {
			_, err := c.ListReviewedApplications(ctx, ApplicationFilter{Status: "IN_REVIEW"}, Paging{})
			return err
		}},
		{"GET /v1/operator/applications/app_1", "", func(c *Client) error { _, err := c.ReviewedApplication(ctx, "app_1"); return err }},
		{"POST /v1/operator/applications/app_1/approve", `{"limit":8000.00,"reason":"seen","reasons":["annual_revenue"],"tier":"A"}`, func(c *Client) error {
			_, err := c.ApproveApplication(ctx, "app_1", Approval{Limit: "8000.00", Tier: "A", Reasons: []string{"annual_revenue"}}, Because("seen"))
			return err
		}},
		{"POST /v1/operator/applications/app_1/decline", `{"reasons":["credit_score"],"note":"liens"}`, func(c *Client) error {
			_, err := c.DeclineApplication(ctx, "app_1", "liens", []string{"credit_score"})
			return err
		}},
		{"POST /v1/operator/applications/app_1/request", `{"what":"Articles","due_on":"2026-01-29"}`, func(c *Client) error {
			_, err := c.RequestInformation(ctx, "app_1", ApplicationInformation{What: "Articles", DueOn: "2026-01-29"})
			return err
		}},
		{"POST /v1/operator/applications/app_1/assign", `{"to":"dana"}`, func(c *Client) error { _, err := c.AssignApplication(ctx, "app_1", "dana"); return err }},
		{"POST /v1/operator/applications/app_1/notice", `{"channel":"MAIL","evidence":"tracking"}`, func(c *Client) error {
			_, err := c.SendApplicationNotice(ctx, "app_1", "MAIL", "tracking")
			return err
		}},
		{"GET /v1/operator/applications/app_1/notice", "", func(c *Client) error { _, err := c.ApplicationNotice(ctx, "app_1"); return err }},
		{"GET /v1/operator/applications/app_1/notice", "", func(c *Client) error { return c.ApplicationNoticeFile(ctx, "app_1", PDF, io.Discard) }},
		{"POST /v1/operator/applications/app_1/notice", `{"channel":"MAIL","evidence":"tracking","owner":true}`, func(c *Client) error {
			_, err := c.SendOwnerNotice(ctx, "app_1", "MAIL", "tracking")
			return err
		}},
		{"GET /v1/operator/applications/app_1/notice?owner=true", "", func(c *Client) error { _, err := c.OwnerNotice(ctx, "app_1"); return err }},
		{"GET /v1/operator/applications/app_1/notice?owner=true", "", func(c *Client) error { return c.OwnerNoticeFile(ctx, "app_1", PDF, io.Discard) }},
		{"GET /v1/operator/applications/app_1/documents/doc_1", "", func(c *Client) error { return c.ApplicationDocument(ctx, "app_1", "doc_1", io.Discard) }},
		{"GET /v1/order/ord_1/disclosure", "", func(c *Client) error { _, err := c.Disclosure(ctx, "ord_1"); return err }},
		{"GET /v1/order/ord_1/disclosure", "", func(c *Client) error { return c.DisclosureFile(ctx, "ord_1", PDF, io.Discard) }},
		{"POST /v1/cases", `{"kind":"QUESTION","order_key":"ord_1","subject":"Which?","text":"Ours."}`, func(c *Client) error {
			_, err := c.CreateCase(ctx, CaseRequest{Kind: "QUESTION", OrderKey: "ord_1", Subject: "Which?", Text: "Ours."})
			return err
		}},
		{"GET /v1/cases/case_1", "", func(c *Client) error { _, err := c.Case(ctx, "case_1"); return err }},
		{"GET /v1/cases?company_id=7&status=OPEN", "", func(c *Client) error {
			_, err := c.ListCases(ctx, CaseFilter{Status: "OPEN", CompanyID: 7}, Paging{})
			return err
		}},
		{"POST /v1/cases/case_1/notes", `{"text":"More."}`, func(c *Client) error { _, err := c.AddCaseNote(ctx, "case_1", "More."); return err }},
		{"POST /v1/cases/case_1/withdraw", `{}`, func(c *Client) error { _, err := c.WithdrawCase(ctx, "case_1"); return err }},
		{"GET /v1/operator/cases?from=2026-01-01&limit=5&to=2026-01-31", "", func(c *Client) error {
			_, err := c.ListReviewedCases(ctx, CaseFilter{From: "2026-01-01", To: "2026-01-31"}, Paging{Limit: 5})
			return err
		}},
		{"GET /v1/operator/cases/case_1", "", func(c *Client) error { _, err := c.ReviewedCase(ctx, "case_1"); return err }},
		{"POST /v1/operator/cases/case_1/notes", `{"text":"Which?"}`, func(c *Client) error { _, err := c.AnswerCase(ctx, "case_1", "Which?"); return err }},
		{"POST /v1/operator/cases/case_1/resolve", `{"outcome":"UPHELD","text":"So."}`, func(c *Client) error {
			_, err := c.ResolveCase(ctx, "case_1", "UPHELD", "So.")
			return err
		}},
		{"GET /v1/operator/cases/case_1/documents/doc_1", "", func(c *Client) error { return c.CaseDocument(ctx, "case_1", "doc_1", io.Discard) }},
		{"GET /v1/operator/companies/7/people", "", func(c *Client) error { _, err := c.ListPeople(ctx, "7"); return err }},
		{"POST /v1/operator/companies/7/people", `{"email":"bea@alder.example","limit":500.00,"reason":"asked","role":"BUYER"}`, func(c *Client) error {
			_, err := c.SetPerson(ctx, "7", PersonRequest{Email: "bea@alder.example", Role: "BUYER", Limit: "500.00"}, Because("asked"))
			return err
		}},
		{"POST /v1/operator/companies/7/people/per_1/remove", `{"reason":"left"}`, func(c *Client) error { _, err := c.RemovePerson(ctx, "7", "per_1", Because("left")); return err }},
		{"GET /v1/operator/companies/7/agreement", "", func(c *Client) error { _, err := c.MasterAgreement(ctx, "7"); return err }},
		{"GET /v1/operator/companies/7/agreement", "", func(c *Client) error { return c.MasterAgreementFile(ctx, "7", io.Discard) }},
		{"POST /v1/operator/companies/7/agreement", `{"document":"JVBERg==","reason":"by post","signed_on":"2026-01-09","signer_name":"Ada","signer_title":"Owner"}`, func(c *Client) error {
			_, err := c.RecordPaperSignature(ctx, "7", PaperSignature{SignerName: "Ada", SignerTitle: "Owner", SignedOn: "2026-01-09", Document: []byte("%PDF")}, Because("by post"))
			return err
		}},
		{"GET /v1/order/ord_1/agreement", "", func(c *Client) error { _, err := c.Agreement(ctx, "ord_1"); return err }},
		{"GET /v1/order/ord_1/agreement", "", func(c *Client) error { return c.AgreementFile(ctx, "ord_1", HTML, io.Discard) }},
	})
}

// A file is sent as it is, under its own media type.
func TestAddDocument(t *testing.T) {
	for line, add := range map[string]func(*Client) (*Document, error){ // unordered: each by itself
		"POST /v1/applications/app_1/documents": func(c *Client) (*Document, error) {
			return c.AddDocument(context.Background(), "app_1", PDF, []byte("%PDF-1.4\n"))
		},
		"POST /v1/cases/case_1/documents": func(c *Client) (*Document, error) {
			return c.AddCaseDocument(context.Background(), "case_1", PDF, []byte("%PDF-1.4\n"))
		},
	} {
		addsDocument(t, line, add)
	}
}

func addsDocument(t *testing.T, line string, add func(*Client) (*Document, error)) {
	t.Helper()
	s := newStub(t, ok(`{"id":"doc_1","size":9}`))
	d, err := add(s.Client)
	if err != nil || d.ID != "doc_1" || d.Size != 9 {
		t.Fatalf("%+v, %v", d, err)
	}
	calls, _ := s.asked()
	if got := calls[0]; got.line != line || got.body != "%PDF-1.4\n" || got.header.Get("Content-Type") != PDF {
		t.Errorf("sent %s %q as %s", got.line, got.body, got.header.Get("Content-Type"))
	}
}
