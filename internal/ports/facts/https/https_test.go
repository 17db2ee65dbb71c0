package https

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
	"tenor/internal/edge/webhook"
	"tenor/internal/ports/facts"
	"tenor/internal/ports/outbound"
)

// secret is shared by the vendors in these tests.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

var now = time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)

// sent is a received request.
type sent struct {
	port   facts.Port
	header http.Header
	body   []byte
}

// office is a server with all vendors, one per path.
type office struct {
	*httptest.Server
	client *http.Client

	mu       sync.Mutex
	requests []sent
}

// open starts an office whose vendors respond with answer, once the signature is verified.
func open(t *testing.T, answer func(w http.ResponseWriter, port facts.Port)) *office {
	t.Helper()
	o := &office{}
	o.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		port := facts.Port(strings.TrimPrefix(r.URL.Path, "/"))
		o.mu.Lock()
		o.requests = append(o.requests, sent{port, r.Header, body})
		o.mu.Unlock()
		if r.Method != http.MethodPost || webhook.Verify(secret, r.Header, body, now) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer(w, port)
	}))
	o.Config.ErrorLog = log.New(io.Discard, "", 0)
	o.StartTLS()
	t.Cleanup(o.Close)
	roots := x509.NewCertPool()
	roots.AddCert(o.Certificate())
	o.client = outbound.NewClient(outbound.Config{Rules: outbound.Rules{AllowPrivate: true}, Roots: roots})
	t.Cleanup(o.client.CloseIdleConnections)
	return o
}

func (o *office) config() Config {
	at := func(p facts.Port) Endpoint { return Endpoint{o.URL + "/" + string(p), secret} }
	return Config{
		Registry: at(facts.Registry), Bureau: at(facts.Bureau), Bank: at(facts.Bank),
		Client: o.client, Timeout: time.Minute, Now: func() time.Time { return now },
	}
}

func ports(t *testing.T, c Config) facts.Ports {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// question is the one in docs/underwriting.md.
func question() facts.Question {
	return facts.Question{
		Application: "app_7Kd2", LegalName: "Harbor Supply LLC", EIN: "123456789", EntityType: underwriting.LLC, FormedOn: calendar.MustParse("2019-04-01"),
		StateOfFormation: "OH", Address: facts.Address{Street: "12 Dock Street", City: "Dayton", State: "OH", PostalCode: "45402"}, Phone: "+19375550100",
		Owners: []facts.Owner{{
			FirstName: "Ann", LastName: "Example", BirthDate: calendar.MustParse("1980-01-02"), Percent: 60, Control: true,
			Address: facts.Address{Street: "4 Hill Road", City: "Dayton", State: "OH", PostalCode: "45419"},
		}},
	}
}

// patient waits as long as the adapter does.
func patient() facts.Waits {
	return facts.Waits{Now: func() time.Time { return now }, After: func(time.Duration) <-chan time.Time { return nil }}
}

func gather(t *testing.T, p facts.Ports) facts.Gathered {
	t.Helper()
	g, err := facts.Gather(t.Context(), p, question(), patient())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/underwriting.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// examples returns the page's blocks of a kind, request or answer, by port.
func examples(t *testing.T, kind string) map[facts.Port]string {
	t.Helper()
	out := map[facts.Port]string{}
	for _, m := range regexp.MustCompile("(?s)```json "+kind+"=([a-z_]+)\n(.*?)```").FindAllStringSubmatch(readPage(t), -1) {
		out[facts.Port(m[1])] = m[2]
	}
	if len(out) != 3 {
		t.Fatalf("the page has %d examples of %s, want 3", len(out), kind)
	}
	return out
}

func reply(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = io.WriteString(w, text)
}

// The page's examples are what is sent, and what is understood.
func TestPage(t *testing.T) {
	asked, answers := examples(t, "request"), examples(t, "answer")
	o := open(t, func(w http.ResponseWriter, port facts.Port) { reply(w, answers[port]) })
	g := gather(t, ports(t, o.config()))
	for _, r := range o.requests {
		var got, want any
		if err := errors.Join(json.Unmarshal(r.body, &got), json.Unmarshal([]byte(asked[r.port]), &want)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s is asked otherwise than the page says (-page +sent):\n%s", r.port, diff)
		}
		key := "app_7Kd2-" + string(r.port)
		if r.header.Get("Idempotency-Key") != key || r.header.Get("webhook-id") != key || r.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v", r.port, r.header)
		}
	}
	if len(o.requests) != 3 {
		t.Errorf("%d requests, want 3", len(o.requests))
	}
	sum := sha256.Sum256([]byte(answers[facts.Bureau]))
	if f := g.Bureau.Fact; f == nil || f.Source != "Example Bureau" || f.RawHash != hex.EncodeToString(sum[:]) || !f.At.Equal(now) {
		t.Fatalf("%+v", g.Bureau)
	}
	if g.Registry.Fact == nil || g.Bank.Fact == nil {
		t.Fatalf("%+v", g)
	}
	report := facts.CreditReport{
		Score: underwriting.Score{FICO: 705}, File: underwriting.BusinessFile{Present: true, Clean: true}, Bureau: "Example Bureau",
		Contact: "PO Box 1, Dayton, OH 45401, +1 800 555 0100", ReportedOn: calendar.MustParse("2026-03-02"), LowestScore: 300, BestScore: 850,
		KeyFactors: []string{"Proportion of balances to credit limits is too high"},
	}
	if diff := cmp.Diff(report, g.Bureau.Fact.Answer); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(facts.Registration{Identity: underwriting.IdentityProved, Registration: underwriting.RegistrationFound, FormedOn: calendar.MustParse("2019-05-20"), State: "OH"}, g.Registry.Fact.Answer); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(facts.BankAccount{Found: true, AverageBalance: money.MustParse("4584")}, g.Bank.Fact.Answer); diff != "" {
		t.Error(diff)
	}
}

// strict is the page's answer of a bureau with a replacement.
func strict(t *testing.T, from, to string) string {
	t.Helper()
	text := examples(t, "answer")[facts.Bureau]
	if !strings.Contains(text, from) {
		t.Fatalf("the answer has no %s", from)
	}
	return strings.Replace(text, from, to, 1)
}

// bad is what servers do, by the first cell of the page's table; nil: the test does it itself.
func bad(t *testing.T, over <-chan struct{}) map[string]func(w http.ResponseWriter) {
	text := func(s string) func(http.ResponseWriter) { return func(w http.ResponseWriter) { reply(w, s) } }
	status := func(n int) func(http.ResponseWriter) { return func(w http.ResponseWriter) { w.WriteHeader(n) } }
	return map[string]func(http.ResponseWriter){
		"answers too late":                          func(http.ResponseWriter) { <-over },
		"answers with status 500":                   status(http.StatusInternalServerError),
		"finds the signature wrong and answers 401": nil,
		"redirects": func(w http.ResponseWriter) {
			w.Header().Set("Location", "/bank_data")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"answers JSON that is broken":               text(`{"source": "Example Bureau", "owner_score": {"fico": 7`),
		"answers with a member that is not known":   text(strict(t, `"open_bankruptcy"`, `"mood": 1, "open_bankruptcy"`)),
		"answers with a member twice":               text(strict(t, `"open_bankruptcy"`, `"open_bankruptcy": true, "open_bankruptcy"`)),
		"leaves out a member that must be there":    text(strict(t, `"open_bankruptcy": false,`, ``)),
		"answers something that is no score":        text(strict(t, `705`, `7050`)),
		"answers more than 64 KiB":                  text(strict(t, `{`, `{`+strings.Repeat(" ", outbound.MaxBody))),
		"answers a page of HTML":                    func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<!doctype html><p>Welcome") },
		"has a certificate of an unknown authority": nil,
		"closes the connection":                     func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	}
}

// Every row of the page's table happens, on a server that is called twice.
func TestBadAnswers(t *testing.T) {
	over := make(chan struct{})
	servers, rows := bad(t, over), 0
	_, table, _ := strings.Cut(readPage(t), "### What Tenor makes of other answers")
	for _, m := range regexp.MustCompile(`(?m)^\| (.+) \| (silent|broken) \| (.+) \|$`).FindAllStringSubmatch(table, -1) {
		rows++
		serve, known := servers[m[1]]
		if !known {
			t.Errorf("no server %q is played", m[1])
			continue
		}
		t.Run(m[1], func(t *testing.T) {
			o := open(t, func(w http.ResponseWriter, _ facts.Port) { serve(w) })
			c := o.config()
			c.Registry, c.Bank = Endpoint{}, Endpoint{}
			switch asked := 2; m[1] {
			case "answers too late":
				c.Timeout = 100 * time.Millisecond
				t.Cleanup(func() { close(over) }) // before the server closes, which waits for it
			case "finds the signature wrong and answers 401":
				c.Bureau.Secret = "whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 24))
			case "has a certificate of an unknown authority":
				asked, c.Client = 0, outbound.NewClient(outbound.Config{Rules: outbound.Rules{AllowPrivate: true}})
				fallthrough
			default:
				defer func() {
					if o.mu.Lock(); len(o.requests) != asked {
						t.Errorf("asked %d times, want %d", len(o.requests), asked)
					}
					o.mu.Unlock()
				}()
			}
			g := gather(t, ports(t, c))
			if b := g.Bureau; b.Fact != nil || !strings.EqualFold(string(b.Why), m[2]) || b.Text != m[3] || b.Tries != 2 {
				t.Errorf("%+v, the page says %s: %s", b, m[2], m[3])
			}
			if g.Registry.Why != underwriting.NotConfigured {
				t.Errorf("an endpoint without address: %+v", g.Registry)
			}
		})
	}
	if rows != len(servers) {
		t.Errorf("the page has %d rows, %d servers are played", rows, len(servers))
	}
}

// A retry carries the same key and the same bytes, and gets an answer.
func TestRepeatIsTheSameInquiry(t *testing.T) {
	answers, tries := examples(t, "answer"), 0
	o := open(t, func(w http.ResponseWriter, port facts.Port) {
		if tries++; tries == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		reply(w, answers[port])
	})
	c := o.config()
	c.Registry, c.Bank = Endpoint{}, Endpoint{}
	g := gather(t, ports(t, c))
	if g.Bureau.Fact == nil || g.Bureau.Tries != 2 || len(o.requests) != 2 {
		t.Fatalf("%+v, %d requests", g.Bureau, len(o.requests))
	}
	a, b := o.requests[0], o.requests[1]
	if a.header.Get("Idempotency-Key") != b.header.Get("Idempotency-Key") || !bytes.Equal(a.body, b.body) {
		t.Errorf("asked %s, then %s", a.header.Get("Idempotency-Key"), b.header.Get("Idempotency-Key"))
	}
}

// What may be left out, and the lower bounds of an answer.
func TestSparseAnswers(t *testing.T) {
	o := open(t, func(w http.ResponseWriter, port facts.Port) {
		reply(w, map[facts.Port]string{
			facts.Registry: `{"source": "R"}`,
			facts.Bureau:   `{"source": "B", "owner_score": {"fico_scale": 3}, "business_file": {"present": false}, "open_bankruptcy": true}`,
			facts.Bank:     `{"source": "K", "found": true, "average_balance": -12.5, "returned_items_90d": 2}`,
		}[port])
	})
	in := gather(t, ports(t, o.config())).Into(underwriting.Inputs{}, calendar.NewZone(time.UTC))
	if in.Identity != "" || in.RegistryFormedOn != calendar.None || in.OwnerScore.Scale != 3 || !in.OpenBankruptcy || in.BusinessFile.Present ||
		in.Bank.AverageBalance != -1250 || in.Bank.ReturnedItems != 2 || len(in.Missed) != 1 {
		t.Errorf("%+v", in)
	}
}

func TestRefusedAnswers(t *testing.T) {
	for port, list := range map[facts.Port][]string{
		facts.Registry: {`{}`, `null`, `[]`, `{"source": ""}`, `{"source": "R"} {}`, `{"Source": "R"}`, `{"source": "R", "identity": "MAYBE"}`, `{"source": "R", "formed_on": "1 May 2020"}`, `{"source": "` + strings.Repeat("x", 101) + `"}`, "{\"source\": \"\xff\"}"},
		facts.Bureau:   {`{"source": "B"}`, `{"source": "B", "business_file": {}, "open_bankruptcy": false}`, `{"source": "B", "owner_score": {"fico": 7e2}, "business_file": {"present": false}, "open_bankruptcy": false}`, `{"source": "B", "owner_score": {"fico": "705"}, "business_file": {"present": false}, "open_bankruptcy": false}`},
		facts.Bank:     {`{"source": "K"}`, `{"source": "K", "found": true}`, `{"source": "K", "found": true, "average_balance": 1.005, "returned_items_90d": 0}`, `{"source": "K", "found": true, "average_balance": --1, "returned_items_90d": 0}`, `{"source": "K", "found": true, "average_balance": "1.00", "returned_items_90d": 0}`, `{"source": "K", "found": true, "average_balance": 1.00, "returned_items_90d": -1}`},
	} {
		for _, text := range list {
			o := open(t, func(w http.ResponseWriter, _ facts.Port) { reply(w, text) })
			g := gather(t, ports(t, o.config()))
			if why := map[facts.Port]underwriting.Absence{facts.Registry: g.Registry.Why, facts.Bureau: g.Bureau.Why, facts.Bank: g.Bank.Why}[port]; why != underwriting.Broken {
				t.Errorf("%s: %s is taken (%s)", port, text, why)
			}
		}
	}
}

// No error reveals what was asked or answered, where, or under which secret.
func TestErrorsTellNothing(t *testing.T) {
	for name, serve := range bad(t, nil) {
		if serve == nil || name == "answers too late" {
			continue
		}
		o := open(t, func(w http.ResponseWriter, _ facts.Port) { serve(w) })
		c := o.config()
		_, err := ports(t, c).Bureau.Report(t.Context(), facts.Ask{Application: "app_7Kd2", Try: 1}, facts.BureauQuestion{Owner: facts.BureauOwner{FirstName: "Ann", LastName: "Example"}})
		if name == "answers something that is no score" { // Gather refuses it
			continue
		}
		var f *facts.Failure
		if !errors.As(err, &f) || f.Text == "" {
			t.Errorf("%s: %v", name, err)
		}
		for _, told := range []string{"Ann", "705", "Example", o.URL, "127.0.0.1", secret, "mood", "Welcome"} {
			if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, f.Text), told) {
				t.Errorf("%s: the error tells %s: %v", name, told, err)
			}
		}
		if shown := fmt.Sprintf("%v %+v %#v", c.Bureau, c.Bureau, c.Bureau); strings.Contains(shown, "whsec") {
			t.Errorf("an endpoint shows its secret: %s", shown)
		}
	}
}

func TestWhatIsNotSent(t *testing.T) {
	o := open(t, func(http.ResponseWriter, facts.Port) {})
	p := ports(t, o.config())
	for _, id := range []string{"", "app.1", "app_1\r\nx: y", "äpp"} {
		if _, err := p.Bank.Account(t.Context(), facts.Ask{Application: id}, facts.BankQuestion{}); err == nil {
			t.Errorf("%q is signed", id)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Bank.Account(ctx, facts.Ask{Application: "app_1"}, facts.BankQuestion{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cut short: %v", err)
	}
	if len(o.requests) != 0 {
		t.Errorf("%d requests were sent", len(o.requests))
	}
}

func TestConfig(t *testing.T) {
	good := Endpoint{"https://127.0.0.1/x", secret}
	for name, e := range map[string]Endpoint{
		"http": {"http://127.0.0.1/x", secret}, "no host": {"https:///x", secret}, "user": {"https://a:b@127.0.0.1/x", secret},
		"fragment": {"https://127.0.0.1/x#y", secret}, "no URL": {"nonsense", secret}, "no secret": {good.URL, ""},
		"secret without prefix": {good.URL, strings.TrimPrefix(secret, "whsec_")}, "short secret": {good.URL, "whsec_c2hvcnQ="}, "no base64": {good.URL, "whsec_ä"},
	} {
		if _, err := New(Config{Bureau: e, Client: &http.Client{}}); err == nil || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "c2hvcnQ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Config{Bureau: good}); err == nil {
		t.Error("no client is needed")
	}
	p, err := New(Config{Bureau: good, Client: &http.Client{}})
	if err != nil || p.Bureau == nil || p.Registry != nil || p.Bank != nil || p.Live() != nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// The bounds also apply to a client that has none of its own.
func TestBoundsAreTheAdaptersOwn(t *testing.T) {
	servers := bad(t, nil)
	for name, want := range map[string]string{"redirects": "The vendor answered with status 307.", "answers more than 64 KiB": "The answer is larger than 64 KiB."} {
		o := open(t, func(w http.ResponseWriter, _ facts.Port) { servers[name](w) })
		c := o.config()
		c.Registry, c.Bank, c.Client = Endpoint{}, Endpoint{}, o.Server.Client()
		if g := gather(t, ports(t, c)); g.Bureau.Text != want || len(o.requests) != 2 {
			t.Errorf("%s: %+v, %d requests", name, g.Bureau, len(o.requests))
		}
	}
}
