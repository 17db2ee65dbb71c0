package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Order is one financed purchase.
type Order struct {
	Key                       string            `json:"key" doc:"Identifier of the order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	CompanyID                 int64             `json:"company_id" doc:"The company that buys." example:"4821073356"`
	MerchantOrderID           *string           `json:"merchant_order_id" nullable:"true" maxLength:"100" doc:"The merchant's order number, unique among its orders that are not CANCELED." example:"PO-10042"`
	Amount                    money.Amount      `json:"amount" doc:"Amount to finance; final once captured." example:"1200.00"`
	Status                    string            `json:"status" enum:"CREATED,AUTHORIZED,CAPTURED,CANCELED,RETURNED" doc:"Status." example:"CAPTURED"`
	Installments              *int              `json:"installments" nullable:"true" minimum:"1" maximum:"36" doc:"Number of installments; null until chosen." example:"6"`
	CaptureDate               *calendar.Date    `json:"capture_date" nullable:"true" doc:"Business date of the capture; null before." example:"2026-01-15"`
	ExternallyManagedPayments bool              `json:"externally_managed_payments" doc:"Whether the merchant collects the payments itself." example:"false"`
	CreatedAt                 time.Time         `json:"created_at" doc:"When the order was created." example:"2026-01-12T15:04:05.123456Z"`
	Currency                  string            `json:"currency" enum:"USD" doc:"ISO 4217 code of every amount of the order." example:"USD"`
	Terms                     *Terms            `json:"terms" nullable:"true" doc:"Terms fixed at authorization; null before. Until capture, the figures assume a capture on the day of authorization."`
	AuthorizedAmount          money.Amount      `json:"authorized_amount" doc:"The last reservation, less partial captures; 0.00 before authorization." example:"1200.00"`
	CapturedAmount            money.Amount      `json:"captured_amount" doc:"Captured amount; 0.00 before." example:"1200.00"`
	RefundedAmount            money.Amount      `json:"refunded_amount" doc:"Sum of the refunds." example:"300.00"`
	RefundableAmount          money.Amount      `json:"refundable_amount" doc:"captured_amount less refunded_amount." example:"900.00"`
	AuthorizationExpiresAt    *time.Time        `json:"authorization_expires_at" nullable:"true" doc:"When the authorization expires or would have expired; null before authorization." example:"2026-02-11T15:04:05.123456Z"`
	AuthorizedAt              *time.Time        `json:"authorized_at" nullable:"true" doc:"When the order was authorized." example:"2026-01-12T15:04:05.123456Z"`
	CanceledAt                *time.Time        `json:"canceled_at" nullable:"true" doc:"When the order was canceled." example:"2026-01-13T09:30:00Z"`
	ReturnedAt                *time.Time        `json:"returned_at" nullable:"true" doc:"When refunds reached the captured amount." example:"2026-04-01T14:00:00Z"`
	UpdatedAt                 time.Time         `json:"updated_at" doc:"When version last increased." example:"2026-04-01T14:00:00Z"`
	CancelReason              *string           `json:"cancel_reason" nullable:"true" enum:"merchant_canceled,buyer_canceled,authorization_expired,company_not_eligible,fraud" doc:"Why the order was canceled." example:"merchant_canceled"`
	CartItems                 []CartItem        `json:"cart_items" doc:"The cart, for information; it does not affect amounts."`
	Charges                   *Charges          `json:"charges" nullable:"true" doc:"The shop's totals, as sent."`
	ShippingAddress           *Address          `json:"shipping_address" nullable:"true" doc:"Shipping address."`
	BillingAddress            *Address          `json:"billing_address" nullable:"true" doc:"Billing address."`
	MerchantStatus            *string           `json:"merchant_status" nullable:"true" doc:"Status text of the shop." example:"packed"`
	Metadata                  map[string]string `json:"metadata" maxLength:"500" doc:"Merchant metadata, string to string." example:"{\"warehouse\":\"7\"}"`
	Refunds                   []Refund          `json:"refunds" doc:"Refunds by the merchant, oldest first."`
	InvoiceID                 *string           `json:"invoice_id" nullable:"true" doc:"The invoice issued at capture." example:"inv_01KB0A4E7V5N3R1P9M8K6J4H2G"`
	ParentKey                 *string           `json:"parent_key" nullable:"true" doc:"The order this one is a partial capture of." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	CheckoutID                *string           `json:"checkout_id" nullable:"true" doc:"The hosted checkout that created the order." example:"chk_01KAG7N5B3D1F9H7K5M3P1R9T7"`
	FinancingStatus           string            `json:"financing_status" enum:"NONE,ACTIVE,PAID_OFF,OVERDUE,CHARGED_OFF" doc:"Status of the loan." example:"ACTIVE"`
	CollectionStopped         bool              `json:"collection_stopped" doc:"Whether items of the order need review by the lender because autopay no longer collects them: retries are used up or too late, the money was refunded, or autopay could not collect the last one." example:"false"`
	Autopay                   bool              `json:"autopay" doc:"Whether the company's autopay, if on, includes this order; false once turned off for the order." example:"true"`
	Version                   int               `json:"version" minimum:"1" doc:"Increases by 1 with each command that changes the order; in quotes, it is the ETag." example:"4"`
}

// Terms are the terms fixed at authorization.
type Terms struct {
	Plan            string         `json:"plan" enum:"NET30,ZERO,AMORTIZED,FLAT_FEE" doc:"The kind of schedule." example:"AMORTIZED"`
	AnnualRate      money.Rate     `json:"annual_rate" doc:"Annual rate of an AMORTIZED plan as a fraction." example:"0.120000"`
	MonthlyFeeRate  money.Rate     `json:"monthly_fee_rate" doc:"Monthly fee of a FLAT_FEE plan as a fraction of the amount." example:"0.000000"`
	Installments    int            `json:"installments" minimum:"1" maximum:"36" doc:"Number of installments." example:"6"`
	FirstDueDate    *calendar.Date `json:"first_due_date" nullable:"true" doc:"Due date of the first installment; null until captured." example:"2026-02-15"`
	FinanceCharge   money.Amount   `json:"finance_charge" doc:"Sum of the finance charge if every payment is made on its due date." example:"42.35"`
	TotalOfPayments money.Amount   `json:"total_of_payments" doc:"Sum of the installments." example:"1242.35"`
	APR             string         `json:"apr" pattern:"^[0-9]+\\.[0-9]{2}$" doc:"Annual percentage rate, in percent." example:"12.00"`
}

// CartItem is one line of a cart.
type CartItem struct {
	MerchantID string       `json:"merchant_id" doc:"The product's identifier at the merchant." example:"prod-771"`
	Name       string       `json:"name" doc:"Display name." example:"Steel shelf, 5 boards"`
	Price      money.Amount `json:"price" doc:"Price of one unit." example:"300.00"`
	SKU        *string      `json:"sku" nullable:"true" doc:"Stock keeping unit." example:"SHELF-5-GREY"`
	Quantity   *int         `json:"quantity" nullable:"true" minimum:"1" doc:"Number of units." example:"4"`
	Size       *string      `json:"size" nullable:"true" doc:"Size." example:"180 x 90"`
	Color      *string      `json:"color" nullable:"true" doc:"Color." example:"grey"`
}

// Charges are the shop's own totals.
type Charges struct {
	Total          money.Amount `json:"total" doc:"Sum of the cart." example:"1200.00"`
	Shipping       money.Amount `json:"shipping" doc:"Shipping." example:"0.00"`
	Tax            money.Amount `json:"tax" doc:"Tax." example:"0.00"`
	DiscountAmount money.Amount `json:"discount_amount" doc:"Discount, as a positive amount." example:"0.00"`
	GrandTotal     money.Amount `json:"grand_total" doc:"Total the buyer owes; the order's amount when sent." example:"1200.00"`
}

// Address is a shipping or billing address of an order: a company's address plus a
// recipient. A company's address has no second line, so address2 keeps the name that shops
// use.
type Address struct {
	FirstName   *string `json:"first_name" nullable:"true" doc:"First name." example:"Ada"`
	LastName    *string `json:"last_name" nullable:"true" doc:"Last name." example:"Marsh"`
	CompanyName *string `json:"company_name" nullable:"true" doc:"Name of the business." example:"Marsh & Daughters LLC"`
	Email       *string `json:"email" nullable:"true" format:"email" doc:"E-mail address." example:"ada@marsh.example"`
	PhoneNumber *string `json:"phone_number" nullable:"true" doc:"Phone number." example:"+1 212 555 0142"`
	Street      *string `json:"street" nullable:"true" doc:"Street and number." example:"12 Canal St"`
	Address2    *string `json:"address2" nullable:"true" doc:"Floor, suite." example:"Suite 4"`
	City        *string `json:"city" nullable:"true" doc:"City." example:"New York"`
	State       *string `json:"state" nullable:"true" doc:"State." example:"NY"`
	PostalCode  *string `json:"postal_code" nullable:"true" doc:"Postal code." example:"10013"`
	Country     *string `json:"country" nullable:"true" doc:"Country." example:"US"`
}

// Refund is one refund of an order by its merchant.
type Refund struct {
	ID        string       `json:"id" doc:"Identifier of the refund." example:"rfd_01KN4C8D2F6H0K4M8P2R6T0V4X"`
	Amount    money.Amount `json:"amount" doc:"Refunded amount." example:"300.00"`
	Reason    *string      `json:"reason" nullable:"true" doc:"Reason given by the merchant." example:"one shelf returned"`
	Reference *string      `json:"reference" nullable:"true" maxLength:"100" doc:"The merchant's reference for the refund, unique within the order." example:"RMA-88"`
	CreatedAt time.Time    `json:"created_at" doc:"When the refund was made." example:"2026-04-01T14:00:00Z"`
	Items     []RefundItem `json:"items" doc:"Returned items as given by the merchant, for information; they do not affect amounts."`
}

// RefundItem is an item of an order that was returned.
type RefundItem struct {
	SKU        *string `json:"sku" nullable:"true" doc:"Stock keeping unit." example:"SHELF-1"`
	MerchantID *string `json:"merchant_id" nullable:"true" doc:"The product's identifier at the merchant." example:"sku-100"`
	Quantity   int     `json:"quantity" minimum:"1" doc:"Quantity returned." example:"1"`
}

// NewOrder returns the resource of an order.
func NewOrder(o *credit.Order) Order {
	return Order{
		Key: o.Key, CompanyID: o.Company, MerchantOrderID: textIn(&o.MerchantOrderID), Amount: o.Amount,
		Status: string(o.Status), Installments: countIn(&o.Installments), CaptureDate: dateIn(&o.CaptureDate),
		ExternallyManagedPayments: o.External, CollectionStopped: o.Waits(), Autopay: !o.Servicing.NoAutopay, CreatedAt: instant(o.CreatedAt), Currency: string(o.Currency),
		Terms: newTerms(o.Terms), AuthorizedAmount: o.Authorized, CapturedAmount: o.Captured,
		RefundedAmount: o.Refunded, RefundableAmount: o.Captured.Sub(o.Refunded),
		AuthorizationExpiresAt: instantIn(&o.ExpiresAt), AuthorizedAt: instantIn(&o.AuthorizedAt),
		CanceledAt: instantIn(&o.CanceledAt), ReturnedAt: instantIn(&o.ReturnedAt), UpdatedAt: instant(o.UpdatedAt),
		CancelReason: textIn(&o.CancelReason), CartItems: convert(o.Cart, newCartItem), Charges: newCharges(o.Charges),
		ShippingAddress: newAddress(o.Shipping), BillingAddress: newAddress(o.Billing),
		MerchantStatus: textIn(&o.MerchantStatus), Metadata: o.Metadata, Refunds: convert(o.Refunds, newRefund),
		InvoiceID: textIn(&o.Invoice), ParentKey: textIn(&o.Parent), CheckoutID: textIn(&o.Checkout),
		FinancingStatus: string(o.Financing), Version: o.Version,
	}
}

func newTerms(t *credit.OrderTerms) *Terms {
	if t == nil {
		return nil
	}
	return &Terms{
		Plan: string(t.Plan), AnnualRate: t.AnnualRate, MonthlyFeeRate: t.MonthlyFeeRate, Installments: t.Installments,
		FirstDueDate: dateIn(&t.FirstDueDate), FinanceCharge: t.FinanceCharge, TotalOfPayments: t.TotalOfPayments,
		APR: percent(t.APR),
	}
}

// percent formats hundredths of a percent: 1200 is "12.00".
func percent(hundredths int64) string { return money.Amount(hundredths).String() }

func newCartItem(i *credit.CartItem) CartItem {
	return CartItem{
		MerchantID: i.MerchantID, Name: i.Name, Price: i.Price, SKU: textIn(&i.SKU), Quantity: countIn(&i.Quantity),
		Size: textIn(&i.Size), Color: textIn(&i.Color),
	}
}

func newCharges(c *credit.Charges) *Charges { return (*Charges)(c) }

func newAddress(a *credit.Address) *Address {
	if a == nil {
		return nil
	}
	return &Address{
		FirstName: textIn(&a.FirstName), LastName: textIn(&a.LastName), CompanyName: textIn(&a.CompanyName),
		Email: textIn(&a.Email), PhoneNumber: textIn(&a.PhoneNumber), Street: textIn(&a.Address1),
		Address2: textIn(&a.Address2), City: textIn(&a.City), State: textIn(&a.State), PostalCode: textIn(&a.Zip),
		Country: textIn(&a.Country),
	}
}

func newRefund(r *credit.Refund) Refund {
	return Refund{
		ID: r.ID, Amount: r.Amount, Reason: textIn(&r.Reason), Reference: textIn(&r.Reference), CreatedAt: instant(r.CreatedAt),
		Items: convert(r.Items, newRefundItem),
	}
}

func newRefundItem(i *credit.RefundItem) RefundItem {
	return RefundItem{SKU: textIn(&i.SKU), MerchantID: textIn(&i.MerchantID), Quantity: i.Quantity}
}
