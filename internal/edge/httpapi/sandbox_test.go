package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
)

// controls record their calls and return the given refusal.
type controls struct {
	told    []string
	refusal error
}

func (x *controls) note(format string, args ...any) error {
	x.told = append(x.told, fmt.Sprintf(format, args...))
	return x.refusal
}

func (x *controls) Clock(context.Context) (resource.SandboxClock, error) {
	at := time.Date(2026, 1, 12, 21, 0, 0, 0, time.UTC)
	return resource.SandboxClock{
		Now: at, Frozen: true, Status: "ready", Target: &at, Progress: &resource.SandboxProgress{DaysDone: 2, DaysTotal: 2},
		NextEvent: &resource.SandboxEvent{At: at, Type: "transfer", Object: "trf_1"},
	}, nil
}
func (x *controls) AdvanceTo(_ context.Context, to time.Time, _ time.Duration) error {
	return x.note("advance to %s", to.UTC().Format(time.RFC3339))
}
func (x *controls) AdvanceToNext(context.Context, time.Duration) error {
	return x.note("advance to next")
}
func (x *controls) AdvanceUntil(_ context.Context, e serve.Awaited, _ time.Duration) error {
	if e.After != nil {
		return x.note("until %s of %v after %d.%d", e.Type, e.Merchant != "", e.After.Q, e.After.N)
	}
	return x.note("until %s of %v", e.Type, e.Merchant != "")
}
func (x *controls) Snapshot(_ context.Context, name string) (resource.SandboxSnapshot, error) {
	return aSnapshot(), x.note("snapshot %q", name)
}
func (x *controls) Snapshots() ([]resource.SandboxSnapshot, error) {
	return []resource.SandboxSnapshot{aSnapshot()}, x.note("snapshots")
}
func (x *controls) Restore(_ context.Context, id string) (resource.SandboxSnapshot, error) {
	return aSnapshot(), x.note("restore %s", id)
}
func (x *controls) Reset(ctx context.Context, caller string, seed, history bool) (resource.SandboxClock, error) {
	w, _ := x.Clock(ctx)
	return w, x.note("reset %q %v %v", caller, seed, history)
}
func (x *controls) Seed(_ context.Context, history bool) (string, error) {
	return "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0", x.note("seed %v", history)
}
func (x *controls) Scenarios() ([]resource.SandboxScenario, error) {
	return []resource.SandboxScenario{{Name: "a", Purpose: "b"}}, x.note("scenarios")
}
func (x *controls) RunScenario(_ context.Context, name string, begin func() func(any) error) error {
	if err := x.note("run %s", name); err != nil {
		return err
	}
	tell := begin()
	return errors.Join(tell(resource.SandboxScenario{Name: "first"}), tell(resource.SandboxScenario{Name: "second"}))
}
func aSnapshot() resource.SandboxSnapshot {
	return resource.SandboxSnapshot{ID: "snp_01KB2C4E6G8J0M2P4R6T8V0X2Z", Size: 7}
}
func (x *controls) Freeze(context.Context) error { return x.note("freeze") }
func (x *controls) Resume(context.Context) error { return x.note("resume") }
func (x *controls) FailNext(_ context.Context, code, account string) error {
	return x.note("fail next %s %s", code, account)
}
func (x *controls) Return(_ context.Context, transfer, code string) error {
	return x.note("return %s %s", transfer, code)
}
func (x *controls) Settle(context.Context, time.Duration) error { return x.note("settle") }
func (x *controls) Notice(_ context.Context, code, account string) error {
	return x.note("notice %s %s", code, account)
}

// sandboxHouse is a house whose clock and bank can be controlled.
func sandboxHouse(t *testing.T) (*house, *controls) {
	t.Helper()
	h := newHouse(t)
	x := &controls{}
	h.service.Sandbox, h.service.Controls, h.service.Receivers = true, x, &inspector{}
	config := h.config
	var err error
	if h.api, err = httpapi.New(config, httpapi.Table(h.service)); err != nil {
		t.Fatal(err)
	}
	h.tokens["play"] = h.token(h.a, auth.Scopes(false, true)...)
	return h, x
}

// Live mode has none of the sandbox's paths, for any caller or method.
func TestLiveHasNoSandbox(t *testing.T) {
	played, _ := sandboxHouse(t)
	live := newHouse(t)
	walked := 0
	for _, op := range httpapi.Table(live.service) {
		if strings.Contains(op.Path, "/sandbox") {
			t.Errorf("live mode has %s", op.Path)
		}
	}
	for _, op := range httpapi.Table(played.service) {
		path, below := strings.CutPrefix(op.Path, "/v1")
		if !strings.HasPrefix(path, "/sandbox/") || !below {
			continue
		}
		for _, target := range []string{"/v1" + path, "/v2" + path, path} {
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
				for _, who := range []string{"a", "ops"} {
					if r := live.call(who, method, target, ""); r.status != 404 || r.code() != "not_found" {
						t.Errorf("%s %s as %s: %d %s", method, target, who, r.status, r.raw)
					}
					walked++
				}
			}
		}
		if r := played.call("play", op.Method, path, ""); r.status != 404 {
			t.Errorf("%s without a version: %d", path, r.status)
		}
		if r := played.call("a", op.Method, filled(op.Path), `{}`); r.status != 403 || r.code() != "insufficient_scope" {
			t.Errorf("%s without the scope: %d %s", op.Path, r.status, r.raw)
		}
	}
	if walked < 9*36 {
		t.Errorf("only %d requests", walked)
	}
}

func TestSandboxControls(t *testing.T) {
	h, x := sandboxHouse(t)
	h.methodOf(h.company, "123456789")
	index := fingerprint("021000021", "123456789")
	event := h.must(200, "a", "GET", "/v1/events?limit=1", "").body["data"].([]any)[0].(map[string]any)["id"].(string)
	foreign := h.must(200, "b", "GET", "/v1/events?limit=100", "").body["data"].([]any)
	hidden := foreign[len(foreign)-1].(map[string]any)["id"].(string)
	place := ""
	if err := h.backend.View(t.Context(), func(v store.View) error {
		e, _, err := store.EventOf(v, event, "")
		place = fmt.Sprintf("%d.%d", e.Q, e.N)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, body string
		status     int
		told       string
	}{
		{"clock/advance", `{"duration":"72h"}`, 200, "advance to 2026-01-13T15:00:00Z"},
		{"clock/advance", `{"duration":"3d"}`, 200, "advance to 2026-01-13T15:00:00Z"},
		{"clock/advance", `{"duration":"1d2h"}`, 200, "advance to 2026-01-11T17:00:00Z"},
		{"clock/advance", `{"duration":"2h1d"}`, 422, ""},
		{"clock/advance", `{"duration":"1h30m"}`, 200, "advance to 2026-01-10T16:30:00Z"},
		{"clock/advance", `{"to":"2026-02-01T00:00:00-05:00"}`, 200, "advance to 2026-02-01T05:00:00Z"},
		{"clock/advance", `{"until":"next_event"}`, 200, "advance to next"},
		{"clock/advance", `{"until":"payment.succeeded"}`, 200, "until payment.succeeded of true"},
		{"clock/advance", `{"until":"payment.succeeded","after":"` + event + `"}`, 200, "until payment.succeeded of true after " + place},
		{"clock/advance", `{"until":"payment.succeeded","after":"` + hidden + `"}`, 422, ""},
		{"clock/advance", `{"until":"payment.succeeded","after":"evt_01KB0A4E7W5N3R1P9M8K6J4H2G"}`, 422, ""},
		{"clock/advance", `{"until":"next_event","after":"` + event + `"}`, 422, ""},
		{"clock/advance", `{"duration":"72h","after":"` + event + `"}`, 422, ""},
		{"clock/advance", `{"until":"payment.vanished"}`, 422, ""},
		{"clock/advance", `{}`, 422, ""},
		{"clock/advance", `{"duration":"72h","until":"next_event"}`, 422, ""},
		{"clock/advance", `{"duration":"-1h"}`, 422, ""},
		{"clock/freeze", ``, 200, "freeze"},
		{"clock/resume", ``, 200, "resume"},
		{"bank/fail-next", `{"return_code":"R01"}`, 204, "fail next R01 "},
		{"bank/fail-next", fmt.Sprintf(`{"return_code":"R02","company_id":%d}`, h.company), 204, "fail next R02 " + index},
		{"bank/fail-next", fmt.Sprintf(`{"return_code":"R02","company_id":%d}`, h.unlinked), 403, ""},
		{"bank/fail-next", `{"return_code":"01"}`, 422, ""},
		{"bank/notice", fmt.Sprintf(`{"change_code":"C01","company_id":%d}`, h.company), 204, "notice C01 " + index},
		{"bank/settle", ``, 200, "settle"},
		{"bank/return", `{"payment_id":"pay_1","return_code":"R01"}`, 404, ""},
	} {
		x.told = nil
		r := h.must(c.status, "play", "POST", "/v1/sandbox/"+c.path, c.body)
		if got := strings.Join(x.told, ";"); got != c.told {
			t.Errorf("%s %s: told %q, want %q", c.path, c.body, got, c.told)
		}
		if c.status == 200 && r.text("status") != "ready" {
			t.Errorf("%s: %s", c.path, r.raw)
		}
	}
	for refusal, want := range map[error]string{
		serve.ErrClockMoving: "clock_moving", serve.ErrClockBackwards: "validation_failed", serve.ErrClockTooFar: "validation_failed",
		serve.ErrClockNothing: "validation_failed", fmt.Errorf("it shows noon: %w", serve.ErrClockBackwards): "validation_failed",
		serve.ErrClockNoEvent: "validation_failed", serve.ErrSandboxBusy: "overloaded", context.DeadlineExceeded: "overloaded", fmt.Errorf("s3cr3t"): "internal_error",
	} {
		x.refusal = refusal
		if r := h.call("play", "POST", "/v1/sandbox/clock/advance", `{"duration":"1h"}`); r.code() != want || strings.Contains(r.raw, "s3cr3t") || strings.Contains(r.raw, "noon") {
			t.Errorf("%v: %d %s", refusal, r.status, r.raw)
		}
	}
}

// A ready company is linked to its creator and has the requested properties.
func TestSandboxCompanies(t *testing.T) {
	h, _ := sandboxHouse(t)
	for preset, want := range map[string]string{
		"approved": "APPROVED 25000.00", "small_line": "APPROVED 250.00", "pending": "PENDING 25000.00", "declined": "DECLINED 25000.00",
		"on_hold": "ON_HOLD 25000.00", "suspended": "SUSPENDED 25000.00", "suspends_later": "APPROVED 25000.00", "closed": "CLOSED 25000.00",
	} {
		r := h.must(201, "play", "POST", "/v1/sandbox/companies", `{"preset":"`+preset+`"}`)
		line := r.body["credit_line"].(map[string]any)
		if got := fmt.Sprint(r.text("status"), " ", line["limit"]); got != want || r.body["merchants"] != nil {
			t.Errorf("%s: %s, want %s", preset, r.raw, want)
		}
		h.must(200, "a", "GET", "/v2/companies/"+r.text("id"), "")
		h.must(403, "b", "GET", "/v2/companies/"+r.text("id"), "")
	}
	h.must(403, h.token("", auth.Scopes(true, true)...), "POST", "/v1/sandbox/companies", `{"preset":"approved"}`)
}
