package buyer

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/ports/mailer"
)

// post is a mail server that accepts everything, and does something before it accepts the
// first mail.
type post struct {
	took  []string // subjects
	first func()
}

func (p *post) Send(_ context.Context, m mailer.Message) error {
	if len(p.took) == 0 {
		p.first()
	}
	p.took = append(p.took, m.Subject)
	return nil
}

// A code somebody is waiting for is sent before what was queued earlier, even if it is
// requested during a turn.
func TestCodesGoFirst(t *testing.T) {
	r := newRig(t)
	c, _ := r.begin(500_00)
	_, company, s := r.boughtIn("en-US")
	r.serve()
	for i := range 3 {
		email := fmt.Sprintf("colleague-%d@harbor.example", i)
		if err := r.Invite(r.ctx, s.Person, company.ID, Contact{Email: email}, credit.RoleViewer, 0, ""); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(email string) {
		r.now = r.now.Add(time.Minute) // after all others
		if err := r.SendCode(r.ctx, r.NewSession(c.ID), email, "127.0.0.1"); err != nil {
			t.Error(err)
		}
	}
	server := &post{first: func() { ask("late@harbor.example") }}
	r.Mail = server
	ask("early@harbor.example")
	r.serve()
	code := server.took[0]
	if len(server.took) != 8 || server.took[1] != code || slices.Contains(server.took[2:], code) {
		t.Errorf("the order of mails is %q", server.took)
	}
}
