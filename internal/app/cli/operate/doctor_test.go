package operate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
	"tenor/internal/core/store"
)

// unanswered is a database from which only a bank file can be read, in a state since a time.
type unanswered struct {
	store.Backend
	state store.FileState
	sent  time.Time
}

func (u unanswered) View(_ context.Context, fn func(store.View) error) error {
	return fn(unansweredView{unanswered: u})
}

type unansweredView struct {
	store.View
	unanswered unanswered
}

// List returns one file if its state is the requested one.
func (v unansweredView) List(q store.Query, fn func(row any) error) error {
	u := v.unanswered
	if !slices.ContainsFunc(q.Where, func(c store.Cond) bool { return c.Column == "state" && c.Value.Text == string(u.state) }) {
		return nil
	}
	return fn(&store.BankFile{ID: "achf_20260213_A", State: u.state, CreatedAt: u.sent, MovedAt: u.sent})
}

// A file not known to be with the bank is reported after half an hour. One without an
// acknowledgment is reported when the bank's answer is overdue, unless the bank sends none.
func TestDoctorAsksForFiles(t *testing.T) {
	now := time.Date(2026, 2, 17, 15, 0, 0, 0, time.UTC) // a Tuesday after a holiday
	for _, c := range []struct {
		state  store.FileState
		sent   time.Time // or created
		silent bool
		want   string
	}{
		{store.FileSent, now.Add(-time.Hour), false, healthy},
		{store.FileSent, now.AddDate(0, 0, -4), false, warning},
		{store.FileSent, now.AddDate(0, 0, -4), true, healthy},
		{store.FileBuilt, now.Add(-29 * time.Minute), false, healthy},
		{store.FileBuilt, now.Add(-30 * time.Minute), false, warning},
		{store.FileBuilt, now.Add(-30 * time.Minute), true, warning},
		{store.FileAccepted, now.AddDate(0, 0, -4), false, healthy},
	} {
		x := &examination{a: &terminal.App{Program: "tenor"}, db: unanswered{state: c.state, sent: c.sent}, now: now}
		zone, err := clock.BusinessZone()
		if err != nil {
			t.Fatal(err)
		}
		x.zone = zone
		f := x.bankFiles(t.Context(), node.Carriers{Silent: c.silent})
		if f.Status != c.want || strings.Contains(f.Text, "achf_20260213_A") != (c.want == warning) || c.want == warning && f.Fix == "" {
			t.Errorf("%s at %s, silent %t: %+v", c.state, c.sent, c.silent, f)
		}
	}
}

// A certificate is reported before it expires.
func TestCertificateEnds(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	x := &examination{a: &terminal.App{Wall: func() time.Time { return now }}}
	for days, want := range map[int]string{90: healthy, 29: warning, 6: failed, -1: failed} {
		state := &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{NotAfter: now.AddDate(0, 0, days)}}}
		if f := x.certificate(state); f.Status != want || f.Status != healthy && f.Fix == "" {
			t.Errorf("%d days: %+v", days, f)
		}
	}
}
