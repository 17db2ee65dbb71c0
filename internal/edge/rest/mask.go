package rest

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

// Masked replaces, in the request log, every text and number that the contract does not
// mark as plain.
const Masked = "***"

// Masking configures which texts without enum and prefix the request log shows, and what it
// hides of the rest. By default it masks exactly such texts.
type Masking struct {
	// Shown returns the form in which a member's text is shown; nil: never.
	Shown func(member string) func(text string) bool
	// Private reports whether numbers and dates of a member are masked like texts.
	Private func(member string) bool
}

// complete sets defaults.
func (m *Masking) complete() {
	if m.Shown == nil {
		m.Shown = func(string) func(string) bool { return nil }
	}
	if m.Private == nil {
		m.Private = func(string) bool { return false }
	}
}

// plain reports whether the request log shows the value of a member: only if the contract
// restricts it and the value complies.
func (m *Masking) plain(r *rule, name, text string) bool {
	switch {
	case r.kind == kindString && (r.enum != nil || r.prefix != ""):
		_, bad := r.text(text)
		return bad == nil
	case r.kind == kindString:
		shown := m.Shown(name)
		return shown != nil && shown(text)
	case m.Private(name):
		return false
	case r.kind == kindObject, r.kind == kindArray, r.kind == kindMap, r.kind == kindAny:
		return false
	}
	return r.setText(reflect.New(r.typ).Elem(), text) == nil
}

// masker copies a JSON text along the rule of its type, and masks what is not plain.
type masker struct {
	*Masking
	dec   *jsontext.Decoder
	enc   *jsontext.Encoder
	mark  func(text string) string // digest of a masked value; nil: no digests
	marks map[string]string        // by pointer to the masked value
}

// json returns a body with everything masked that the rule does not mark as plain, nil if
// it is not JSON. Members unknown to the rule are left out: their names are not part of the
// contract. With mark it also returns digests that distinguish masked values.
func (m *Masking) json(r *rule, body []byte, mark func(string) string) (masked []byte, marks map[string]string) {
	if prescan(body) != "" {
		return nil, nil
	}
	var out bytes.Buffer
	run := masker{m, jsontext.NewDecoder(bytes.NewBuffer(body)), jsontext.NewEncoder(&out), mark, map[string]string{}}
	if run.value(r, "", "") != nil {
		return nil, nil
	}
	if _, err := run.dec.ReadToken(); err != io.EOF {
		return nil, nil
	}
	return bytes.TrimSpace(out.Bytes()), run.marks
}

// value copies one value. at is its pointer, name the member that contains it.
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
	if v.Kind() == 'n' || m.plain(r, name, textOf(v)) {
		return m.enc.WriteValue(v)
	}
	m.note(at, v)
	return m.enc.WriteToken(jsontext.String(Masked))
}

// textOf is a text without its quotes, or a number or a word as written.
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

// copy copies one token.
func (m *masker) copy() error {
	t, err := m.dec.ReadToken()
	if err != nil {
		return err
	}
	return m.enc.WriteToken(t)
}

// closed masks an object or a list as a whole: one with names chosen by the caller, such as
// metadata, or one that the contract does not describe. It stays an object or a list, and
// an empty one stays empty.
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

// note records the digest that distinguishes a masked value from others of the same member.
func (m *masker) note(at string, v jsontext.Value) {
	if m.mark != nil {
		m.marks[at] = m.mark(at + "\n" + string(v))
	}
}

// query returns a query with values masked that are not plain, and without parameters
// unknown to the operation.
func (m *Masking) query(p *paramRules, raw string) string {
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
		if text := values.Get(x.name); text == "" || m.plain(x.rule, x.name, text) {
			value = url.QueryEscape(text)
		}
		out = append(out, x.name+"="+value)
	}
	slices.Sort(out)
	return strings.Join(out, "&")
}

// path returns the path in the contract's form, with values masked that are not plain.
func (m *Masking) path(o *operation, e *entry, path string) string {
	segments := strings.Split(o.Path, "/")
	for i, s := range segments {
		if !strings.HasPrefix(s, "{") {
			continue
		}
		name := strings.Trim(s, "{}")
		segments[i] = Masked
		for _, x := range o.params.list {
			if value := e.value(path, name); x.in == "path" && x.name == name && m.plain(x.rule, name, value) {
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

// maskProblem masks a problem: pointers that are not part of the contract, and members
// that not every problem has.
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

// has reports whether a pointer leads to a member that the rules know.
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
