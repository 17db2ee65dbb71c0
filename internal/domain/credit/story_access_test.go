package credit_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// access builds the commands on clients and endpoints.
func (s *story) access(verb, id string, a args) credit.Command {
	name := a.words[2]
	switch verb {
	case "client":
		return access.CreateClient{
			Merchant: s.id(a.named["of"]), Title: name, Scopes: a.list("scopes"), PerMinute: a.number("per_minute"), Burst: a.number("burst"),
			SecretHash: hashOf(a.named["secret"]), At: s.now, Held: a.list("held"),
		}
	case "roll":
		return access.RollClient{Client: id, SecretHash: hashOf(a.named["secret"]), OldUntil: s.now.Add(a.span("overlap")), At: s.now, Held: a.list("held")}
	case "revoke":
		return access.RevokeClient{Client: id, At: s.now, Held: a.list("held")}
	case "endpoint":
		return access.CreateEndpoint{
			Merchant: s.id(a.words[0]), URL: a.named["url"], URLProblem: a.sentence("problem"), EventTypes: a.types("types"),
			Enabled: a.named["enabled"] != "no", Sealed: []byte("sealed " + name),
		}
	case "change":
		return s.changed(id, a)
	case "gone":
		return access.UpdateEndpoint{Endpoint: id, Gone: true, IfMatch: a.etags()}
	case "rotate":
		return access.RotateEndpoint{Endpoint: id, Sealed: []byte("sealed again"), At: s.now}
	case "delete":
		return access.DeleteEndpoint{Endpoint: id, IfMatch: a.etags()}
	case "test":
		return access.TestEndpoint{Endpoint: id}
	case "resend":
		return access.ResendEvents{Endpoint: id, Event: a.named["event"], From: a.instant("from"), To: a.instant("to")}
	}
	s.t.Fatalf("no such command: %s", verb)
	return nil
}

func (s *story) changed(id string, a args) credit.Command {
	c := access.UpdateEndpoint{Endpoint: id, IfMatch: a.etags(), URLProblem: a.sentence("problem")}
	if v, ok := a.named["url"]; ok {
		c.URL = &v
	}
	if v, ok := a.named["description"]; ok {
		c.Description = &v
	}
	if _, ok := a.named["types"]; ok {
		c.EventTypes = &lending.Patch[[]credit.EventType]{Value: a.types("types")}
	}
	if v, ok := a.named["enabled"]; ok {
		on := v == "yes"
		c.Enabled = &on
	}
	return c
}

func hashOf(secret string) string {
	h := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(h[:])
}

func (a args) types(key string) (out []credit.EventType) {
	for _, t := range a.list(key) {
		out = append(out, credit.EventType(t))
	}
	return out
}

func (a args) etags() (out []string) {
	for _, v := range a.list("if_match") {
		out = append(out, strconv.Quote(v))
	}
	return out
}

// sentence is a member with its spaces written as _.
func (a args) sentence(key string) string { return strings.ReplaceAll(a.named[key], "_", " ") }

func (a args) span(key string) time.Duration {
	d, _ := time.ParseDuration(a.named[key])
	return d
}

func (a args) instant(key string) time.Time {
	t, _ := time.Parse(time.RFC3339, a.named[key])
	return t
}

const storyTime = "2006-01-02T15:04Z"

func (s *story) reportAccess(ch credit.Changes) {
	for _, x := range ch.Clients {
		text := fmt.Sprintf("client %s: of %s, %d a minute, %d at once, %s", s.short(x.ID), s.owner(x.Merchant), x.PerMinute, x.Burst, strings.Join(x.Scopes, " "))
		if len(x.Secrets) == 2 {
			text += ", the secret before until " + x.Secrets[1].Until.Format(storyTime)
		}
		if !x.RevokedAt.IsZero() {
			text += ", revoked"
		}
		s.say("%s, version %d", text, x.Version)
	}
	for _, x := range ch.Endpoints {
		s.reportEndpoint(x)
	}
	for _, r := range ch.Resends {
		if r.Event != "" {
			s.say("sent again to %s: %s", s.short(r.Endpoint), r.Event)
			continue
		}
		s.say("sent again to %s: what happened from %s to %s", s.short(r.Endpoint), r.From.Format(storyTime), r.To.Format(storyTime))
	}
}

func (s *story) owner(merchant string) string {
	if merchant == "" {
		return "the operator"
	}
	return s.short(merchant)
}

func (s *story) reportEndpoint(x *credit.Endpoint) {
	text := fmt.Sprintf("endpoint %s: of %s, %s", s.short(x.ID), s.owner(x.Merchant), cmp.Or(x.URL, "kind "+string(x.Kind)))
	for i, t := range x.EventTypes {
		text += map[bool]string{true: ", ", false: " "}[i == 0] + string(t)
	}
	if len(x.EventTypes) == 0 {
		text += ", every type"
	}
	switch {
	case !x.DeletedAt.IsZero():
		text += ", deleted"
	case !x.Enabled:
		text += ", off: " + x.DisabledReason
	}
	if len(x.Secrets) == 2 {
		text += ", the secret before signs until " + x.Secrets[1].Until.Format(storyTime)
	}
	s.say("%s, version %d", text, x.Version)
}

// showReaders lists the events of an object with the merchants that may read them.
func (s *story) showReaders(id string) {
	for _, e := range s.events {
		if e.Object.ID != id {
			continue
		}
		var readers []string
		for _, m := range e.ReadBy() {
			readers = append(readers, s.short(m))
		}
		if len(readers) == 0 {
			readers = []string{"the operator alone"}
		}
		s.say("%s %d: read by %s", e.Type, e.Sequence, strings.Join(readers, " "))
	}
}

// repeat runs a command that many times with # as its number, and reports the last result.
func (s *story) repeat(times int, line string) {
	before := s.out.String()
	for n := range times {
		s.out.Reset()
		s.run(strings.ReplaceAll(line, "#", strconv.Itoa(n+1)))
	}
	last := s.out.String()
	s.out.Reset()
	s.out.WriteString(before + last)
}
