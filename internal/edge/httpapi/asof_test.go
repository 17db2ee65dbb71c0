package httpapi_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/resource"
)

// The past is an instant before now, or a business date before today, which stands for its
// end (A27). What did not exist then is not found.
func TestAsOf(t *testing.T) {
	s := open(t)
	began := s.clock()
	s.pass(time.Second)
	key := s.order(`{"company_id":%d,"amount":300,"installments":3,"status":"AUTHORIZED"}`, s.company)
	company := fmt.Sprintf("/v2/companies/%d", s.company)
	s.at("2026-01-12")
	s.must(200, "shop", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
	s.at("2026-01-14")
	s.must(201, "shop", "POST", "/payment", `{"order_key":"`+key+`","amount":100,"method":"WIRE"}`)
	now := s.clock().UTC()
	instant := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
	for _, x := range []struct {
		path, asOf string
		status     int
		want       string // status and, for a company, what it owes
	}{
		{"/v1/order/" + key, "2026-01-10", 200, "AUTHORIZED"},
		{"/v1/order/" + key, "2026-01-11", 200, "AUTHORIZED"},
		{"/v1/order/" + key, "2026-01-12", 200, "CAPTURED"},
		{"/v1/order/" + key, "2026-01-12T04:59:59.999999Z", 200, "AUTHORIZED"},
		{"/v1/order/" + key, "2026-01-11T23:59:59-05:00", 200, "AUTHORIZED"},
		{"/v1/order/" + key, instant(s.zone.At(s.zone.Date(now).AddDays(-2), 10, 0)), 200, "CAPTURED"},
		{"/v1/order/" + key, instant(now.Add(-time.Microsecond)), 200, "CAPTURED"},
		{"/v1/order/" + key, "2026-01-09", 404, "not_found"},
		{"/v1/order/" + key, instant(began), 404, "not_found"},
		{"/v1/order/" + key, "1970-01-01", 404, "not_found"},
		{"/payments/schedule/" + key, "2026-01-10", 200, "ESTIMATED"},
		{"/payments/schedule/" + key, "2026-01-13", 200, "ACTIVE"},
		{"/payments/schedule/" + key, "2026-01-09", 404, "not_found"},
		{company, "2026-01-10", 200, "APPROVED"},
		{company, "2026-01-09", 404, "not_found"},
		{"/v1/order/" + key, instant(now), 400, "invalid_parameter"},
		{"/v1/order/" + key, instant(now.Add(time.Hour)), 400, "invalid_parameter"},
		{"/v1/order/" + key, "2026-01-14", 400, "invalid_parameter"},
		{"/v1/order/" + key, "2026-01-15", 400, "invalid_parameter"},
		{"/payments/schedule/" + key, "2999-12-31", 400, "invalid_parameter"},
		{company, "2999-12-31T00:00:00Z", 400, "invalid_parameter"},
		{"/v1/order/" + key, "0000-01-01", 400, "invalid_parameter"},
		{"/v1/order/" + key, "9999-01-01", 400, "invalid_parameter"},
		{"/v1/order/" + key, "2026-01-12T10:00:60Z", 400, "invalid_parameter"},
		{"/v1/order/" + key, "2026-01-12T10:00:00", 400, "invalid_parameter"},
		{"/v1/order/" + key, "2026-02-30", 400, "invalid_parameter"},
		{"/v1/order/" + key, "yesterday", 400, "invalid_parameter"},
		{"/v1/order/" + key, "", 400, "invalid_parameter"},
		{"/v1/order/" + key, "2026-01-12&as_of=2026-01-11", 400, "invalid_parameter"},
		{"/v1/orders", "2026-01-12", 400, "unknown_parameter"},
		{"/v1/order/" + key + "/payoff", "2026-01-12", 400, "unknown_parameter"},
	} {
		r := s.call("shop", "GET", x.path+"?as_of="+x.asOf, "")
		got := fmt.Sprint(r.body["status"])
		if r.status >= 400 {
			got = r.code()
		}
		if r.status != x.status || got != x.want || (r.status == 200) != (r.header.Get("As-Of-Seq") != "") {
			t.Errorf("%s as of %s: %d %s, want %d %s", x.path, x.asOf, r.status, got, x.status, x.want)
		}
	}
	// The entity tag is the one of that time, and As-Of-Seq is the commit of that time.
	r := s.must(200, "shop", "GET", "/v1/order/"+key+"?as_of=2026-01-12", "")
	if r.header.Get("ETag") != `"2"` {
		t.Errorf("entity tag %s", r.header.Get("ETag"))
	}
	s.must(304, "shop", "GET", "/v1/order/"+key+"?as_of=2026-01-12", "", "If-None-Match", `"2"`)
	s.must(412, "shop", "GET", "/v1/order/"+key+"?as_of=2026-01-12", "", "If-Match", `"1"`)
	if then := s.must(200, "shop", "GET", company+"?as_of=2026-01-11", ""); then.header.Get("As-Of-Seq") >= r.header.Get("As-Of-Seq") {
		t.Errorf("As-Of-Seq %s on the 11th, %s on the 12th", then.header.Get("As-Of-Seq"), r.header.Get("As-Of-Seq"))
	}
	for _, token := range []string{"other", "nobody"} {
		if r := s.call(token, "GET", "/v1/order/"+key+"?as_of=2026-01-12", ""); r.status != map[string]int{"other": 404, "nobody": 401}[token] {
			t.Errorf("%s: %d", token, r.status)
		}
	}
}

// A merchant sees the past of a company only if it is linked now and was linked then.
func TestAsOfNeedsTheLinkThenAndNow(t *testing.T) {
	s := open(t)
	path := fmt.Sprintf("/v2/companies/%d?as_of=", s.company)
	s.at("2026-01-12")
	s.submit(lending.UpdateCompany{Company: s.company, Link: []string{s.stranger}})
	s.at("2026-01-14")
	s.submit(lending.UpdateCompany{Company: s.company, Unlink: []string{s.merchant}})
	s.at("2026-01-16")
	for _, x := range []struct {
		token, asOf string
		status      int
	}{
		{"other", "2026-01-11", 403}, {"other", "2026-01-12", 200}, {"other", "2026-01-15", 200},
		{"shop", "2026-01-11", 403}, {"shop", "2026-01-15", 403},
		{"ops", "2026-01-11", 200}, {"ops", "2026-01-15", 200}, {"ops", "2026-01-09", 404},
	} {
		if r := s.call(x.token, "GET", path+x.asOf, ""); r.status != x.status {
			t.Errorf("%s as of %s: %d, want %d", x.token, x.asOf, r.status, x.status)
		}
	}
}

// heldStore is a store that blocks commits once it is shut.
type heldStore struct {
	engine.Backend
	shut    chan struct{} // closed: commits block
	reached chan struct{} // one token for each blocked commit
	open    chan struct{}
}

func (g *heldStore) Update(ctx context.Context, fn func(store.Tx) error) (store.Commit, error) {
	return g.Backend.Update(ctx, func(tx store.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		select {
		case <-g.shut:
			g.reached <- struct{}{}
			<-g.open
		default:
		}
		return nil
	})
}

// A read of the past waits for a commit that is in progress and dated before the instant.
// Otherwise the same question would have two answers (TM3).
func TestAsOfWaitsForCommits(t *testing.T) {
	s := open(t)
	g := &heldStore{Backend: s.backend, shut: make(chan struct{}), reached: make(chan struct{}, 1), open: make(chan struct{})}
	slow, err := engine.New(engine.Config{
		Backend: g, Zone: s.zone, Now: s.clock, Node: "slow", Wire: resource.APIVersion,
		Alarm: func(a engine.Alarm) { t.Errorf("alarm %s: %v", a.What, a.Err) },
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return resource.EncodeEvent(e, at, by)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { slow.Run(ctx); close(done) }()
	t.Cleanup(func() { stop(); <-done })
	service := *s.service
	service.Submit = slow
	api, err := httpapi.New(s.config, httpapi.Table(&service))
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewServer(api)
	t.Cleanup(s.server.Close)

	key := s.order(`{"company_id":%d,"amount":300,"installments":3}`, s.company)
	s.pass(time.Second)
	close(g.shut)
	answered := make(chan reply, 2)
	go func() { answered <- s.call("shop", "PATCH", "/v1/order/"+key, `{"status":"AUTHORIZED"}`) }()
	<-g.reached // decided and dated, but not committed
	asOf := s.clock().UTC().Format(time.RFC3339Nano)
	s.pass(time.Second)
	read := make(chan reply, 1)
	go func() { read <- s.call("shop", "GET", "/v1/order/"+key+"?as_of="+asOf, "") }()
	select {
	case r := <-read:
		t.Errorf("answered before the commit: %s", r.raw)
	case <-time.After(100 * time.Millisecond): // it must never return, so no wait is long enough
	}
	close(g.open)
	if r := <-answered; r.status != 200 {
		t.Fatalf("the write: %d %s", r.status, r.raw)
	}
	if r := <-read; r.status != 200 || r.body["status"] != "AUTHORIZED" {
		t.Errorf("as of %s: %d %v", asOf, r.status, r.body["status"])
	}
}
