package contracttest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/rest"
)

// unreached are the documented statuses that no in-process request can get, each with the reason.
// If one is returned after all, the test fails: the list stays true.
var unreached = map[string]string{}

// wants are requests for statuses that need a particular state, keyed by operation and status.
var wants = map[string]func(w *world, r request) request{
	"getPayoff 409": func(w *world, r request) request { r.object = w.order(w.a, false, false); return r },
	"reconcile 413": func(_ *world, r request) request { r.length = 64<<20 + 1; return r },
	"reconcile 422": func(_ *world, r request) request { r.body = "[{}]"; return r },
	"authorizePaymentMethod 200": func(w *world, r request) request {
		r.body = fmt.Sprintf(`{"channel":"WEB","accepted_at":%q}`, w.business().Format(time.RFC3339))
		return r
	},
	"updateCompany 202": func(_ *world, r request) request {
		r.body = `{"tier":"B","reason":"reviewed","reasons":["credit_score"]}`
		return r
	},
	"setCreditLine 202": func(_ *world, r request) request { r.body = `{"limit":9500000,"reason":"audited accounts"}`; return r },
	"closePeriod 202":   func(_ *world, r request) request { r.body = `{"month":"2026-02"}`; return r }, // the one before is closed by now
	"releasePayouts 202": func(w *world, r request) request {
		w.act("", merchants.HoldPayouts{Merchant: r.object, Reason: "under review"})
		return r
	},
	"approve 412": func(w *world, r request) request {
		r.object = w.staleApproval()
		return r
	},
	"addPaymentMethod 202": func(_ *world, r request) request {
		r.body = strings.Replace(r.body, "{", `{"reason":"voided check on file",`, 1)
		return r
	},
	"setMerchantAccount 422":     func(_ *world, r request) request { r.body = "{}"; return r },
	"setMerchantShop 422":        func(_ *world, r request) request { r.body = `{"origins":["shop"],"reason":"x"}`; return r },
	"setMerchantLimits 422":      func(_ *world, r request) request { r.body = `{"exposure":5,"unlimited":true,"reason":"x"}`; return r },
	"confirmMerchantAccount 200": changing,
	"cancelMerchantAccount 200":  changing,
	"putBankLines 422":           func(_ *world, r request) request { r.body = `{"lines":[]}`; return r },
	"createBankMatch 201":        func(w *world, r request) request { r.body = lineIDs(w.cancelingLines()); return r },
	"createBankMatch 422":        func(w *world, r request) request { r.body = lineIDs([]string{w.bankLine()}); return r },
	"undoBankMatch 422":          func(_ *world, r request) request { r.body = "[]"; return r },
	"createBankMatch 409":        func(w *world, r request) request { r.body = lineIDs(w.matchedLines()); return r },
	"reviewBankNotice 422":       func(_ *world, r request) request { r.body = "{}"; return r },
	"assignBankLine 422":         func(_ *world, r request) request { r.body = "{}"; return r },
	"assignEntry 422":            func(_ *world, r request) request { r.body = "{}"; return r },
	"getDisclosure 409":          func(w *world, r request) request { r.object = w.open(0); return r },
	"createCheckout 200": func(w *world, r request) request {
		r.body = `{"amount":1200,"remote_id":"cart-8812","return_url":"https://shop.example/","cancel_url":"https://shop.example/"}`
		w.send(r)
		return r
	},
	"createCheckout 404": func(_ *world, r request) request {
		r.body = `{"amount":1200,"company_id":` + nobodys(company) + `,"return_url":"https://shop.example/","cancel_url":"https://shop.example/"}`
		return r
	},
	"createCase 422":             func(_ *world, r request) request { r.body = "{}"; return r },
	"addCaseDocument 413":        func(_ *world, r request) request { r.length = 10<<20 + 1; return r },
	"prequalify 422":             func(_ *world, r request) request { r.body = "{}"; return r },
	"addApplicationDocument 413": func(_ *world, r request) request { r.length = 10<<20 + 1; return r },
	"setMerchantShop 413":        func(_ *world, r request) request { r.length = 2<<20 + 1; return r },
	"recordPaperSignature 413":   func(_ *world, r request) request { r.length = 32 << 20; return r },
	"getSchedule 409":            func(w *world, r request) request { r.object = w.open(0); return r },
	"getNotice 200":              func(w *world, r request) request { w.lender("Harbor Credit"); return r },
	"getApplicationNotice 409":   func(w *world, r request) request { w.lender(""); return r },
	"getNotice 409": func(w *world, r request) request {
		w.lender("")
		r.header = append(r.header, [2]string{"Accept", "application/pdf"})
		return r
	},
}

// changing makes a change of the merchant's account pending.
func changing(w *world, r request) request {
	for _, number := range []string{"900000001", "900000002"} { // another one waits
		w.act("", merchants.SetMerchantAccount{Merchant: r.object, Bank: w.bank(payments.PaidAccount(r.object), number, "Harbor"), CoolingOff: credit.CoolingOffDays})
	}
	return r
}

// lineIDs is the body of a match that consists of lines only.
func lineIDs(lines []string) string {
	return `{"line_ids":["` + strings.Join(lines, `","`) + `"]}`
}

// lender sets the lender's creditor and regulator, which a notice names.
func (w *world) lender(creditor string) {
	w.tb.Helper()
	w.act("", compliance.SetLender{Creditor: &credit.Party{Name: creditor, Address: "Albany"}, Regulator: &credit.Party{Name: "Federal Trade Commission", Address: "Washington"}})
}

// open creates an uncaptured order.
func (w *world) open(installments int) string {
	w.tb.Helper()
	return w.act(w.a, lending.CreateOrder{Company: w.company, Amount: money.MustParse("1200.00"), Installments: installments}).(*credit.Order).Key
}

// reachAll tries to get every documented status of an operation.
func (w *world) reachAll(op *operation) {
	w.tb.Helper()
	for _, status := range op.statuses() {
		w.reach(op, status)
	}
	if op.method == http.MethodGet || op.public || op.Responses.Value("202") != nil {
		return
	}
	w.mend()
	r := w.good(op)
	r.name, r.who = "while two people act together", "ops"
	w.two(true)
	defer w.two(false)
	w.send(r) // a 202 is documented, or a problem of the answer
}

// statuses returns the documented ones.
func (op *operation) statuses() []int {
	var list []int
	for _, name := range slices.Sorted(maps.Keys(op.Responses.Map())) {
		n, err := strconv.Atoi(name)
		if err != nil {
			panic(op.OperationID + " has a response " + name)
		}
		list = append(list, n)
	}
	return list
}

// reach makes the request that must return a status.
func (w *world) reach(op *operation, status int) {
	w.tb.Helper()
	name := fmt.Sprint(op.OperationID, " ", status)
	if unreached[name] != "" {
		return
	}
	w.mend()
	r := w.good(op)
	r.name = "for a " + strconv.Itoa(status)
	if fn := wants[name]; fn != nil {
		r = fn(w, r)
	} else {
		r = w.towards(r, status)
	}
	if status == http.StatusAccepted {
		r.who = "ops"
		w.two(true)
		defer w.two(false)
	}
	if a := w.send(r); a.status != status {
		w.tb.Errorf("%s: %d %s\n%s", r, a.status, clip(a.body), r.body)
	}
	if status == 200 && op.method == http.MethodGet {
		w.everyForm(r)
	}
}

// everyForm requests each media type of a response.
func (w *world) everyForm(r request) {
	w.tb.Helper()
	for _, form := range r.op.forms() {
		r.name, r.header = "as "+form, [][2]string{{"Accept", form}}
		if a := w.send(r); a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Type"), form) {
			w.tb.Errorf("%s: %d %s", r, a.status, a.header.Get("Content-Type"))
		}
	}
}

var anOrder = regexp.MustCompile(`ord_[0-9A-Z]{26}`)

// towards changes a good request to get a status, in a way that works for all operations.
func (w *world) towards(r request, status int) request {
	w.tb.Helper()
	if r.op.public {
		return w.publicTowards(r, status)
	}
	if r.op.open && status >= 429 {
		return w.openTowards(r, status)
	}
	if status < 300 && r.op.Responses.Value("201") != nil && status == 200 {
		r.header = append(r.header, [2]string{"Prefer", "dry-run"})
	}
	switch status {
	case 304:
		r.header = append(r.header, [2]string{"If-None-Match", w.send(r).header.Get("ETag")})
	case 400:
		r.query = "no_such_parameter=1"
	case 401:
		r.who = ""
	case 403:
		r.who = w.lacking(r.op)
	case 404:
		if r.op.kind == "" {
			r.body = strings.NewReplacer(w.a, nobodys("mch"), fmt.Sprint(w.company), nobodys(company)).Replace(r.body)
			r.body = anOrder.ReplaceAllString(r.body, nobodys("ord"))
		}
		r.object = r.op.named(r.object, nobodys(r.op.kind))
	case 406:
		r.header = append(r.header, [2]string{"Accept", "image/png"})
	case 409:
		r.header = append(r.header, [2]string{"Idempotency-Key", "taken"})
		w.service.Submit = broken{w.backend, engine.ErrKeyInUse}
	case 412:
		r.header = append(r.header, [2]string{"If-Match", `"999"`})
	case 413:
		r.body = `{"x":"` + strings.Repeat("x", 1<<20) + `"}`
	case 415:
		r.media = "text/plain"
		if r.body == "" {
			r.body = "{}"
		}
	case 422:
		r.header = append(r.header, [2]string{"Idempotency-Key", "k422"})
		w.send(request{op: w.c.find("createMerchant"), name: "takes a key", who: r.who, body: `{"name":"k","reason":"a test"}`, header: r.header})
		if r.who != "ops" {
			w.send(request{op: w.c.find("createWebhook"), name: "takes a key", who: r.who, body: `{"url":"https://shop.example/"}`, header: r.header})
		}
	case 429:
		r.who = w.token(w.merchantOf(r.who), 1)
		w.send(request{op: w.c.find("listOrders"), name: "uses the rate up", who: r.who})
	case 500:
		w.refuse(errors.New("a fault"))
		r.fault = true
	case 503:
		w.crowd()
		r.fault = true
	}
	return r
}

func (w *world) merchantOf(who string) string {
	if who == "ops" {
		return ""
	}
	return w.a
}

// publicTowards is towards for the OAuth endpoints.
func (w *world) publicTowards(r request, status int) request {
	switch status {
	case 400:
		r.media = mediaJSON
	case 401:
		r.body = strings.Replace(r.body, w.secret, "tns_wrong", 1)
	case 429:
		slow := w.addClient("cli_01KAG7Q2M8X4T6W2Y9Z0A1B2C5", 1)
		r.body = strings.Replace(r.body, w.client, slow, 1)
		w.send(r)
	case 500:
		w.refuse(errors.New("a fault"))
		r.fault = true
	case 503:
		w.refuse(store.ErrUnreachable)
		r.fault = true
	}
	return r
}

// openTowards is towards for operations open to everyone.
func (w *world) openTowards(r request, status int) request {
	err := errors.New("a fault")
	switch status {
	case 429:
		w.api = w.serve(func(c *rest.Config) { c.MaxPublic = 1 })
		w.send(r)
		return r
	case 503:
		err = store.ErrUnreachable
	}
	w.service.Desk.Store = broken{w.backend, err}
	r.fault = true
	return r
}

// lacking is a token with every scope except the operation's.
func (w *world) lacking(op *operation) string {
	scopes := slices.DeleteFunc(auth.Scopes(false, false), func(s string) bool { return slices.Contains(op.scopes, s) })
	return w.token(w.a, 1e6, scopes...)
}

// broken is a database or an engine that fails.
type broken struct {
	store.Backend
	err error
}

func (b broken) View(context.Context, func(store.View) error) error { return b.err }

func (b broken) Submit(context.Context, engine.Request) (engine.Result, error) {
	return engine.Result{}, b.err
}

func (b broken) PutBankLines(context.Context, []store.BankLine) (int, error) { return 0, b.err }

func (b broken) BankLines(context.Context, bool, store.Page) ([]store.BankLine, error) {
	return nil, b.err
}

func (b broken) AssignLine(context.Context, string, string, string) error { return b.err }

func (b broken) AssignEntry(context.Context, string, string, string) error { return b.err }

func (b broken) Matches(context.Context, store.Page) ([]store.BankMatch, error) { return nil, b.err }

func (b broken) Sums(context.Context, []string, []string) (x, y money.Amount, err error) {
	return 0, 0, b.err
}

func (b broken) UndoMatch(context.Context, string, string, time.Time) error { return b.err }

func (b broken) ClientByID(context.Context, string) (store.Known, bool, error) {
	return store.Known{}, false, b.err
}

// refuse makes every read and every command of the world fail, except for token lookups.
func (w *world) refuse(err error) {
	b := broken{w.backend, err}
	w.service.Store, w.service.Submit, w.service.OAuth = b, b, auth.NewServer(b, b, auth.NewAuthenticator(b, w.now), w.now)
}

// crowd makes every request arrive while the only slot is taken: it is made while another one is
// being processed.
func (w *world) crowd() {
	busy := &occupied{Backend: w.backend}
	w.service.Store = busy
	inner := w.serve(func(c *rest.Config) { c.MaxInFlight = 1 })
	w.api = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		busy.then = func() { inner.ServeHTTP(rw, r) }
		outer := httptest.NewRequest("GET", "/v1/orders", nil)
		outer.Header.Set("Authorization", "Bearer "+w.tokens["a"])
		inner.ServeHTTP(httptest.NewRecorder(), outer)
		if busy.then != nil {
			w.tb.Errorf("the request that takes the place has not read")
		}
	})
}

// occupied is a store that does something in the middle of its next read.
type occupied struct {
	store.Backend
	then func()
}

func (o *occupied) View(ctx context.Context, fn func(store.View) error) error {
	if then := o.then; then != nil {
		o.then = nil
		then()
	}
	return o.Backend.View(ctx, fn)
}

// unseen returns the documented codes that no response had, and the number of all.
func (c *contract) unseen() (list []string, all int) {
	for _, op := range c.ops {
		for _, status := range op.statuses() {
			m := op.Responses.Value(strconv.Itoa(status)).Value.Content[mediaProblem]
			if m == nil {
				continue
			}
			for _, code := range m.Schema.Value.AllOf[1].Value.Properties["code"].Value.Enum {
				all++
				if name := fmt.Sprint(op.OperationID, " ", status, " ", code); c.seen[name] == 0 {
					list = append(list, name)
				}
			}
		}
	}
	return list, all
}
