package node

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	vendors "tenor/internal/ports/facts"
	"tenor/internal/ports/facts/https"
	magic "tenor/internal/ports/facts/sandbox"
	"tenor/internal/ports/mailer"
	"tenor/internal/ports/outbound"
)

// mailPart configures a deployment's mail server.
type mailPart struct {
	URL          string `json:"url"` // smtps://user@host:465 or smtp://host:587
	PasswordFile string `json:"password_file"`
	From         string `json:"from"`
	ReplyTo      string `json:"reply_to"`
}

// open creates the port that sends mail. It makes no connection yet.
func (m *mailPart) open(dir string) (mailer.Port, error) {
	config := mailer.Config{URL: m.URL, From: m.From, ReplyTo: m.ReplyTo}
	if m.PasswordFile != "" {
		text, err := os.ReadFile(from(dir, m.PasswordFile))
		if err != nil {
			return nil, fmt.Errorf("read the password: %w", err)
		}
		config.Password = strings.TrimSpace(string(text))
	}
	return mailer.New(config)
}

// vendorPart configures a vendor of facts about a business.
type vendorPart struct {
	URL        string `json:"url"`
	SecretFile string `json:"secret_file"`
}

// underwritingPart names the vendors queried about applications. Each may be absent.
type underwritingPart struct {
	Registry *vendorPart `json:"business_registry"`
	Bureau   *vendorPart `json:"credit_bureau"`
	Bank     *vendorPart `json:"bank_data"`
}

// open creates the ports. It makes no connection yet.
func (u *underwritingPart) open(dir string) (vendors.Ports, error) {
	config := https.Config{Client: outbound.NewClient(outbound.Config{Rules: outbound.Rules{AllowPrivate: true}, Timeout: vendors.Timeout})}
	for _, x := range []struct {
		part *vendorPart
		to   *https.Endpoint
	}{{u.Registry, &config.Registry}, {u.Bureau, &config.Bureau}, {u.Bank, &config.Bank}} {
		if x.part == nil {
			continue
		}
		secret, err := os.ReadFile(from(dir, x.part.SecretFile))
		if err != nil {
			return vendors.Ports{}, fmt.Errorf("read the secret: %w", err)
		}
		*x.to = https.Endpoint{URL: x.part.URL, Secret: strings.TrimSpace(string(secret))}
	}
	return https.New(config)
}

// deskSecrets returns the secret files that these parts name.
func (f *railsFile) deskSecrets(dir string) (out []string) {
	if f.Mail != nil && f.Mail.PasswordFile != "" {
		out = append(out, from(dir, f.Mail.PasswordFile))
	}
	if u := f.Underwriting; u != nil {
		for _, v := range []*vendorPart{u.Registry, u.Bureau, u.Bank} {
			if v != nil {
				out = append(out, from(dir, v.SecretFile))
			}
		}
	}
	return out
}

// openDesk reads the parts of the file that the buyer's side needs.
func (f RailFlags) openDesk(file railsFile, c *Carriers) (err error) {
	dir := filepath.Dir(f.Rails)
	if file.Mail != nil {
		if c.Mail, err = file.Mail.open(dir); err != nil {
			return f.wrong("mail", err)
		}
	}
	if file.Underwriting != nil {
		if c.Facts, err = file.Underwriting.open(dir); err != nil {
			return f.wrong("underwriting", err)
		}
	}
	return nil
}

// deskPace is how often the buyer's side polls for work.
const deskPace = time.Second

// NewDesk returns the buyer's side of a node that has its keys. base is the public address.
func (n *Node) NewDesk(base string, wall func() time.Time, log *slog.Logger) (*buyer.Desk, error) {
	d := &buyer.Desk{
		Submit: n.Engine, Store: n.DB, Zone: n.Zone, Now: n.Now, Wall: wall, Seed: n.Seed, Seal: n.Ring.Seal, Open: n.Ring.Open, Hash: n.Fingerprint,
		Base: strings.TrimSuffix(base, "/"), Sandbox: n.Mode == Sandbox, Facts: n.Facts, Mail: n.Mail, Codes: n.codesOf(), Log: log,
		Compare: func(names ...string) *credit.Compared { return n.Sanctions.Compare(names...) },
	}
	if d.Sandbox {
		d.Facts = magic.Ports()
		if n.Controls != nil {
			d.Suspend = n.SuspendLater
		}
		return d, nil
	}
	return d, d.Facts.Live()
}

// keepDesk runs the work of the buyer's side until the context ends.
func keepDesk(d *buyer.Desk, holder string) func(context.Context) error {
	return func(ctx context.Context) error {
		d.Run(ctx, holder, deskPace)
		return nil
	}
}

// codesOf limits how many sign-in codes are mailed. A sandbox mails them nowhere, and developers
// trying out the pages sign in often.
func (n *Node) codesOf() buyer.CodeLimits {
	if n.Mode == Sandbox && n.Codes == (buyer.CodeLimits{}) {
		return buyer.CodeLimits{Pair: 200, Network: 1000}
	}
	return n.Codes
}
