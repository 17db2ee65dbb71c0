package resource

import "time"

// SandboxMail is a message that a sandbox would have sent.
type SandboxMail struct {
	ID       string     `json:"id" doc:"Stable ID, derived from what it is about." example:"mail_X4ZQ2JH5WN7TBD3KM6PVX4ZQ2J"`
	Kind     string     `json:"kind" enum:"NOTICE,INVOICE,STATEMENT,PAYOUT_ADVICE,REVERSAL,ACCOUNT_CHANGE,CODE,SIGN_IN_LINK,APPLICATION_APPROVED,APPLICATION_COUNTER_OFFER,APPLICATION_DECLINED,APPLICATION_IN_REVIEW,APPLICATION_DOCUMENTS_WANTED,APPLICATION_WITHDRAWN,APPLICATION_EXPIRED,APPROVED_GO_ON,CHECKOUT_LINK,CHECKOUT_NOT_COMPLETED,OWNER_NEEDED,AGREEMENT_COPY,NEW_DISCLOSURE,INVITATION,PEOPLE_CHANGED,DUPLICATE_WARNING,INSTALLMENT_DUE,DEBIT_TOMORROW,PAYMENT_RECEIVED,PAYMENT_RETURNED,PAST_DUE,STATEMENT_READY,BANK_ACCOUNT_CHANGED,EMAIL_CHANGED,CASE_OPENED,CASE_ANSWERED,CASE_RESOLVED" doc:"What it is." example:"INVOICE"`
	To       *string    `json:"to" nullable:"true" doc:"Address; null if none is on record." example:"accounts-1@example.test"`
	Name     string     `json:"name" doc:"Name of the company, merchant or person." example:"Alder Kitchens"`
	Subject  string     `json:"subject" doc:"Its subject." example:"Invoice T-000001"`
	Language string     `json:"language" doc:"Language. Legal notices are always in English." example:"en-US"`
	Date     time.Time  `json:"date" doc:"When, by the business clock." example:"2026-01-15T15:00:00Z"`
	Object   MailObject `json:"object" doc:"What it is about."`
	Text     string     `json:"text" doc:"The message as text." example:"Invoice T-000001"`
	HTML     string     `json:"html" doc:"The message as self-contained HTML." example:"<!doctype html>"`
}

// MailObject is the object a message is about.
type MailObject struct {
	Type string `json:"type" enum:"notice,invoice,statement,payout,payment,merchant,checkout,application,order,person" doc:"Kind of the object." example:"invoice"`
	ID   string `json:"id" doc:"ID of the object; for a statement, company and month; for a person, the message's own ID." example:"inv_01KB0A4E7V5N3R1P9M8K6J4H2G"`
}
