package resource_test

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/outcome"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/resource"
)

// TestMembers compares each resource's members with the agreed list, which is kept here by
// resource and in order.
func TestMembers(t *testing.T) {
	for _, c := range []struct {
		source   string
		resource any
		members  string
	}{
		{"interface document 2, Order", resource.Order{}, `key company_id merchant_order_id amount status installments capture_date
			externally_managed_payments created_at currency terms authorized_amount captured_amount refunded_amount refundable_amount
			authorization_expires_at authorized_at canceled_at returned_at updated_at cancel_reason cart_items charges shipping_address
			billing_address merchant_status metadata refunds invoice_id parent_key checkout_id financing_status collection_stopped autopay version`},
		{"terms", resource.Terms{}, `plan annual_rate monthly_fee_rate installments first_due_date finance_charge total_of_payments apr`},
		{"cart_items", resource.CartItem{}, `merchant_id name price sku quantity size color`},
		{"charges", resource.Charges{}, `total shipping tax discount_amount grand_total`},
		{"addresses, with the names of a company's", resource.Address{}, `first_name last_name company_name email phone_number street address2 city state postal_code country`},
		{"refunds", resource.Refund{}, `id amount reason reference created_at items`},
		{"items of a refund", resource.RefundItem{}, `sku merchant_id quantity`},
		{"interface document 2, Company", resource.Company{}, `id name status phone email billing_address legal_name tax_id_last4 credit_line
			past_due_amount days_past_due unapplied_credit credit_requested_at apply_credit_to_due apply_credit_to_due_at tier status_reason autopay merchants reports agreement created_at updated_at`},
		{"Company, reports (F17)", resource.CompanyReport{}, `kind on reason proposes_on recorded_at`},
		{"interface document 2, billing_address", resource.CompanyAddress{}, `street city state postal_code country`},
		{"credit_line", resource.CreditLine{}, `limit available reserved outstanding on_hold currency`},
		{"status_reason", resource.StatusReason{}, `code message`},
		{"autopay", resource.Autopay{}, `enabled payment_method_id paused`},
		{"Payment", resource.Payment{}, `id company_id order_key invoice_id amount currency status method payment_method_id direction scheduled_date
			effective_date reference external_id memo refunded_amount refundable_amount unapplied_amount allocations refunds failure attempt created_at
			updated_at submitted_at settled_at`},
		{"allocations", resource.Allocation{}, `order_key installment fee finance_charge principal`},
		{"failure", resource.Failure{}, `code message retryable return_code`},
		{"schedule", resource.Schedule{}, `order_key status plan currency principal finance_charge total_amount total_paid
			remaining_balance past_due_amount next_due_date next_due_amount revision dispute_holds installments`},
		{"schedule, installments", resource.Installment{}, `number due_date collection_date amount principal finance_charge fees fee_items
			amount_paid amount_outstanding remaining_balance status paid_at days_past_due`},
		{"Invoice", resource.Invoice{}, `id number order_key company_id merchant_id amount_due amount_paid balance status issued_at
			due_date lines`},
		{"envelope", resource.AnyEvent{}, `id type created_at api_version sequence object data request`},
		{"object", resource.EventObject{}, `type id`},
		{"data", resource.EventData[resource.Order]{}, `object previous_attributes`},
		{"request", resource.EventRequest{}, `id idempotency_key`},
		{"endpoints", resource.Webhook{}, `id kind url description event_types enabled disabled_reason secret previous_secret_until
			created_at updated_at version`},
		{"replay", resource.Resend{}, `id webhook_id event_id from to created_at`},
		{"deliveries", resource.Delivery{}, `id webhook_id event_id event_type object sequence url resend_id state attempts_made
			next_attempt_at last_status last_error created_at finished_at attempts`},
		{"deliveries", resource.Attempt{}, `number at duration_ms status error answer`},
		{"clients", resource.APIClient{}, `id merchant_id name scopes rate_per_minute burst secret previous_secret_until created_at
			updated_at revoked_at managed`},
		{"explain", resource.Explanation{}, `order_key amounts entries`},
		{"explain", resource.ExplainedAmount{}, `name value rule rule_text inputs entries postings unposted`},
		{"payment methods", resource.PaymentMethod{}, `id company_id type status disabled_reason bank card authorization verification verified_by company_consented
			created_at updated_at version`},
		{"payment methods", resource.BankAccount{}, `routing_number last4 account_type holder_type holder_name`},
		{"payment methods", resource.CardAccount{}, `brand last4 exp_month exp_year`},
		{"Payout", resource.PayoutDetail{}, `id merchant_id status date gross discount refunds repaid clawback collected net currency
			failure created_at sent_at settled_at trace_number discount_returned carried lines`},
		{"Payout", resource.PayoutLine{}, `kind order_key source gross discount refunds amount netted due_date`},
		{"sandbox, clock", resource.SandboxClock{}, `now frozen status target progress next_event failed`},
		{"sandbox, snapshots", resource.SandboxSnapshot{}, `id name created_at clock size`},
		{"sandbox, seed", resource.SandboxSeed{}, `merchant_id`},
		{"sandbox, scenarios", resource.SandboxScenario{}, `name purpose`},
		{"lists", resource.List[resource.Order]{}, `data has_more next_cursor`},
		{"dry run", resource.DryRun[resource.Order]{}, `result schedule entries credit_line`},
		{"dry run", resource.CreditLineChange{}, `before after`},
	} {
		var got []string
		eachMember(reflect.TypeOf(c.resource), func(f reflect.StructField, name string) { got = append(got, name) })
		if diff := cmp.Diff(strings.Fields(c.members), got); diff != "" {
			t.Errorf("%T, %s (-want +got):\n%s", c.resource, c.source, diff)
		}
	}
}

// TestEnums compares the contract's values with the domain's.
func TestEnums(t *testing.T) {
	for _, c := range []struct {
		resource any
		member   string
		want     any
	}{
		{resource.Order{}, "status", []credit.OrderStatus{credit.OrderCreated, credit.OrderAuthorized, credit.OrderCaptured, credit.OrderCanceled, credit.OrderReturned}},
		{resource.Order{}, "financing_status", []credit.FinancingStatus{credit.FinancingNone, credit.FinancingActive, credit.FinancingPaidOff, credit.FinancingOverdue, credit.FinancingChargedOff}},
		{resource.Order{}, "currency", []money.Currency{money.USD}},
		{resource.Terms{}, "plan", []schedule.Plan{schedule.Net30, schedule.Zero, schedule.Amortized, schedule.FlatFee}},
		{resource.Term{}, "plan", []schedule.Plan{schedule.Net30, schedule.Zero, schedule.Amortized, schedule.FlatFee}},
		{resource.Schedule{}, "plan", []schedule.Plan{schedule.Net30, schedule.Zero, schedule.Amortized, schedule.FlatFee}},
		{resource.Company{}, "status", []credit.CompanyStatus{credit.CompanyPending, credit.CompanyApproved, credit.CompanyDeclined, credit.CompanyOnHold, credit.CompanySuspended, credit.CompanyClosed}},
		{resource.CompanyReport{}, "kind", []credit.ReportKind{credit.ReportBankruptcy, credit.ReportFraud}},
		{resource.Payment{}, "status", []credit.PaymentStatus{credit.PaymentScheduled, credit.PaymentPending, credit.PaymentSucceeded, credit.PaymentFailed, credit.PaymentPartiallyRefunded, credit.PaymentRefunded, credit.PaymentReturned, credit.PaymentCanceled}},
		{resource.Payment{}, "method", []credit.Method{credit.ACH, credit.Card, credit.Check, credit.Wire, credit.CashM, credit.Other}},
		{resource.PaymentMethod{}, "status", []credit.MethodStatus{credit.MethodUnverified, credit.MethodActive, credit.MethodDisabled}},
		{resource.Payout{}, "status", []credit.PayoutStatus{credit.PayoutPending, credit.PayoutSent, credit.PayoutSettled, credit.PayoutFailed}},
		{resource.PayoutLine{}, "kind", []credit.PayoutLineKind{credit.LineCapture, credit.LineClawback, credit.LineCollected, credit.LineRepaid, credit.LineCarried}},
		{resource.Transfer{}, "kind", []credit.TransferKind{credit.TransferPayment, credit.TransferRefund, credit.TransferCredit, credit.TransferPayout, credit.TransferClawback, credit.TransferPrenote, credit.TransferMicro}},
		{resource.Transfer{}, "status", []credit.TransferStatus{credit.TransferQueued, credit.TransferSent, credit.TransferSettled, credit.TransferFailed, credit.TransferReturned, credit.TransferCanceled}},
		{resource.Notice{}, "kind", []credit.NoticeKind{credit.NoticeLineDecrease, credit.NoticeSuspension, credit.NoticeClosure, credit.NoticeRateIncrease, credit.NoticeFurtherReasons}},
		{resource.Invoice{}, "status", []credit.InvoiceStatus{credit.InvoiceOpen, credit.InvoicePaid, credit.InvoicePastDue, credit.InvoiceVoid}},
		{resource.Webhook{}, "disabled_reason", []string{credit.DisabledByMerchant, credit.DisabledGone}},
		{resource.Delivery{}, "state", []store.DeliveryState{store.DeliveryPending, store.DeliverySucceeded, store.DeliveryParked, store.DeliveryCanceled}},
		{resource.Installment{}, "status", []schedule.RowStatus{schedule.RowUpcoming, schedule.RowDue, schedule.RowPartiallyPaid, schedule.RowPaid, schedule.RowOverdue, schedule.RowCanceled}},
		{resource.Settings{}, "external_funding", []credit.ExternalFunding{credit.Funded, credit.Unfunded}},
		{resource.Settings{}, "acceptance", []credit.Acceptance{credit.MasterAgreement, credit.PerOrder}},
		{resource.Settings{}, "accrual_posting", []credit.AccrualPosting{credit.PeriodEnd, credit.MonthEnd}},
	} {
		var want []string
		for i, v := 0, reflect.ValueOf(c.want); i < v.Len(); i++ {
			want = append(want, v.Index(i).String())
		}
		eachMember(reflect.TypeOf(c.resource), func(f reflect.StructField, name string) {
			if name != c.member {
				return
			}
			if diff := cmp.Diff(want, strings.Split(f.Tag.Get("enum"), ",")); diff != "" {
				t.Errorf("%T.%s (-domain +contract):\n%s", c.resource, name, diff)
			}
		})
	}
}

// TestTags: every member of every resource is documented, states whether it can be null,
// and has a realistic example.
func TestTags(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(of reflect.Type) {
		if seen[of] {
			return
		}
		seen[of] = true
		eachMember(of, func(f reflect.StructField, name string) {
			where := of.Name() + "." + name
			if doc := f.Tag.Get("doc"); doc == "" || !strings.HasSuffix(doc, ".") {
				t.Errorf("%s: doc %q is not a sentence", where, doc)
			}
			if (f.Type.Kind() == reflect.Pointer) != (f.Tag.Get("nullable") == "true") {
				t.Errorf("%s: a member is nullable if and only if it is a pointer", where)
			}
			inner := f.Type
			for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice && inner.Elem().Kind() == reflect.Struct {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct && inner != reflect.TypeFor[time.Time]() {
				visit(inner)
				return
			}
			checkExample(t, where, inner, f.Tag)
		})
	}
	for _, r := range []any{
		resource.Order{}, resource.Company{}, resource.Payment{}, resource.Schedule{}, resource.Payoff{}, resource.Invoice{}, resource.Entry{}, resource.Merchant{},
		resource.List[resource.Order]{}, resource.Event[resource.InstallmentNotice]{}, resource.Event[resource.Clawback]{}, resource.DryRun[resource.Order]{},
		resource.Webhook{}, resource.Resend{}, resource.Delivery{}, resource.APIClient{}, resource.Explanation{},
	} {
		visit(reflect.TypeOf(r))
	}
	if len(seen) < 30 {
		t.Errorf("only %d structs were visited", len(seen))
	}
}

func checkExample(t *testing.T, where string, of reflect.Type, tag reflect.StructTag) {
	example := tag.Get("example")
	if of == reflect.TypeFor[map[string]jsontext.Value]() {
		return
	}
	if enum := tag.Get("enum"); enum != "" && !slices.Contains(strings.Split(enum, ","), example) {
		t.Errorf("%s: example %q is not in the enum", where, example)
	}
	text := example
	switch of {
	case reflect.TypeFor[calendar.Date](), reflect.TypeFor[time.Time](), reflect.TypeFor[money.Rate]():
		text = strconv.Quote(example)
	default:
		if of.Kind() == reflect.String {
			text = strconv.Quote(example)
		}
	}
	if example == "" {
		t.Errorf("%s has no example", where)
	} else if err := json.Unmarshal([]byte(text), reflect.New(of).Interface()); err != nil {
		t.Errorf("%s: example %s: %v", where, text, err)
	}
}

// eachMember calls fn with the members of a struct, including those of embedded ones.
func eachMember(of reflect.Type, fn func(f reflect.StructField, name string)) {
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			eachMember(f.Type, fn)
			continue
		}
		fn(f, name)
	}
}

// TestEventResource: every event that the domain emits has a resource.
func TestEventResource(t *testing.T) {
	for event, want := range map[credit.EventType]any{
		credit.OrderCapturedEvent: resource.Event[resource.Order]{}, credit.AuthorizationExpiring: resource.Event[resource.Order]{},
		credit.PaymentReturnedEvent: resource.Event[resource.Payment]{}, credit.InstallmentPaidEvent: resource.Event[resource.InstallmentNotice]{},
		credit.ScheduleUpdatedEvent: resource.Event[resource.Schedule]{}, credit.CreditLineChangedEvent: resource.Event[resource.Company]{},
		credit.InvoicePastDueEvent: resource.Event[resource.Invoice]{}, credit.ClawbackCreatedEvent: resource.Event[resource.Clawback]{},
		credit.WebhookTestEvent: resource.Event[resource.Webhook]{}, credit.PayoutSettledEvent: resource.Event[resource.Payout]{},
		credit.PaymentScheduledEvent: resource.Event[resource.Payment]{}, credit.PaymentFailedEvent: resource.Event[resource.Payment]{},
		credit.CheckoutAcceptedEvent: resource.Event[resource.Checkout]{}, credit.ApplicationDecidedEvent: resource.Event[resource.Application]{},
	} {
		if got, ok := resource.EventResource(event); !ok || reflect.TypeOf(got) != reflect.TypeOf(want) {
			t.Errorf("%s: got %T, want %T", event, got, want)
		}
	}
	for _, event := range outcome.EventTypes() {
		if _, ok := resource.EventResource(event); !ok {
			t.Errorf("%s has no resource", event)
		}
	}
	if got, ok := resource.EventResource("nothing.vanished"); ok {
		t.Errorf("nothing.vanished: got %T", got)
	}
}

// TestAllocations bounds the cost of encoding on every write; unlike time, it does not
// depend on the machine.
func TestAllocations(t *testing.T) {
	o := sampleOrder()
	n := testing.AllocsPerRun(100, func() {
		w := resource.NewOrder(o)
		if _, err := resource.Encode(&w); err != nil {
			t.Fatal(err)
		}
	})
	if n > 16 {
		t.Errorf("an order takes %v allocations, at most 16 are allowed", n)
	}
}
