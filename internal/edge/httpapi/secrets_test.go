package httpapi_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/rest"
)

// forms are the encodings in which a secret could appear.
func forms(secret []byte) map[string]string {
	std, url := base64.StdEncoding.EncodeToString(secret), base64.RawURLEncoding.EncodeToString(secret)
	return map[string]string{
		"raw": string(secret), "base64": std, "base64url": url, "hex": hex.EncodeToString(secret), "HEX": strings.ToUpper(hex.EncodeToString(secret)),
		"quoted": strings.Trim(fmt.Sprintf("%q", secret), `"`), "most of it": string(secret[:len(secret)*3/4]),
	}
}

// finds lists the forms of a secret that a text contains.
func finds(text []byte, secret []byte) (found []string) {
	for name, form := range forms(secret) {
		if bytes.Contains(text, []byte(form)) {
			found = append(found, name)
		}
	}
	return found
}

func (h *house) dump() []byte {
	h.t.Helper()
	var b bytes.Buffer
	if err := store.WriteDump(context.Background(), h.backend, &b); err != nil {
		h.t.Fatal(err)
	}
	return b.Bytes()
}

// T31: what was shown once is nowhere else: not in the database, its audit log and stored
// responses, and not in the log.
func TestSecretsAreNowhereElse(t *testing.T) {
	h := newHouse(t)
	secrets := map[string][]byte{}
	made := h.must(201, "ops", "POST", "/v1/operator/clients", `{"name":"x","merchant_id":"`+h.a+`"}`, "Idempotency-Key", "k1")
	id := made.text("id")
	secrets["client secret"] = []byte(made.text("secret"))
	rolled := h.must(200, "ops", "POST", "/v1/operator/clients/"+id+"/roll", ``, "Idempotency-Key", "k2")
	secrets["rolled secret"] = []byte(rolled.text("secret"))
	token := h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, rolled.text("secret"))).text("access_token")
	secrets["access token"] = []byte(token)
	hook := h.must(201, token, "POST", "/v1/webhooks", `{"url":"https://shop.example/hooks"}`, "Idempotency-Key", "k3")
	again := h.must(200, token, "POST", "/v1/webhooks/"+hook.text("id")+"/rotate", ``, "Idempotency-Key", "k4")
	for name, r := range map[string]reply{"signing secret": hook, "rotated secret": again} {
		secrets[name] = []byte(r.text("secret"))
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.text("secret"), "whsec_"))
		if err != nil || len(raw) != 32 {
			t.Fatalf("%s: %v", name, err)
		}
		secrets[name+", its bytes"] = raw
	}
	h.must(200, token, "POST", "/v1/webhooks/"+hook.text("id")+"/test", "")
	h.form("/oauth/introspect", "token="+token, "Authorization", basic(id, made.text("secret")))
	h.form("/oauth/revoke", "token="+token, "Authorization", basic(id, made.text("secret")))

	dump, log := h.dump(), []byte(h.log.String())
	for name, secret := range secrets {
		if len(secret) < 26 {
			t.Fatalf("%s has %d bytes", name, len(secret))
		}
		if found := finds(dump, secret); found != nil {
			t.Errorf("%s is in the database: %v", name, found)
		}
		if found := finds(log, secret); found != nil {
			t.Errorf("%s is in the log: %v", name, found)
		}
	}
	// The search does find what exists.
	sum := auth.Hash(token)
	if finds(dump, sum[:]) == nil || finds(dump, []byte(auth.HashSecret(auth.Secret(made.text("secret"))))) == nil {
		t.Error("the hashes are not found in the dump: nothing else would be")
	}
	// The stored responses are sealed and still open to the same bytes.
	if r := h.must(200, "ops", "POST", "/v1/operator/clients/"+id+"/roll", ``, "Idempotency-Key", "k2"); r.raw != rolled.raw {
		t.Errorf("the repeat shows %s", r.raw)
	}
	sealed := 0
	err := h.backend.View(context.Background(), func(v store.View) error {
		return store.EachAnswer(v, func(k store.KeyID, a store.Answer) error {
			if a.Sealed {
				sealed++
			}
			return nil
		})
	})
	if err != nil || sealed != 4 {
		t.Errorf("%d sealed answers, want 4: %v", sealed, err)
	}
}

// What a caller sends in the wrong place is not repeated, logged or stored, and an error
// reveals nothing of the internals.
func TestMarkedSecretsLeaveNoTrace(t *testing.T) {
	h := newHouse(t, func(c *rest.Config) { c.MaxFailures = 1000 })
	id, _ := h.client(h.a, "")
	var answers bytes.Buffer
	n := 0
	mark := func(kind string) string { n++; return fmt.Sprintf("s3cr3t-%s-%d", kind, n) }
	note := func(r reply) {
		fmt.Fprintln(&answers, r.status, r.header, r.raw)
		if r.status < 400 {
			t.Errorf("a request with a secret in the wrong place was taken: %s", r.raw)
		}
	}
	for _, path := range []string{"/oauth/token", "/oauth/revoke", "/oauth/introspect"} {
		note(h.form(path, "grant_type=client_credentials&token=x&client_id="+id+"&client_secret="+mark("form")))
		note(h.form(path, "grant_type=client_credentials&token=x", "Authorization", basic(id, mark("basic"))))
		note(h.form(path, "grant_type=client_credentials&token=x", "Authorization", basic(mark("user"), "x")))
		note(h.form(path, "grant_type="+mark("grant")+"&token="+mark("token")+"&scope="+mark("scope"), "Authorization", basic("cli_"+mark("id"), mark("pass"))))
		note(h.form(path+"?client_secret="+mark("query"), "grant_type=client_credentials"))
		note(h.call("", "POST", path, `{"client_secret":"`+mark("json")+`"}`))
		note(h.form(path, "%zz"+mark("broken")))
	}
	for _, target := range []string{"/v1/orders?access_token=" + mark("query"), "/v1/order/" + mark("path"), "/v1/" + mark("route"), "/v1/orders?cursor=" + mark("cursor")} {
		note(h.call("tnr_"+mark("bearer"), "GET", target, ""))
		note(h.call("a", "GET", target, ""))
	}
	for _, x := range []struct{ path, body string }{
		{"/order", `{"company_id":"%s"}`}, {"/order", `%s`}, {"/v1/webhooks", `{"url":"https://%s@shop.example/"}`},
		{"/v1/webhooks", `{"url":"https://127.0.0.1/%s"}`}, {"/v1/webhooks", `{"url":"https://shop.example/","secret":"%s"}`},
		{"/v1/webhooks", `{"url":"https://shop.example/","event_types":["%s"]}`},
	} {
		note(h.call("a", "POST", x.path, fmt.Sprintf(x.body, mark("body"))))
		note(h.call("b", "POST", x.path, fmt.Sprintf(x.body, mark("body")), "Idempotency-Key", "\x01"+mark("key")))
	}
	note(h.call("ops", "POST", "/v1/operator/clients", `{"name":"x","scopes":["`+mark("scope")+`"]}`))
	note(h.call("ops", "POST", "/v1/operator/clients", `{"name":"x","secret":"`+mark("secret")+`"}`))
	note(h.call("a", "GET", "/v1/orders", "", "X-Request-Id", "<"+mark("rid")+">", "Traceparent", mark("trace"), "X-Forwarded-For", mark("addr"), "Accept", mark("accept")))

	// A database whose error would leak.
	h.service.Store = failing{h.backend}
	note(h.call("a", "GET", "/v1/events", ""))
	for name, text := range map[string][]byte{"answers": answers.Bytes(), "log": []byte(h.log.String()), "database": h.dump()} {
		if at := bytes.Index(text, []byte("s3cr3t")); at >= 0 {
			t.Errorf("a marked secret is in the %s: …%.120s", name, text[at:])
		}
	}
	if bytes.Contains(answers.Bytes(), []byte("SELECT")) || bytes.Contains(answers.Bytes(), []byte("/var/lib")) {
		t.Error("an answer tells of the database")
	}
	if n < 50 {
		t.Errorf("only %d marked secrets", n)
	}
}

// failing is a database whose errors say too much.
type failing struct{ store.Backend }

func (failing) View(context.Context, func(store.View) error) error {
	return errors.New(`near "SELECT": syntax error in /var/lib/tenor.db`)
}
