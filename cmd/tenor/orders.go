package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tenor/client"
)

type ordersList struct {
	remote
	paging
	Company         int64  `placeholder:"ID" help:"Orders of this company."`
	MerchantOrderID string `name:"merchant-order-id" placeholder:"TEXT" help:"The merchant's own order number."`
	Status          string `help:"CREATED, AUTHORIZED, CAPTURED, CANCELED or RETURNED."`
	Financing       string `help:"NONE, ACTIVE, PAID_OFF, OVERDUE or CHARGED_OFF."`
	CreatedFrom     string `placeholder:"DATE" help:"Created on or after this business date."`
	CreatedTo       string `placeholder:"DATE" help:"Created on or before this business date."`
	CapturedFrom    string `placeholder:"DATE" help:"Captured on or after this date."`
	CapturedTo      string `placeholder:"DATE" help:"Captured on or before this date."`
}

// Examples are shown by -h.
func (ordersList) Examples() []string {
	return []string{"orders list", "orders list --status CAPTURED --financing OVERDUE", "orders list --company 1000000001 --json"}
}

// Run is called by the parser.
func (c *ordersList) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.ListOrders(ctx, client.OrderFilter{
		CompanyID: c.Company, MerchantOrderID: c.MerchantOrderID, Status: strings.ToUpper(c.Status), FinancingStatus: strings.ToUpper(c.Financing),
		CreatedFrom: c.CreatedFrom, CreatedTo: c.CreatedTo, CapturedFrom: c.CapturedFrom, CapturedTo: c.CapturedTo,
	}, c.at(), client.Record(&raw))
	if err != nil {
		return err
	}
	t := newTable("KEY", "NUMBER", "COMPANY", ">AMOUNT", "STATUS", "FINANCING", "CREATED")
	return page(c.output, a, raw, p, func(o *client.Order) string { return o.Key }, t, func(o *client.Order) {
		t.row(o.Key, dash(o.MerchantOrderID), strconv.FormatInt(o.CompanyID, 10), dollars(o.Amount), o.Status, o.FinancingStatus, instant(&o.CreatedAt))
	})
}

// orderKeyed is a command about one order.
type orderKeyed struct {
	Key string `arg:"" help:"Key of the order: ord_…"`
}

type orderGet struct {
	remote
	orderKeyed
}

// Examples are shown by -h.
func (orderGet) Examples() []string {
	return []string{"orders get ord_…", "orders get ord_… --json"}
}

// Run is called by the parser.
func (c *orderGet) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	o, err := api.Order(ctx, c.Key, client.Record(&raw))
	if err != nil {
		return err
	}
	return c.result(a, raw, o.Key, func() error { return printOrder(a, o) })
}

func printOrder(a *app, o *client.Order) error {
	pairs := []string{
		"key", o.Key, "number", o.MerchantOrderID, "company", strconv.FormatInt(o.CompanyID, 10), "status", o.Status, "financing", o.FinancingStatus,
		"amount", dollars(o.Amount),
	}
	if o.Installments > 0 {
		pairs = append(pairs, "installments", strconv.Itoa(o.Installments))
	}
	if t := o.Terms; t != nil {
		pairs = append(pairs, "terms", fmt.Sprintf("%s, finance charge %s, total %s, APR %s%%", t.Plan, dollars(t.FinanceCharge), dollars(t.TotalOfPayments), t.APR),
			"first due", t.FirstDueDate)
	}
	if o.Status == "AUTHORIZED" {
		pairs = append(pairs, "expires", instant(o.AuthorizationExpiresAt))
	}
	if o.CaptureDate != "" {
		pairs = append(pairs, "captured", dollars(o.CapturedAmount)+" on "+o.CaptureDate, "refunded", dollars(o.RefundedAmount), "refundable", dollars(o.RefundableAmount))
	}
	pairs = append(pairs, "cancel reason", o.CancelReason, "invoice", o.InvoiceID, "parent", o.ParentKey, "created", instant(&o.CreatedAt), "version", strconv.Itoa(o.Version))
	return facts(a.out, pairs...)
}

// nameOf is what people call an order: the merchant's number, or its key.
func nameOf(o *client.Order) string {
	if o.MerchantOrderID != "" {
		return clean(o.MerchantOrderID)
	}
	return o.Key
}

type orderPayoff struct {
	remote
	orderKeyed
	Date string `placeholder:"DATE" help:"Day on which the money would count; absent: a week from today."`
}

// Examples are shown by -h.
func (orderPayoff) Examples() []string { return []string{"orders payoff ord_… --date 2026-04-01"} }

// Run is called by the parser.
func (c *orderPayoff) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.Payoff(ctx, c.Key, c.Date, client.Record(&raw))
	if err != nil {
		return err
	}
	return c.result(a, raw, string(p.Amount), func() error {
		return facts(a.out, "order", p.OrderKey, "payoff", dollars(p.Amount), "good through", p.GoodThrough, "principal", dollars(p.Principal),
			"finance charge", dollars(p.FinanceCharge), "fees", dollars(p.Fees), "each day more", dollars(p.PerDiem))
	})
}

type orderEventsList struct {
	remote
	orderKeyed
	paging
}

// Examples are shown by -h.
func (orderEventsList) Examples() []string { return []string{"orders events ord_…"} }

// Run is called by the parser.
func (c *orderEventsList) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.OrderEvents(ctx, c.Key, c.at(), client.Record(&raw))
	if err != nil {
		return err
	}
	t := newTable(">SEQUENCE", "AT", "TYPE", "ID", "REQUEST")
	return page(c.output, a, raw, p, func(e *client.Event) string { return e.ID }, t, func(e *client.Event) {
		t.row(strconv.FormatInt(e.Sequence, 10), instant(&e.CreatedAt), e.Type, e.ID, dash(e.Request.ID))
	})
}
