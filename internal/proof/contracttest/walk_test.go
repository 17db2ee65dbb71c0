package contracttest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"

	"tenor/internal/domain/money"
)

// besides are the rules between members of a request that a schema cannot express: a request that
// satisfies its schema may break them and be refused as invalid.
var besides = map[string]string{
	"createCheckout":         "an amount and addresses are needed unless there is an order; an address gives its street once",
	"createApplication":      "one person runs the business, and days must be plausible",
	"prequalify":             "one factor at least is given",
	"approveApplication":     "a lower line has reasons, and no line is above the policy's",
	"declineApplication":     "a decline has reasons that there are",
	"requestInformation":     "the applicant has until a day to come",
	"createCase":             "a text says something",
	"addCaseNote":            "a text says something",
	"answerCase":             "a text says something",
	"resolveCase":            "a text says something, and an outcome is of the kind",
	"setPerson":              "a BUYER has a sum, and nobody else",
	"recordPaperSignature":   "the paper is a PDF, PNG or JPEG in Base64, signed today at the latest",
	"createOrder":            "an authorized order needs a number of installments; an address gives its street once",
	"updateOrder":            "an address gives its street once",
	"payRefund":              "it names an account or how it was paid by hand",
	"recordReceipt":          "it is of no day to come",
	"reportCompany":          "it is of no day to come",
	"identifyReceipt":        "it names one of an order, an invoice and a company",
	"recordPayment":          "it names one of an order, an invoice and a company; a date fits the method",
	"refundOrder":            "items and amount exclude one another",
	"createMerchant":         "settings must agree with one another",
	"addProgram":             "settings must agree with one another",
	"createWebhook":          "event types and addresses are checked by the domain",
	"updateWebhook":          "event types and addresses are checked by the domain",
	"replayWebhook":          "a span has an end after its beginning",
	"createClient":           "scopes are those that its kind may hold",
	"updateCompany":          "a company needs its members",
	"createCompany":          "a status fits its reason",
	"addPaymentMethod":       "an account needs the members of its kind, a routing number its check digit, an authorization a past",
	"setMerchantAccount":     "a routing number has a check digit",
	"setAutopay":             "a merchant switches it on with an authorization of the past",
	"vouchForPaymentMethod":  "it vouches for the account, for the consent, or both",
	"setMerchantShop":        "an origin is a scheme and a host",
	"setMerchantLimits":      "there is no amount where there is no limit",
	"holdOrder":              "the program says for how many days an order may be held",
	"payClawback":            "no more can be sent than the merchant owes of clawbacks",
	"reviseSchedule":         "it asks for one of a re-schedule and a re-amortizing; a date fits the present one",
	"remitCollected":         "no more can be sent than the merchant has collected",
	"updateLender":           "a rate is from 0 to 1 and of a bucket",
	"authorizePaymentMethod": "an authorization comes after the one before, and not ahead of time",
	"closePeriod":            "a month is closed once it has ended, and again only with the same debits",
	"putBankLines":           "a line is of no day to come, and an id names one line",
	"reconcile":              "a status may be in upper or lower case",
}

// lenders are merchant operations of which a part is reserved for the lender.
var lenders = map[string]string{
	"recordPayment":   "after a report that was taken back the lender records",
	"refundPayment":   "the lender's own payments and autopay's are the lender's to give back",
	"cancelPayment":   "a second try of a debit is the lender's to cancel",
	"setOrderAutopay": "what the company has told the lender itself is the lender's to switch off",
	"setAutopay":      "what the company has told the lender itself is the lender's to switch off",
}

var anyID = regexp.MustCompile(`"[a-z]{2,4}_[0-9A-Z]{26}"`)

// longest is the longest text generated in full. A file in Base64 may be longer; with four-byte
// runes its body would be refused for its size.
const longest = 1 << 20

// walker makes random requests in a world of its own.
type walker struct {
	*world
	rt     *rapid.T
	known  map[string][]string // existing IDs, by kind
	counts map[string]int
}

func newWalker(rt *rapid.T, c *contract, counts map[string]int) *walker {
	k := &walker{world: newWorld(rt, c), rt: rt, known: map[string][]string{}, counts: counts}
	k.known[company] = []string{fmt.Sprint(k.company)}
	for _, kind := range []string{"ord", "inv", "pay", "whk", "evt", "dlv", "mch", "cli", "pm", "po", "ntc", "scr", "rcp", "ent", "bank_lines", "mtc", "bkn", "chk", "app", "case", "apv"} {
		k.known[kind] = []string{k.object(kind, k.a)}
	}
	doc := strings.Split(k.document(k.a), "/")
	k.known["app"], k.known["doc"] = append(k.known["app"], doc[0]), doc[1:]
	fee := strings.Split(k.fee(k.a), "/")
	k.known["fee"], k.known["statements"] = fee[1:], []string{"2026-03", "2026-02"}
	k.known["ord"] = append(k.known["ord"], fee[0])
	refund := strings.Split(k.owed(k.a), "/")
	k.known["pay"], k.known["rfd"] = append(k.known["pay"], refund[0]), refund[1:]
	k.known["ord"] = append(k.known["ord"], k.order(k.a, true, false), k.order(k.a, false, false))
	return k
}

// step makes one request, and related ones.
func (k *walker) step() {
	op := rapid.SampledFrom(k.c.ops).Draw(k.rt, "operation")
	if op.public {
		return // covered by the sweep: they have no meaningful schema
	}
	r := k.request(op)
	kinds := []string{"call", "call", "call", "call"}
	if !op.open { // all of its callers are strangers
		kinds = append(kinds, "stranger")
	}
	if op.body != nil {
		kinds = append(kinds, "fault", "fault")
	}
	if op.parameter("header", "Prefer") != nil {
		kinds = append(kinds, "dry run")
	}
	if op.parameter("header", "Idempotency-Key") != nil {
		kinds = append(kinds, "repeat")
	}
	kind := rapid.SampledFrom(kinds).Draw(k.rt, "kind")
	k.counts[kind]++
	r.name = kind
	switch kind {
	case "call":
		k.call(r)
	case "fault":
		k.fault(r)
	case "stranger":
		k.stranger(r)
	case "dry run":
		k.foresee(r)
	case "repeat":
		k.repeat(r)
	}
}

// call makes a request that satisfies its schema. It succeeds, or is refused because of its
// content.
func (k *walker) call(r request) answer {
	before := k.state()
	a := k.send(r)
	switch code := a.code(); {
	case a.status == 400 && (code == "invalid_parameter" || code == "invalid_cursor") && r.query != "": // a reversed range, a future as_of
	case a.status == 422 && code == "validation_failed" && besides[r.op.OperationID] != "":
	case a.status == 403 && code == "insufficient_scope" && lenders[r.op.OperationID] != "":
	case a.status == 400, a.status == 401, a.status == 403 && code != "company_not_linked", a.status == 405, a.status == 406, a.status == 413, a.status == 415,
		code == "validation_failed":
		k.rt.Errorf("%s keeps its schema and is refused: %d %s\n%s %s", r, a.status, clip(a.body), r.target(), r.body)
	}
	beside := !r.op.decided() && !r.op.reads() && a.status < 300 // it changes data outside the books
	if (a.header.Get("Commit-Seq") == "" || r.op.reads()) && !beside && k.state() != before {
		k.rt.Errorf("%s has no Commit-Seq, and an effect: %d %s", r, a.status, clip(a.body))
	}
	for _, id := range anyID.FindAllString(string(a.body), 20) {
		if id = strings.Trim(id, `"`); id == k.b {
			continue // otherwise the company might be linked to a stranger
		}
		if kind, _, _ := strings.Cut(id, "_"); !slices.Contains(k.known[kind], id) && !strings.Contains(r.body+r.object+r.query, id) {
			k.known[kind] = append(k.known[kind], id)
		}
	}
	return a
}

// fault makes a request with one violation of the schema.
func (k *walker) fault(r request) {
	var body any
	if err := json.Unmarshal([]byte(r.body), &body); err != nil {
		k.rt.Fatal(err)
	}
	p := rapid.SampledFrom(places(r.op.body)).Draw(k.rt, "place")
	faults := faultsOf(p.schema)
	if p.required {
		faults = append(faults, invalid("missing", gone{}))
	}
	f := rapid.SampledFrom(faults).Draw(k.rt, "fault")
	r.name, r.body, r.query = fmt.Sprintf("%s: %s", p, f.name), write(with(r.op.body, body, p.path, f.value)), ""
	before := k.state()
	k.refused(r, f.status, f.code)
	if k.state() != before {
		k.rt.Errorf("%s has had an effect", r)
	}
}

// stranger makes a request with a token that lacks permission.
func (k *walker) stranger(r request) {
	before := k.state()
	switch rapid.SampledFrom([]string{"nobody", "wrong", "other"}).Draw(k.rt, "who") {
	case "nobody":
		r.who = ""
		k.refused(r, 401, "unauthorized")
	case "wrong":
		r.who = "tnr_" + strings.Repeat("0", 26)
		k.refused(r, 401, "unauthorized")
	case "other":
		if r.op.kind == "" || r.op.operator() {
			return
		}
		r.who, r.query = "b", ""
		if a := k.send(r); a.status < 400 || a.header.Get("Commit-Seq") != "" {
			k.rt.Errorf("%s: another merchant gets %d %s", r, a.status, clip(a.body))
		}
	}
	if k.state() != before {
		k.rt.Errorf("%s as %q has had an effect", r, r.who)
	}
}

// foresee makes a dry run, and then the actual call.
func (k *walker) foresee(r request) {
	before := k.state()
	dry := r
	dry.header = append(slices.Clone(r.header), [2]string{"Prefer", "dry-run"})
	a := k.send(dry)
	if k.state() != before {
		k.rt.Errorf("%s: a dry run has had an effect", r)
	}
	if b := k.call(r); a.status/100 != b.status/100 || a.code() != b.code() {
		k.rt.Errorf("%s: the dry run says %d %s, and then it is %d %s", r, a.status, a.code(), b.status, b.code())
	}
}

// repeat makes a request twice with one key.
func (k *walker) repeat(r request) {
	k.named++
	r.header = [][2]string{{"Idempotency-Key", "key-" + strconv.Itoa(k.named)}}
	a := k.call(r)
	before := k.state()
	b := k.send(r)
	if k.state() != before {
		k.rt.Errorf("%s: the repeat has had an effect", r)
	}
	if a.header.Get("Commit-Seq") != "" && (string(a.body) != string(b.body) || a.status != b.status || b.header.Get("Idempotency-Replayed") != "true") {
		k.rt.Errorf("%s: the repeat is another:\n%d %s\n%d %s", r, a.status, a.body, b.status, b.body)
	}
}

// request generates a request that satisfies its schema.
func (k *walker) request(op *operation) request {
	r := request{op: op, who: op.caller()}
	for i, kind := range op.kinds {
		if i > 0 {
			r.object += "/"
		}
		r.object += k.id(kind)
	}
	if op.body != nil {
		r.body = write(k.value(op.body, "body"))
	} else if op.file {
		r.body = aFile
	}
	var query []string
	for _, p := range op.Parameters {
		if p.Value.In == "query" && p.Value.Name != "cursor" && (p.Value.Required || rapid.IntRange(0, 3).Draw(k.rt, "has "+p.Value.Name) == 0) {
			query = append(query, p.Value.Name+"="+fmt.Sprint(k.value(p.Value.Schema.Value, p.Value.Name)))
		}
	}
	r.query = strings.NewReplacer(" ", "%20", "+", "%2B", "\"", "").Replace(strings.Join(query, "&"))
	if op.method != http.MethodPost && op.parameter("header", "If-Match") != nil && rapid.IntRange(0, 5).Draw(k.rt, "If-Match") == 0 {
		r.header = append(r.header, [2]string{"If-Match", fmt.Sprintf(`"%d"`, rapid.IntRange(1, 3).Draw(k.rt, "version"))})
	}
	return r
}

// id returns an ID: mostly an existing one.
func (k *walker) id(kind string) string {
	if list := k.known[kind]; len(list) > 0 && rapid.IntRange(0, 15).Draw(k.rt, "none") > 0 {
		return rapid.SampledFrom(list).Draw(k.rt, kind)
	}
	return nobodys(kind)
}

// value generates a value that a schema allows, often a boundary value.
func (k *walker) value(s *openapi3.Schema, name string) any {
	if len(s.AnyOf) > 0 {
		s = s.AnyOf[rapid.IntRange(0, len(s.AnyOf)-1).Draw(k.rt, name+" alternative")].Value
	}
	if s.Type.Is("null") {
		return nil
	}
	if has(s, "null") && rapid.IntRange(0, 7).Draw(k.rt, name+" null") == 0 {
		return nil
	}
	kind := kindOf(s)
	switch {
	case len(s.Enum) > 0:
		return rapid.SampledFrom(s.Enum).Draw(k.rt, name)
	case kind == company:
		id := k.id(company)
		if has(s, "integer") && rapid.Bool().Draw(k.rt, name+" as a number") {
			return raw(id)
		}
		return id
	case kind != "":
		return k.id(kind)
	case has(s, "number"):
		return k.decimal(s, name)
	case has(s, "integer"):
		low, high := int64(-1<<62), int64(1<<62)
		if s.Min != nil {
			low = int64(*s.Min)
		}
		if s.Max != nil {
			high = int64(*s.Max)
		}
		return raw(strconv.FormatInt(k.edged(low, high, name), 10))
	case has(s, "boolean"):
		return rapid.Bool().Draw(k.rt, name)
	case has(s, "array"):
		out := []any{}
		most := int(s.MinItems) + 2
		if s.MaxItems != nil {
			most = min(most, int(*s.MaxItems))
		}
		for range rapid.IntRange(int(s.MinItems), most).Draw(k.rt, name+" elements") {
			out = append(out, k.value(s.Items.Value, name))
		}
		return out
	case has(s, "object"):
		return k.filled(s, name)
	}
	return k.text(s, name)
}

// edged generates a number in a range, often its first or its last.
func (k *walker) edged(low, high int64, name string) int64 {
	return rapid.OneOf(rapid.SampledFrom([]int64{low, high, min(low+1, high), max(high-1, low)}), rapid.Int64Range(low, min(high, low+1000))).Draw(k.rt, name)
}

// decimal generates an amount or a rate, as a number or as text.
func (k *walker) decimal(s *openapi3.Schema, name string) any {
	text := rapid.SampledFrom([]string{"0.050000", "0.12", "0", "0.000001", "0.999999"}).Draw(k.rt, name+" rate")
	if s.Max != nil {
		cents := k.edged(int64(math.Round(value(s.Min)*100)), int64(math.Round(*s.Max*100)), name)
		text = money.Amount(cents).String()
		if cents%100 == 0 && rapid.Bool().Draw(k.rt, name+" whole") {
			text = strconv.FormatInt(cents/100, 10)
		}
	}
	if rapid.Bool().Draw(k.rt, name+" as text") {
		return text
	}
	return raw(text)
}

func (k *walker) filled(s *openapi3.Schema, name string) any {
	o := map[string]any{}
	for _, p := range places(s) {
		member, ok := p.path[0].(string)
		if len(p.path) != 1 || !ok {
			continue
		}
		if p.required || rapid.IntRange(0, 2).Draw(k.rt, "has "+member) == 0 {
			o[member] = k.value(p.schema, member)
		}
	}
	return o
}

// text generates a text that a schema allows.
func (k *walker) text(s *openapi3.Schema, name string) string {
	day := func() string {
		return k.business().AddDate(0, 0, rapid.IntRange(-60, 60).Draw(k.rt, name)).Format("2006-01-02")
	}
	switch {
	case s.Format == "date":
		return day()
	case s.Format == "date-time":
		return day() + "T10:00:00Z"
	case s.Format == "email":
		return "ada@marsh.example"
	case strings.HasPrefix(s.Format, "uri"):
		return "https://shop.example/hook"
	case s.Pattern != "":
		return rapid.StringMatching(s.Pattern).Draw(k.rt, name)
	case name == "as_of":
		return k.business().AddDate(0, 0, -rapid.IntRange(1, 60).Draw(k.rt, name)).Format("2006-01-02")
	}
	least, most := int(s.MinLength), 20
	if s.MaxLength != nil && *s.MaxLength <= longest && rapid.IntRange(0, 9).Draw(k.rt, name+" long") == 0 {
		least, most = int(*s.MaxLength), int(*s.MaxLength)
	} else if s.MaxLength != nil {
		most = min(most, int(*s.MaxLength))
	}
	runes := []rune("ab Z09.,-_/'%é水🙂<>=")
	return rapid.StringOfN(rapid.SampledFrom(runes), least, most, -1).Draw(k.rt, name)
}
