package rest

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/edge/values"
)

// The widget table replaces the API's nouns: it has one of each kind of member and of each
// kind of operation.

type widgetItem struct {
	Name     string            `json:"name" required:"true"`
	Price    *money.Amount     `json:"price"`
	Quantity int               `json:"quantity" minimum:"1" maximum:"1000000" default:"1"`
	Extra    map[string]string `json:"extra" maxLength:"500"`
}

type widgetCommon struct {
	MerchantOrderID *string           `json:"merchant_order_id" maxLength:"100"`
	Metadata        map[string]string `json:"metadata" maxLength:"500" maxProperties:"50" maxKeyLength:"40"`
	Items           []widgetItem      `json:"cart_items" maxItems:"1000"`
}

type widgetRequest struct {
	CompanyID    values.CompanyID `json:"company_id" required:"true" example:"4821073356"`
	Amount       money.Amount     `json:"amount" required:"true" minimum:"0.01" doc:"Amount financed." example:"1200.00"`
	Installments *int             `json:"installments" minimum:"1" maximum:"36"`
	Status       string           `json:"status" enum:"CREATED,AUTHORIZED" default:"CREATED"`
	On           *calendar.Date   `json:"on"`
	At           *time.Time       `json:"at"`
	Rate         *money.Rate      `json:"rate"`
	External     bool             `json:"externally_managed_payments"`
	Tags         []string         `json:"tags" maxItems:"3" maxLength:"5"`
	Email        *string          `json:"email" format:"email"`
	ReturnURL    *string          `json:"return_url" format:"uri"`
	Memo         *string          `json:"memo" multiline:"true"`
	widgetCommon
}

func (w *widgetRequest) Check(report func(name, code, detail string)) {
	if w.Status == "AUTHORIZED" && w.Installments == nil {
		report("/installments", "required", "An authorized widget needs installments.")
	}
}

type widgetPatch struct {
	Amount Opt[money.Amount] `json:"amount" minimum:"0.01"`
	Memo   Opt[string]       `json:"memo" nullable:"true"`
	Count  Opt[int]          `json:"count" nullable:"true" minimum:"1"`
}

type widget struct {
	Key       string           `json:"key" prefix:"wid_"`
	CompanyID values.CompanyID `json:"company_id"`
	Amount    money.Amount     `json:"amount"`
	Memo      *string          `json:"memo"`
	CreatedAt time.Time        `json:"created_at"`
	Captured  calendar.Date    `json:"capture_date" nullable:"true"`
	Items     []widgetItem     `json:"cart_items"`
}

// widgetPreview is the answer of a dry run.
type widgetPreview struct {
	Result widget `json:"result"`
}

type widgetKey struct {
	Key string `path:"key" prefix:"wid_" doc:"The widget's key."`
}

type widgetFilter struct {
	Page
	CompanyID *values.CompanyID `query:"company_id"`
	Status    string            `query:"status" enum:"CREATED,CAPTURED"`
	From      *calendar.Date    `query:"created_from"`
	To        *calendar.Date    `query:"created_to"`
	Since     *time.Time        `query:"updated_since"`
	Order     *string           `query:"order_key" prefix:"ord_"`
	AsOf      *values.AsOf      `query:"as_of"`
	Late      *bool             `query:"late"`
}

func (f *widgetFilter) Check(report func(name, code, detail string)) {
	if f.From != nil && f.To != nil && *f.From > *f.To {
		report("created_to", "reversed", "created_to is before created_from.")
	}
}

var sampleInstant = time.Date(2026, 3, 2, 15, 4, 5, 123456789, time.FixedZone("", 3600))

func sampleWidget(key string) widget {
	return widget{Key: key, CompanyID: 4821073356, Amount: 120000, CreatedAt: sampleInstant, Captured: calendar.None}
}

// undrawnWidget is a widget of a dry run: its key and its instant do not exist yet.
const undrawnWidget = `{"key":null,"company_id":4821073356,"amount":1200.00,"memo":null,"created_at":null,"capture_date":null,"cart_items":[]}`

// widgets is the handlers' side of the fixture: it records its inputs.
type widgets struct {
	calls   int
	request *widgetRequest
	patch   *widgetPatch
	filter  *widgetFilter
	call    *Call
	more    bool
}

func (s *widgets) table() []Operation {
	return []Operation{
		{ID: "createWidget", Method: "POST", Path: "/widget", Tag: "Widgets", Summary: "Create a widget", Scopes: []string{"orders:write"},
			TenantOnly: true, Success: 201, Response: widget{}, DryRun: widgetPreview{}, Problems: []string{"insufficient_credit", "company_not_linked"},
			Endpoint: Handle(func(c *Call, _ *None, b *widgetRequest) (Answer, error) {
				s.calls, s.call, s.request = s.calls+1, c, b
				if c.DryRun {
					return Answer{Status: 200, AsOfSeq: 7, Raw: []byte(`{"result":` + undrawnWidget + `}`), ContentType: MediaJSON}, nil
				}
				a := Created("/v1/widget/wid_1", sampleWidget("wid_1"))
				a.CommitSeq = 8
				return a, nil
			})},
		{ID: "getWidget", Method: "GET", Path: "/v1/widget/{key}", Tag: "Widgets", Scopes: []string{"orders:read"}, Response: widget{}, ETag: true,
			Endpoint: Handle(func(c *Call, p *widgetKey, _ *None) (Answer, error) {
				s.calls, s.call = s.calls+1, c
				switch p.Key {
				case "wid_unknown":
					return Answer{}, NotFound()
				case "wid_panic":
					panic("s3cr3t")
				case "wid_error":
					return Answer{}, errors.New("s3cr3t")
				}
				a := OK(sampleWidget(p.Key))
				a.ETag, a.AsOfSeq = `"3"`, 9
				return a, nil
			})},
		{ID: "updateWidget", Method: "PATCH", Path: "/v1/widget/{key}", Tag: "Widgets", Scopes: []string{"orders:write"}, Response: widget{}, ETag: true,
			Endpoint: Handle(func(c *Call, p *widgetKey, b *widgetPatch) (Answer, error) {
				s.calls, s.call, s.patch = s.calls+1, c, b
				if c.IfMatch.Given() && !c.IfMatch.MatchStrong(`"3"`) {
					return Answer{}, NewProblem("precondition_failed", "")
				}
				return Tagged(sampleWidget(p.Key))
			})},
		{ID: "extendWidget", Method: "POST", Path: "/v1/widget/{key}/extend", Scopes: []string{"orders:write"}, Response: widget{},
			Endpoint: Handle(func(c *Call, p *widgetKey, _ *None) (Answer, error) {
				s.calls++
				return OK(sampleWidget(p.Key)), nil
			})},
		{ID: "listWidgets", Method: "GET", Path: "/v1/widgets", Scopes: []string{"orders:read"}, Response: List[widget]{},
			Endpoint: Handle(func(c *Call, p *widgetFilter, _ *None) (Answer, error) {
				s.calls, s.call, s.filter = s.calls+1, c, p
				return s.page(c, sampleWidget("wid_9")), nil
			})},
		{ID: "deleteWidget", Method: "DELETE", Path: "/v1/widget/{key}", Scopes: []string{"webhooks:write"}, Success: 204,
			Endpoint: Handle(func(*Call, *widgetKey, *None) (Answer, error) { return Answer{}, nil })},
		{ID: "getCompanyWidget", Method: "GET", Path: "/v2/company/{company_id}/widget", Scopes: []string{"operator:read"}, Response: widget{},
			Produces: []string{"application/json", "text/html"},
			Endpoint: Handle(func(c *Call, p *struct {
				ID values.CompanyID `path:"company_id"`
			}, _ *None) (Answer, error) {
				if c.Accepted == "text/html" {
					return Answer{Raw: []byte("<p>"), ContentType: "text/html; charset=utf-8"}, nil
				}
				return OK(widget{CompanyID: p.ID}), nil
			})},
		{ID: "advanceClock", Method: "POST", Path: "/v1/sandbox/clock", Scopes: []string{"sandbox"},
			Endpoint: Handle(func(*Call, *None, *None) (Answer, error) { return OK(None{}), nil })},
		{ID: "token", Method: "POST", Path: "/oauth/token", Public: true, OpenAPI: `{"responses":{"200":{"description":"A token."}}}`,
			Raw: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "raw") })},
		{ID: "uploadWidgets", Method: "POST", Path: "/v1/widget-files", Scopes: []string{"orders:write"}, MaxBody: 4 << 20,
			Consumes: []string{"application/json", "text/csv"}, Deprecated: time.Unix(1767225600, 0), Sunset: time.Unix(1798761600, 0),
			Endpoint: Handle(func(c *Call, _ *None, _ *struct {
				Rows []widgetItem `json:"rows"`
			}) (Answer, error) {
				s.call = c
				return Answer{Body: None{}}, nil
			})},
	}
}

// List is a page of a list.
type List[T any] struct {
	Data       []T     `json:"data"`
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor" nullable:"true"`
}

// page answers with one widget, and a cursor if there are more.
func (s *widgets) page(c *Call, last widget) Answer {
	p, a := List[widget]{Data: []widget{last}, HasMore: s.more}, Answer{}
	if s.more {
		var cursor string
		cursor, a.Link = c.Next(Position{last.CreatedAt, last.Key})
		p.NextCursor = &cursor
	}
	a.Body = &p
	return a
}

// widgetContract is what all operations on widgets have in common: the values and the words
// of a real API, with two codes of its own.
func widgetContract() Contract {
	codes := OwnCodes()
	add := func(before string, c Code) {
		i := slices.IndexFunc(codes, func(x Code) bool { return x.Name == before })
		codes = slices.Insert(codes, i, c)
	}
	add(CodeNotFound, Code{"company_not_linked", 403, "The company is not linked to the merchant."})
	add(CodeRateLimited, Code{"insufficient_credit", 422, "The amount exceeds the available credit."})
	return Contract{
		Codes: codes, Kinds: values.Kinds(), Places: prefixed, Allows: operatorStandsAbove,
		Tenant: "merchant", ErrorPages: "/docs/errors/", RequestPages: "/v1/requests/", Undrawn: undrawn(), Masking: showWords(),
	}
}

// prefixed returns the places of a path: below /v1, below /v2 and without either. /oauth
// has no prefix, /sandbox always has one.
func prefixed(path string) []string {
	base := path
	for _, prefix := range []string{"/v1/", "/v2/"} {
		if strings.HasPrefix(base, prefix) {
			base = base[len(prefix)-1:]
		}
	}
	switch {
	case strings.HasPrefix(base, "/oauth/"):
		return []string{path}
	case strings.HasPrefix(base, "/sandbox/"):
		return []string{"/v1" + base, "/v2" + base}
	}
	return []string{base, "/v1" + base, "/v2" + base}
}

// operatorStandsAbove lets the operator's scopes imply those of tenants.
func operatorStandsAbove(p Principal, scope string) bool {
	_, act, _ := strings.Cut(scope, ":")
	return slices.Contains(p.Scopes, scope) || p.Operator && slices.Contains(p.Scopes, "operator:"+act)
}

func undrawn() []string { return []string{"key", "id"} }

// showWords shows codes and identifiers, and hides birth dates.
func showWords() Masking {
	lower := regexp.MustCompile(`^[a-z_]{2,80}$`)
	return Masking{
		Shown: func(member string) func(string) bool {
			if member == "code" || member == "key" {
				return lower.MatchString
			}
			return nil
		},
		Private: func(member string) bool { return member == "birth_date" },
	}
}

func widgetTypes() types { return newTypes(values.Kinds(), undrawn()) }

// tokens authenticates the fixture's clients.
type tokens map[string]Principal

func (t tokens) Authenticate(_ context.Context, hash [32]byte) (Principal, bool, error) {
	for token, p := range t {
		if sha256.Sum256([]byte(token)) == hash {
			if p.ClientID == "broken" {
				return Principal{}, false, errors.New("database is gone")
			}
			return p, true, nil
		}
	}
	return Principal{}, false, nil
}

const unlimited = 1_000_000

var people = tokens{
	"merchant": {ClientID: "cli_1", Tenant: "mch_1", Scopes: []string{"orders:read", "orders:write"}, RatePerMinute: unlimited, Burst: unlimited},
	"other":    {ClientID: "cli_2", Tenant: "mch_2", Scopes: []string{"orders:read"}, RatePerMinute: unlimited, Burst: unlimited},
	"operator": {ClientID: "cli_3", Operator: true, Scopes: []string{"operator:read", "operator:write"}, RatePerMinute: unlimited, Burst: unlimited},
	"slow":     {ClientID: "cli_4", Tenant: "mch_1", Scopes: []string{"orders:read"}, RatePerMinute: 60, Burst: 2},
	"broken":   {ClientID: "broken"},
}

// fixture is an API over the widget table with a stopped clock.
type fixture struct {
	*widgets
	api *API
	now time.Time
	log *strings.Builder
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{widgets: &widgets{}, now: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), log: &strings.Builder{}}
	api, err := New(Config{BaseURL: "https://api.example.com", Authenticator: people, CursorKey: []byte(strings.Repeat("k", 32)),
		Log: slog.New(slog.NewTextHandler(f.log, nil)), Now: func() time.Time { return f.now }, Contract: widgetContract()}, f.table())
	if err != nil {
		t.Fatal(err)
	}
	f.api = api
	return f
}

// do sends one request. Headers are "Name: value"; a JSON content type is added to a body
// unless a header names one. A header "-Authorization" drops the token.
func (f *fixture) do(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer merchant")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	seen := map[string]bool{}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if drop, ok := strings.CutPrefix(name, "-"); ok {
			r.Header.Del(drop)
			continue
		}
		if name = http.CanonicalHeaderKey(name); !seen[name] {
			r.Header.Del(name)
		}
		seen[name] = true
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	f.api.ServeHTTP(w, r)
	return w
}

// decodeInto decodes a body as the request type T.
func decodeInto[T any](t testing.TB, body string) (*T, *Problem, []FieldError) {
	t.Helper()
	rules, err := widgetTypes().body(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	v := new(T)
	p, invalid := rules.decode([]byte(body), reflect.ValueOf(v).Elem())
	return v, p, invalid
}
