package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// PayAccount is where a merchant is paid, and whether it is.
type PayAccount struct {
	Bank       *BankAccount    `json:"bank"`
	Debits     bool            `json:"debits"`
	Contact    string          `json:"contact_email"` // who is written to when the account is to change; "" if nobody is known
	Pending    *PendingAccount `json:"pending"`       // another account or contact that waits to take its place
	HeldReason string          `json:"held_reason"`
}

// PendingAccount is an account that a merchant is to be paid to from a day on.
type PendingAccount struct {
	Bank          *BankAccount `json:"bank"`
	Contact       string       `json:"contact_email"`
	AskedBy       string       `json:"asked_by"`
	AskedAt       time.Time    `json:"asked_at"`
	EffectiveFrom string       `json:"effective_from"` // first banking day on which it may take effect
	NeedsSecond   bool         `json:"needs_second"`   // another client of the lender has to confirm it
	ConfirmedBy   string       `json:"confirmed_by"`   // the client that has; "" if none has
}

// MerchantAccountRequest sets where a merchant is paid.
type MerchantAccountRequest struct {
	RoutingNumber string `json:"routing_number"`
	AccountNumber string `json:"account_number"`
	AccountType   string `json:"account_type,omitempty"`
	HolderName    string `json:"holder_name"`
	Debits        bool   `json:"debits"` // the agreement lets clawbacks be debited
	// Contact is the address to which is written when the account, or this address, is to
	// change; "": as it is.
	Contact string `json:"contact_email,omitempty"`
}

// Remittance is money that a merchant has sent for what it had collected.
type Remittance struct {
	Raw
	MerchantID string  `json:"merchant_id"`
	Amount     Amount  `json:"amount"`
	Currency   string  `json:"currency"`
	Reference  string  `json:"reference"`
	Entries    []Entry `json:"entries"`
}

// Transfer is one instruction to a bank or a card processor.
type Transfer struct {
	Raw
	ID              string     `json:"id"`
	Rail            string     `json:"rail"`
	Kind            string     `json:"kind"`
	CompanyID       int64      `json:"company_id"`
	MerchantID      string     `json:"merchant_id"`
	PaymentID       string     `json:"payment_id"`
	RefundID        string     `json:"refund_id"`
	PayoutID        string     `json:"payout_id"`
	PaymentMethodID string     `json:"payment_method_id"`
	Debit           bool       `json:"debit"` // it takes from the other side
	Amount          Amount     `json:"amount"`
	Currency        string     `json:"currency"`
	Description     string     `json:"description"`
	Status          string     `json:"status"`
	SendOn          string     `json:"send_on"`
	SettlesOn       string     `json:"settles_on"`
	ReleaseOn       string     `json:"release_on"`
	ReturnCode      string     `json:"return_code"`
	Reference       string     `json:"reference"`
	CreatedAt       time.Time  `json:"created_at"`
	UpdatedAt       time.Time  `json:"updated_at"`
	SentAt          *time.Time `json:"sent_at"`
	SettledAt       *time.Time `json:"settled_at"`
}

// TransferFilter narrows a list of transfers.
type TransferFilter struct {
	CompanyID                           int64
	MerchantID, PaymentID, Rail, Status string
}

// Notice is the record of what a company must be told of: an adverse action, or the reasons
// of one that it has asked for.
type Notice struct {
	Raw
	ID         string     `json:"id"`
	Kind       string     `json:"kind"`
	Asked      string     `json:"asked_notice_id"` // of FURTHER_REASONS the notice that it was asked on
	CompanyID  int64      `json:"company_id"`
	ActionAt   time.Time  `json:"action_at"`
	ClockStart string     `json:"clock_start"`
	DueOn      string     `json:"due_on"`
	SentAt     *time.Time `json:"sent_at"`
	Channel    string     `json:"channel"`
	Reasons    []string   `json:"reasons"`
	Evidence   string     `json:"evidence"`
	Late       bool       `json:"late"` // sent after DueOn: a breach
	// What it said when it was sent; nil and 0 until then.
	Creditor  *Party `json:"creditor"`
	Contact   string `json:"contact"`
	Regulator *Party `json:"regulator"`
	ECOAText  int    `json:"ecoa_text_version"`
	// When what it said was erased; nil until then.
	ErasedAt *time.Time `json:"erased_at"`
}

type because struct {
	Reason string `json:"reason"`
}

func merchantAt(id string, more ...string) string {
	return at(append([]string{"v1", "operator", "merchants", id}, more...)...)
}

func operatorOrder(key string, more ...string) string {
	return at(append([]string{"v1", "operator", "orders", key}, more...)...)
}

// SetMerchantAccount sets where a merchant is paid.
func (c *Client) SetMerchantAccount(ctx context.Context, merchant string, a MerchantAccountRequest, options ...Option) (*Merchant, error) {
	return send[Merchant](ctx, c, http.MethodPut, merchantAt(merchant, "bank_account"), a, options)
}

// MerchantLimitsRequest sets both limits of a merchant; what is not said takes its default.
type MerchantLimitsRequest struct {
	Exposure  Amount `json:"exposure,omitempty"`
	Unlimited bool   `json:"unlimited,omitempty"` // there is no limit of the exposure
	Due       Amount `json:"due,omitempty"`
	Reason    string `json:"reason"`
}

// SetMerchantLimits sets what the lender may stand to lose by a merchant.
func (c *Client) SetMerchantLimits(ctx context.Context, merchant string, r MerchantLimitsRequest, options ...Option) (*Merchant, error) {
	return send[Merchant](ctx, c, http.MethodPut, merchantAt(merchant, "limits"), r, options)
}

// MerchantShopRequest sets all origins of a merchant's pages, such as https://shop.example,
// and how it shows itself. What is nil stays; what is "", or an empty picture, is taken away.
type MerchantShopRequest struct {
	Origins      []string
	SupportEmail *string
	SupportPhone *string
	TermsURL     *string
	AccentColor  *string // #rrggbb
	Logo         []byte  // PNG or JPEG
	Reason       string
}

// MarshalJSON writes what is taken away as null.
func (r MerchantShopRequest) MarshalJSON() ([]byte, error) {
	out := map[string]any{"origins": append([]string{}, r.Origins...), "reason": r.Reason}
	for name, text := range map[string]*string{
		"support_email": r.SupportEmail, "support_phone": r.SupportPhone, "terms_url": r.TermsURL, "accent_color": r.AccentColor,
	} {
		switch {
		case text == nil:
		case *text == "":
			out[name] = nil
		default:
			out[name] = *text
		}
	}
	switch {
	case len(r.Logo) > 0:
		out["logo"] = r.Logo // in Base64
	case r.Logo != nil:
		out["logo"] = nil
	}
	return json.Marshal(out)
}

// SetMerchantShop sets where a merchant sells, its checkouts in live mode lead nowhere else,
// and how it shows itself to buyers.
func (c *Client) SetMerchantShop(ctx context.Context, merchant string, r MerchantShopRequest, options ...Option) (*Merchant, error) {
	return send[Merchant](ctx, c, http.MethodPut, merchantAt(merchant, "shop"), r, options)
}

// ConfirmMerchantAccount confirms a change of where a merchant is paid, that another client
// has asked for.
func (c *Client) ConfirmMerchantAccount(ctx context.Context, merchant string, options ...Option) (*Merchant, error) {
	return send[Merchant](ctx, c, http.MethodPost, merchantAt(merchant, "bank_account", "confirm"), nil, options)
}

// CancelMerchantAccount ends a change of where a merchant is paid, before it has taken effect.
func (c *Client) CancelMerchantAccount(ctx context.Context, merchant, reason string, options ...Option) (*Merchant, error) {
	return send[Merchant](ctx, c, http.MethodPost, merchantAt(merchant, "bank_account", "cancel"), because{reason}, options)
}

// HoldPayouts keeps a merchant's payouts back.
func (c *Client) HoldPayouts(ctx context.Context, merchant, reason string, options ...Option) (*Merchant, error) {
	return send[Merchant](ctx, c, http.MethodPost, merchantAt(merchant, "payouts", "hold"), because{reason}, options)
}

// ReleasePayouts lets a merchant's payouts go.
func (c *Client) ReleasePayouts(ctx context.Context, merchant string, options ...Option) (*Merchant, error) {
	return send[Merchant](ctx, c, http.MethodPost, merchantAt(merchant, "payouts", "release"), struct{}{}, options)
}

// RemitCollected records money that a merchant has sent for what it had collected.
func (c *Client) RemitCollected(ctx context.Context, merchant string, amount Amount, reference string, options ...Option) (*Remittance, error) {
	body := struct {
		Amount    Amount `json:"amount"`
		Reference string `json:"reference,omitempty"`
	}{amount, reference}
	return send[Remittance](ctx, c, http.MethodPost, merchantAt(merchant, "remittances"), body, options)
}

// PayClawback records money that a merchant has sent for clawbacks.
func (c *Client) PayClawback(ctx context.Context, merchant string, amount Amount, reference string, options ...Option) (*Remittance, error) {
	body := struct {
		Amount    Amount `json:"amount"`
		Reference string `json:"reference,omitempty"`
	}{amount, reference}
	return send[Remittance](ctx, c, http.MethodPost, merchantAt(merchant, "clawback_payments"), body, options)
}

// HoldOrder puts an order on dispute hold for some days; with 0 it ends the hold.
func (c *Client) HoldOrder(ctx context.Context, order string, days int, reason string, options ...Option) (*Order, error) {
	body := struct {
		Days   int    `json:"days"`
		Reason string `json:"reason"`
	}{days, reason}
	return send[Order](ctx, c, http.MethodPost, operatorOrder(order, "hold"), body, options)
}

// ReverseChargeOff lets an order be as if it had never been charged off.
func (c *Client) ReverseChargeOff(ctx context.Context, order, reason string, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodPost, operatorOrder(order, "charge_off", "reverse"), because{reason}, options)
}

// RescheduleOrder moves the due date of an installment, YYYY-MM-DD, and of all after it.
func (c *Client) RescheduleOrder(ctx context.Context, order string, installment int, due, reason string, options ...Option) (*Order, error) {
	body := struct {
		Installment int    `json:"installment"`
		DueDate     string `json:"due_date"`
		Reason      string `json:"reason"`
	}{installment, due, reason}
	return send[Order](ctx, c, http.MethodPost, operatorOrder(order, "schedule"), body, options)
}

// ReamortizeOrder spreads what is unpaid over the installments left.
func (c *Client) ReamortizeOrder(ctx context.Context, order, reason string, options ...Option) (*Order, error) {
	body := struct {
		Reamortize bool   `json:"reamortize"`
		Reason     string `json:"reason"`
	}{true, reason}
	return send[Order](ctx, c, http.MethodPost, operatorOrder(order, "schedule"), body, options)
}

// ChargeOffOrder charges an order off.
func (c *Client) ChargeOffOrder(ctx context.Context, order, reason string, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodPost, operatorOrder(order, "charge_off"), because{reason}, options)
}

// WaiveFee waives what is unpaid of a fee.
func (c *Client) WaiveFee(ctx context.Context, order, fee, reason string, options ...Option) (*Order, error) {
	return send[Order](ctx, c, http.MethodPost, operatorOrder(order, "fees", fee, "waive"), because{reason}, options)
}

// ListTransfers returns one page of transfers, newest first.
func (c *Client) ListTransfers(ctx context.Context, f TransferFilter, p Paging, options ...Option) (*Page[Transfer], error) {
	q := query{}
	q.number("company_id", f.CompanyID)
	q.text("merchant_id", f.MerchantID)
	q.text("payment_id", f.PaymentID)
	q.text("rail", f.Rail)
	q.text("status", f.Status)
	q.paging(p)
	return list[Transfer](ctx, c, "/v1/operator/transfers", q, options)
}

// Transfers walks all transfers, newest first.
func (c *Client) Transfers(ctx context.Context, f TransferFilter) iter.Seq2[*Transfer, error] {
	return each(func(p Paging) (*Page[Transfer], error) { return c.ListTransfers(ctx, f, p) })
}

// SendSameDay lets a transfer that waits for today's file settle on the same day. It takes
// the lender's token.
func (c *Client) SendSameDay(ctx context.Context, transfer, reason string, options ...Option) (*Transfer, error) {
	return send[Transfer](ctx, c, http.MethodPost, at("v1", "operator", "transfers", transfer, "same_day"), because{reason}, options)
}

// NoticeFilter narrows a list of notices.
type NoticeFilter struct {
	CompanyID int64
	State     string // unsent due_soon overdue late
}

// ListNotices returns one page of notices, newest first.
func (c *Client) ListNotices(ctx context.Context, f NoticeFilter, p Paging, options ...Option) (*Page[Notice], error) {
	q := query{}
	q.number("company_id", f.CompanyID)
	q.text("state", f.State)
	q.paging(p)
	return list[Notice](ctx, c, "/v1/operator/notices", q, options)
}

// Notice returns one notice.
func (c *Client) Notice(ctx context.Context, id string, options ...Option) (*Notice, error) {
	return send[Notice](ctx, c, http.MethodGet, at("v1", "operator", "notices", id), nil, options)
}

// SendNotice records that a notice was sent, by MAIL, EMAIL or PORTAL.
func (c *Client) SendNotice(ctx context.Context, id, channel, evidence string, options ...Option) (*Notice, error) {
	body := struct {
		Channel  string `json:"channel"`
		Evidence string `json:"evidence"`
	}{channel, evidence}
	return send[Notice](ctx, c, http.MethodPost, at("v1", "operator", "notices", id, "sent"), body, options)
}

// RequestReasons records that a company has asked, on the day received, for the reasons of
// the action that a notice told of. Without reasons those of the notice are to be given.
// It returns the notice that is due now.
func (c *Client) RequestReasons(ctx context.Context, id, received string, reasons []string, options ...Option) (*Notice, error) {
	body := struct {
		Received string   `json:"received_on"`
		Reasons  []string `json:"reasons,omitempty"`
	}{received, reasons}
	return send[Notice](ctx, c, http.MethodPost, at("v1", "operator", "notices", id, "reasons"), body, options)
}
