package sandboxapi

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/developer"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

// sandboxWait is how long to wait for a move: a short one is over by then.
const sandboxWait = 5 * time.Second

type advanceBody struct {
	Duration *string    `json:"duration" pattern:"^([0-9]{1,4}d)?([0-9]{1,5}h)?([0-9]{1,5}m)?([0-9]{1,7}s)?$" minLength:"2" doc:"How far to advance: days of 24 hours, hours, minutes, seconds. Give exactly one of duration, to and until." example:"72h"`
	To       *time.Time `json:"to" doc:"Until when." example:"2026-02-17T15:00:00Z"`
	Until    *untilWord `json:"until" listed:"next_event and those that the page /docs/events lists" doc:"next_event: until something is due. An event type: until such an event, readable by the caller, is emitted; at most 400 days." example:"next_event"`
	After    *string    `json:"after" prefix:"evt_" doc:"With an event type: count events after this one, including those already emitted. Default: only new events." example:"evt_01KB0A4E7W5N3R1P9M8K6J4H2G"`
}

// untilWord is next_event or an event type.
type untilWord string

// nextEvent is the word for whatever comes first.
const nextEvent = "next_event"

func (untilWord) Words() []string {
	return append([]string{nextEvent}, developer.EventTypeName("").Words()...)
}

// Check requires exactly one target.
func (b *advanceBody) Check(report func(name, code, detail string)) {
	given := 0
	for _, set := range []bool{b.Duration != nil, b.To != nil, b.Until != nil} {
		if set {
			given++
		}
	}
	if given != 1 {
		report("/duration", "exactly_one", "Give exactly one of duration, to and until.")
	}
	if b.After != nil && (b.Until == nil || *b.Until == nextEvent) {
		report("/after", "not_allowed", "after requires an event type in until.")
	}
}

type failNextBody struct {
	ReturnCode string            `json:"return_code" required:"true" pattern:"^R[0-9]{2}$" doc:"Return code for the next debit." example:"R01"`
	CompanyID  *values.CompanyID `json:"company_id" doc:"Only the next debit of this company. Default: any company." example:"1000000001"`
}

type bankReturnBody struct {
	PaymentID  string `json:"payment_id" required:"true" prefix:"pay_" doc:"Payment whose debit was sent." example:"pay_01KB9R3F5H7K9M1P3R5T7V9X1Z"`
	ReturnCode string `json:"return_code" required:"true" pattern:"^R[0-9]{2}$" doc:"Return code." example:"R01"`
}

type bankNoticeBody struct {
	CompanyID  values.CompanyID `json:"company_id" required:"true" doc:"Company whose autopay account the notice is about." example:"1000000001"`
	ChangeCode string           `json:"change_code" required:"true" pattern:"^C[0-9]{2}$" doc:"Change code." example:"C01"`
}

// Clock returns the operations on a sandbox's clock and bank: live mode has none of these
// paths.
func (s API) Clock() []rest.Operation {
	op := func(id, method, path, summary, doc string, response any, e rest.Endpoint) rest.Operation {
		return rest.Operation{
			ID: id, Method: method, Path: "/v1/sandbox/" + path, Tag: "Sandbox", Summary: summary, Doc: doc,
			Scopes: []string{"sandbox"}, Response: response, Endpoint: e,
		}
	}
	clock := func(id, verb, summary, doc string, e rest.Endpoint) rest.Operation {
		o := op(id, "POST", "clock/"+verb, summary, doc, resource.SandboxClock{}, e)
		o.Problems = []string{"clock_moving"}
		return o
	}
	bank := func(id, verb, summary string, e rest.Endpoint) rest.Operation {
		o := op(id, "POST", "bank/"+verb, summary, "", nil, e)
		o.Success, o.Problems = 204, []string{"not_found"}
		return o
	}
	ofCompany := func(o rest.Operation) rest.Operation {
		o.Problems = append(o.Problems, "company_not_linked")
		return o
	}
	preset := op("makeSandboxCompany", "POST", "companies", "Make a ready company", "The new company is linked to the caller's merchant.", resource.Company{}, rest.Handle(s.makeSandboxCompany))
	preset.Success, preset.ETag, preset.TenantOnly = 201, true, true
	return append([]rest.Operation{
		op("getSandboxClock", "GET", "clock", "Retrieve the business clock", "", resource.SandboxClock{}, rest.Handle(s.getSandboxClock)),
		clock("advanceSandboxClock", "advance", "Advance the business clock",
			"Day by day, so that everything due happens in order. A short move finishes before the response; a longer one continues, and the clock shows its progress.",
			rest.Handle(s.advanceSandboxClock)),
		clock("freezeSandboxClock", "freeze", "Stop the business clock", "A move in progress ends at its next step.", rest.Handle(s.freezeSandboxClock)),
		clock("resumeSandboxClock", "resume", "Let the business clock run at real speed", "", rest.Handle(s.resumeSandboxClock)),
		ofCompany(bank("failNextDebit", "fail-next", "Make the next debit fail", rest.Handle(s.failNextDebit))),
		bank("returnDebit", "return", "Return the debit of a payment", rest.Handle(s.returnDebit)),
		clockAct(bank("settleDebits", "settle", "Settle all that was sent", rest.Handle(s.settleDebits))),
		ofCompany(bank("sendBankNotice", "notice", "Send a notification of change", rest.Handle(s.sendBankNotice))),
		preset,
	}, s.sandboxCopies()...)
}

// clockAct is an operation of the bank that moves the clock.
func clockAct(o rest.Operation) rest.Operation {
	o.Success, o.Response, o.Problems = 0, resource.SandboxClock{}, []string{"clock_moving"}
	return o
}

// obeyed turns a refusal of Controls into a problem.
func obeyed(err error) error {
	switch {
	case errors.Is(err, serve.ErrClockMoving):
		return rest.NewProblem("clock_moving", "The clock is already advancing; freezing it ends the move.")
	case errors.Is(err, serve.ErrClockBackwards), errors.Is(err, serve.ErrClockTooFar), errors.Is(err, serve.ErrClockNothing), errors.Is(err, serve.ErrClockNoEvent), errors.Is(err, serve.ErrBankCode):
		return rest.NewProblem(rest.CodeValidation, sentence(err))
	case errors.Is(err, serve.ErrBankNothing), errors.Is(err, serve.ErrNoSnapshot), errors.Is(err, serve.ErrNoScenario):
		return rest.NotFound()
	case errors.Is(err, serve.ErrNoSnapshots):
		return rest.NewProblem("snapshots_unavailable", "This sandbox uses PostgreSQL. Copy the database with PostgreSQL's own tools, or run the sandbox with a data directory.")
	case errors.Is(err, serve.ErrSandboxUsed):
		return rest.NewProblem(rest.CodeValidation, "Demo data with history requires an empty sandbox. Use POST /v1/sandbox/reset with seed and history.")
	case errors.Is(err, serve.ErrAccessEnds):
		return rest.NewProblem(rest.CodeValidation, "Your merchant would not exist in the new sandbox, so you would lose access: demo data with and without history have different IDs. Use a lender token.")
	case errors.Is(err, serve.ErrSandboxBusy):
		return rest.Unavailable(rest.CodeOverloaded, time.Second)
	}
	return err
}

// sentence is a refusal's text, without what only the log may show.
func sentence(err error) string {
	for known, text := range map[error]string{
		serve.ErrClockBackwards: "The clock never goes back; read it to see the current time.", serve.ErrClockTooFar: "One move is at most five years.",
		serve.ErrClockNothing: "Nothing is due any more.", serve.ErrBankCode: "The bank does not know this code.",
		serve.ErrClockNoEvent: "No event of this type was emitted within 400 days; the clock is now there.",
	} {
		if errors.Is(err, known) {
			return text
		}
	}
	return ""
}

// clockAnswer answers with the clock after an operation on it.
func (s API) clockAnswer(c *rest.Call, err error) (rest.Answer, error) {
	if err != nil {
		return rest.Answer{}, obeyed(err)
	}
	w, err := s.Controls.Clock(c.Context())
	return rest.OK(&w), err
}

func (s API) getSandboxClock(c *rest.Call, _ *rest.None, _ *rest.None) (rest.Answer, error) {
	return s.clockAnswer(c, nil)
}

func (s API) advanceSandboxClock(c *rest.Call, _ *rest.None, b *advanceBody) (rest.Answer, error) {
	switch {
	case b.Until != nil && *b.Until == nextEvent:
		return s.clockAnswer(c, s.Controls.AdvanceToNext(c.Context(), sandboxWait))
	case b.Until != nil:
		x := serve.Awaited{Type: credit.EventType(*b.Until), Merchant: c.Principal.Tenant}
		if b.After != nil {
			var err error
			if x.After, err = s.placeOf(c, *b.After); err != nil {
				return rest.Answer{}, err
			}
		}
		return s.clockAnswer(c, s.Controls.AdvanceUntil(c.Context(), x, sandboxWait))
	case b.To != nil:
		return s.clockAnswer(c, s.Controls.AdvanceTo(c.Context(), *b.To, sandboxWait))
	}
	d, err := spanOf(*b.Duration)
	if err != nil {
		return rest.Answer{}, err // the pattern lets none through
	}
	return s.clockAnswer(c, s.Controls.AdvanceTo(c.Context(), s.Now().Add(d), sandboxWait))
}

// spanOf parses a duration that may begin with days: 30d, 1d12h, 72h.
func spanOf(text string) (time.Duration, error) {
	days, rest, found := strings.Cut(text, "d")
	if !found {
		return time.ParseDuration(text)
	}
	n, err := strconv.Atoi(days)
	span := time.Duration(n) * 24 * time.Hour
	if err != nil || rest == "" {
		return span, err
	}
	more, err := time.ParseDuration(rest)
	return span + more, err
}

// placeOf is the place of an event that the caller may read.
func (s API) placeOf(c *rest.Call, event string) (at *store.Place, err error) {
	_, err = s.Read(c, func(v store.View) (rest.Answer, error) {
		e, may, err := store.EventOf(v, event, c.Principal.Tenant)
		if err != nil {
			return rest.Answer{}, err
		}
		if e == nil || !may {
			return rest.Answer{}, rest.Invalid("/after", "not_found", "There is no such event.")
		}
		at = &store.Place{Q: e.Q, N: e.N}
		return rest.Answer{}, nil
	})
	return at, err
}

func (s API) freezeSandboxClock(c *rest.Call, _ *rest.None, _ *rest.None) (rest.Answer, error) {
	return s.clockAnswer(c, s.Controls.Freeze(c.Context()))
}

func (s API) resumeSandboxClock(c *rest.Call, _ *rest.None, _ *rest.None) (rest.Answer, error) {
	return s.clockAnswer(c, s.Controls.Resume(c.Context()))
}

// fingerprintOf is the blind index of the account that a company's autopay debits, else of
// its newest debitable one.
func (s API) fingerprintOf(c *rest.Call, company values.CompanyID) (found string, err error) {
	_, err = s.Within(c, serve.CompanyKey{CompanyID: company}, func(v store.View, id int64) (rest.Answer, error) {
		x, err := serve.CompanyAt(c, v, id, serve.Moment{Q: store.Latest})
		if err != nil {
			return rest.Answer{}, err
		}
		all, err := store.ListMethods(v, id)
		for _, m := range all {
			usable := m.Bank != nil && m.Status == credit.MethodActive
			if usable && (found == "" || m.ID == x.Servicing.Autopay.Method) {
				found = m.Bank.Fingerprint
			}
		}
		if err == nil && found == "" {
			err = rest.NotFound()
		}
		return rest.Answer{}, err
	})
	return found, err
}

func (s API) failNextDebit(c *rest.Call, _ *rest.None, b *failNextBody) (rest.Answer, error) {
	account := ""
	if b.CompanyID != nil {
		var err error
		if account, err = s.fingerprintOf(c, *b.CompanyID); err != nil {
			return rest.Answer{}, err
		}
	}
	return rest.Answer{}, obeyed(s.Controls.FailNext(c.Context(), b.ReturnCode, account))
}

func (s API) returnDebit(c *rest.Call, _ *rest.None, b *bankReturnBody) (rest.Answer, error) {
	transfer := ""
	if _, err := s.Read(c, func(v store.View) (rest.Answer, error) {
		p, err := serve.FindPayment(c, v, b.PaymentID)
		if err == nil && p.Transfer == "" {
			err = rest.NotFound()
		}
		if err != nil {
			return rest.Answer{}, err
		}
		transfer = p.Transfer
		return rest.Answer{}, nil
	}); err != nil {
		return rest.Answer{}, err
	}
	return rest.Answer{}, obeyed(s.Controls.Return(c.Context(), transfer, b.ReturnCode))
}

func (s API) settleDebits(c *rest.Call, _ *rest.None, _ *rest.None) (rest.Answer, error) {
	return s.clockAnswer(c, s.Controls.Settle(c.Context(), sandboxWait))
}

func (s API) sendBankNotice(c *rest.Call, _ *rest.None, b *bankNoticeBody) (rest.Answer, error) {
	account, err := s.fingerprintOf(c, b.CompanyID)
	if err != nil {
		return rest.Answer{}, err
	}
	return rest.Answer{}, obeyed(s.Controls.Notice(c.Context(), b.ChangeCode, account))
}
