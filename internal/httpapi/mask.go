package httpapi

import (
	"bytes"
	"io"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Masked stands in the request log for every text and number that the contract does not
// mark as plain.
const Masked = "***"

// plainText says in which form a text of a member is shown although it has neither an enum
// nor a prefix; nil: in none. A text that is not here is masked: names, addresses, accounts,
// codes, secrets and words alike.
func plainText(name string) func(text string) bool {
	switch name {
	case "application_id", "asked_notice_id", "checkout_id", "client_id", "company_id", "document_ids", "entry_id", "entry_ids", "event_id", "file_id", "id", "invoice_id",
		"key", "line_id", "line_ids", "match_id", "merchant_id", "object", "order_key", "parent_key", "payment_id", "payment_method_id", "payout_id", "person_id", "refund_id",
		"resend_id", "reverses", "transfer_id", "webhook_id", "webhook_ids":
		return isIdentifier
	case "code", "event_type", "event_types", "kind", "type", "scopes", "currency", "status":
		return isWord
	case "return_code", "change_code":
		return func(text string) bool { return looksLike("A00", text) }
	case "month":
		return func(text string) bool { return looksLike("0000-00", text) }
	case "api_version":
		return func(text string) bool { return looksLike("0000-00-00", text) }
	case "apr", "annual_rate":
		return isRate
	case "request_id":
		return func(text string) bool { rest, found := strings.CutPrefix(text, "req_"); return found && isULID(rest) }
	}
	return nil
}

// isPersonal are the members whose numbers and dates are masked as if they were texts: of
// people and their cards, and what a business tells of itself to be judged.
func isPersonal(name string) bool {
	switch name {
	case "birth_date", "exp_month", "exp_year", "owner_score", "ownership_percent", "owner_months", "score", "points", "trace",
		"annual_revenue", "average_balance", "average_monthly_payment", "months_in_business", "formed_on", "returned_items_90d":
		return true
	}
	return false
}

// looksLike compares a text with a form, in which 0 is a digit and A a capital.
func looksLike(form, text string) bool {
	if len(form) != len(text) {
		return false
	}
	for i := range len(form) {
		same := form[i] == text[i]
		switch form[i] {
		case '0':
			same = text[i] >= '0' && text[i] <= '9'
		case 'A':
			same = text[i] >= 'A' && text[i] <= 'Z'
		}
		if !same {
			return false
		}
	}
	return true
}

// isIdentifier says whether a text is a company's number, or a prefix of ours and a ULID.
func isIdentifier(text string) bool {
	if looksLike("0000000000", text) {
		return text[0] != '0'
	}
	prefix, rest, found := strings.Cut(text, "_")
	if !found || !isULID(rest) {
		return false
	}
	switch prefix {
	case "app", "case", "chk", "cli", "dlv", "doc", "ent", "evt", "fee", "inv", "mail", "mch", "mtc", "ntc", "ord", "pay", "per", "pm", "po", "pol", "rcp", "rcv", "rfd", "rsd", "scr",
		"snp", "trf", "whk":
		return true
	}
	return false
}

func isULID(text string) bool {
	return len(text) == 26 && !strings.ContainsFunc(text, func(c rune) bool { return !strings.ContainsRune("0123456789ABCDEFGHJKMNPQRSTVWXYZ", c) })
}

// isWord says whether a text looks like a word of the contract: a constant, or snake_case
// with at most one dot or colon.
func isWord(text string) bool {
	if len(text) < 2 || len(text) > 80 {
		return false
	}
	first, letter := rune(text[0]), func(c rune) bool { return c >= 'a' && c <= 'z' }
	if first >= 'A' && first <= 'Z' {
		letter = func(c rune) bool { return c >= 'A' && c <= 'Z' }
	}
	return letter(first) && strings.Count(text, ".")+strings.Count(text, ":") <= 1 &&
		!strings.ContainsFunc(text, func(c rune) bool { return !letter(c) && !strings.ContainsRune("_.:", c) })
}

// isRate says whether a text is a rate: one to three digits, and two to six behind a dot.
func isRate(text string) bool {
	whole, part, found := strings.Cut(text, ".")
	digits := func(s string, least, most int) bool {
		return len(s) >= least && len(s) <= most && !strings.ContainsFunc(s, func(c rune) bool { return c < '0' || c > '9' })
	}
	return found && digits(whole, 1, 3) && digits(part, 2, 6)
}

// plain says whether the request log shows the value of a member: only if the contract says
// what it may be, and it is that.
func (r *rule) plain(name, text string) bool {
	switch {
	case r.kind == kindString && (r.enum != nil || r.prefix != ""):
		_, bad := r.text(text)
		return bad == nil
	case r.kind == kindString:
		shown := plainText(name)
		return shown != nil && shown(text)
	case isPersonal(name):
		return false
	case r.kind == kindObject, r.kind == kindArray, r.kind == kindMap, r.kind == kindAny:
		return false
	}
	return r.setText(reflect.New(r.typ).Elem(), text) == nil
}

// masker copies a JSON text along the rule of its type, and masks what is not plain.
type masker struct {
	dec   *jsontext.Decoder
	enc   *jsontext.Encoder
	mark  func(text string) string // digest of a masked value; nil: there are none
	marks map[string]string        // by the pointers of what was masked
}

// maskJSON returns a body with everything masked that the rule does not mark as plain, nil
// if it is not JSON. Members that the rule does not know are left out: their names are no
// words of the contract. With a mark it returns what tells masked values apart.
func maskJSON(r *rule, body []byte, mark func(string) string) (masked []byte, marks map[string]string) {
	if prescan(body) != "" {
		return nil, nil
	}
	var out bytes.Buffer
	m := masker{jsontext.NewDecoder(bytes.NewBuffer(body)), jsontext.NewEncoder(&out), mark, map[string]string{}}
	if m.value(r, "", "") != nil {
		return nil, nil
	}
	if _, err := m.dec.ReadToken(); err != io.EOF {
		return nil, nil
	}
	return bytes.TrimSpace(out.Bytes()), m.marks
}

// value copies one value. at is its pointer, name the member that holds it.
func (m *masker) value(r *rule, at, name string) error {
	switch kind := m.dec.PeekKind(); {
	case kind == '{' && r.kind == kindObject:
		return m.object(r, at)
	case kind == '[' && r.kind == kindArray:
		return m.array(r, at, name)
	case kind == '{', kind == '[':
		return m.closed(kind, at)
	}
	v, err := m.dec.ReadValue()
	if err != nil {
		return err
	}
	if v.Kind() == 'n' || r.plain(name, textOf(v)) {
		return m.enc.WriteValue(v)
	}
	m.note(at, v)
	return m.enc.WriteToken(jsontext.String(Masked))
}

// textOf is a text without its quotes, or a number or a word as it is written.
func textOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return string(v)
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(text)
}

func (m *masker) object(r *rule, at string) error {
	if err := m.copy(); err != nil {
		return err
	}
	for m.dec.PeekKind() != '}' {
		name, err := m.dec.ReadToken()
		if err != nil {
			return err
		}
		text := name.String()
		i, known := r.byName[text]
		if !known {
			if err := m.dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		if err := m.enc.WriteToken(jsontext.String(text)); err != nil {
			return err
		}
		if err := m.value(r.members[i].rule, at+"/"+text, text); err != nil {
			return err
		}
	}
	return m.copy()
}

func (m *masker) array(r *rule, at, name string) error {
	if err := m.copy(); err != nil {
		return err
	}
	for i := 0; m.dec.PeekKind() != ']'; i++ {
		if err := m.value(r.elem, at+"/"+strconv.Itoa(i), name); err != nil {
			return err
		}
	}
	return m.copy()
}

// copy passes one token on.
func (m *masker) copy() error {
	t, err := m.dec.ReadToken()
	if err != nil {
		return err
	}
	return m.enc.WriteToken(t)
}

// closed masks an object or a list as a whole: one with names that the caller chooses, such
// as metadata, or one that the contract does not describe. It is an object or a list still,
// and an empty one stays empty.
func (m *masker) closed(kind jsontext.Kind, at string) error {
	v, err := m.dec.ReadValue()
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(v[1:len(v)-1])) == 0 {
		return m.enc.WriteValue(v)
	}
	m.note(at, v)
	if kind == '{' {
		return m.enc.WriteValue(jsontext.Value(`{"` + Masked + `":"` + Masked + `"}`))
	}
	return m.enc.WriteValue(jsontext.Value(`["` + Masked + `"]`))
}

// note keeps what tells a masked value from others of the same member.
func (m *masker) note(at string, v jsontext.Value) {
	if m.mark != nil {
		m.marks[at] = m.mark(at + "\n" + string(v))
	}
}

// maskQuery returns a query with the values masked that are not plain, and without
// parameters that the operation does not know.
func (p *paramRules) maskQuery(raw string) string {
	values, err := url.ParseQuery(raw)
	if err != nil || len(values) == 0 {
		return ""
	}
	var out []string
	if p.paged && values.Has("cursor") {
		out = append(out, "cursor="+Masked)
	}
	for _, x := range p.list {
		if x.in != "query" || !values.Has(x.name) {
			continue
		}
		value := Masked
		if text := values.Get(x.name); text == "" || x.rule.plain(x.name, text) {
			value = url.QueryEscape(text)
		}
		out = append(out, x.name+"="+value)
	}
	slices.Sort(out)
	return strings.Join(out, "&")
}

// maskPath returns the path in the form of the contract, with the values masked that are
// not plain.
func (o *operation) maskPath(e *entry, path string) string {
	segments := strings.Split(o.Path, "/")
	for i, s := range segments {
		if !strings.HasPrefix(s, "{") {
			continue
		}
		name := strings.Trim(s, "{}")
		segments[i] = Masked
		for _, x := range o.params.list {
			if value := e.value(path, name); x.in == "path" && x.name == name && x.rule.plain(name, value) {
				segments[i] = value
			}
		}
	}
	return strings.Join(segments, "/")
}

// shownProblem is what the request log shows of a problem: sentences and codes are ours.
type shownProblem struct {
	Type      string       `json:"type"`
	Title     string       `json:"title"`
	Status    int          `json:"status"`
	Detail    string       `json:"detail"`
	Code      string       `json:"code"`
	RequestID string       `json:"request_id"`
	Errors    []shownError `json:"errors,omitzero"`
}

type shownError struct {
	Pointer   string `json:"pointer,omitzero"`
	Parameter string `json:"parameter,omitzero"`
	Line      int    `json:"line,omitzero"`
	Code      string `json:"code"`
	Detail    string `json:"detail"`
}

// maskProblem masks a problem: places that are no words of the contract, and members beside
// those that every problem has.
func maskProblem(o *operation, body []byte) (masked []byte, code string) {
	var p shownProblem
	if json.Unmarshal(body, &p) != nil {
		return nil, ""
	}
	for i := range p.Errors {
		e := &p.Errors[i]
		if e.Pointer != "" && (o == nil || !o.body.has(e.Pointer)) {
			e.Pointer = Masked
		}
		if e.Parameter != "" && !slices.Contains(knownHeaders, e.Parameter) && (o == nil || !o.params.has(e.Parameter)) {
			e.Parameter = Masked
		}
	}
	masked, err := json.Marshal(p, json.Deterministic(true))
	if err != nil {
		return nil, p.Code
	}
	return masked, p.Code
}

// knownHeaders are those that a problem names.
var knownHeaders = []string{"Idempotency-Key", "If-Match", "If-None-Match", "Prefer", "query", "cursor"}

func (p *paramRules) has(name string) bool {
	return slices.ContainsFunc(p.list, func(x parameter) bool { return x.name == name })
}

// has says whether a pointer leads to a member that the rules know.
func (b bodyRules) has(pointer string) bool {
	r := b.root
	for _, s := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		if r == nil {
			return false
		}
		switch r.kind {
		case kindObject:
			i, known := r.byName[s]
			if !known {
				return false
			}
			r = r.members[i].rule
		case kindArray:
			if _, err := strconv.Atoi(s); err != nil {
				return false
			}
			r = r.elem
		default:
			return false
		}
	}
	return true
}
