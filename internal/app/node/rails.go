package node

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"tenor/internal/app/exit"
	"tenor/internal/domain/money"
	"tenor/internal/ports/outbound"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
	"tenor/internal/ports/rails/card"
	"tenor/internal/ports/screening"
)

// RailFlags name the file that configures how money moves.
type RailFlags struct {
	Rails string `env:"TENOR_RAILS" type:"path" placeholder:"FILE" help:"Rails file: bank, card processor and sanctions list, as JSON. Without it, transfers are not sent and nobody is screened."`
}

// railsFile is the content of the file. Each part may be absent.
type railsFile struct {
	ACH       *achPart  `json:"ach"`
	Card      *cardPart `json:"card"`
	Sanctions string    `json:"sanctions"` // file with the sanctions list
	// Mail is the mail server, Underwriting the vendors queried about applications.
	Mail         *mailPart         `json:"mail"`
	Underwriting *underwritingPart `json:"underwriting"`
}

// achPart is a bank that takes files: through one of Folder and SFTP.
type achPart struct {
	Origin originPart `json:"origin"`
	// Acknowledges is whether the bank acknowledges each file; by default it does.
	Acknowledges *bool     `json:"acknowledges"`
	Folder       string    `json:"folder"` // a directory that a program of the bank or of yours empties and fills
	SFTP         *sftpPart `json:"sftp"`
}

// originPart identifies the sender of files, as agreed with the bank.
type originPart struct {
	ODFI            string       `json:"odfi"`
	Destination     string       `json:"destination"`
	DestinationName string       `json:"destination_name"`
	Source          string       `json:"source"`
	SourceName      string       `json:"source_name"`
	Company         string       `json:"company"`
	CompanyID       string       `json:"company_id"`
	ReturnCost      money.Amount `json:"return_cost"` // what the bank charges for a returned entry
}

// sftpPart is a bank's server.
type sftpPart struct {
	Address string `json:"address"` // host:port
	User    string `json:"user"`
	KeyFile string `json:"key_file"`
	HostKey string `json:"host_key"`
	Out     string `json:"out"`
	In      string `json:"in"`
	Done    string `json:"done"`
	Sent    string `json:"sent"`
}

// cardPart is an account at the processor.
type cardPart struct {
	SecretFile string `json:"secret_file"`
}

// Carriers reads the file and creates what it names. It makes no connection yet. Without a file
// there are none.
func (f RailFlags) Carriers(log *slog.Logger) (c Carriers, err error) {
	file, err := f.read()
	if err != nil {
		return Carriers{}, err
	}
	dir := filepath.Dir(f.Rails)
	if file.ACH != nil {
		if c.Origin, c.Bank, err = file.ACH.open(dir, log); err != nil {
			return Carriers{}, f.wrong("ach", err)
		}
		c.Silent = file.ACH.Acknowledges != nil && !*file.ACH.Acknowledges
	}
	if file.Card != nil {
		if c.Cards, err = file.Card.open(dir, log); err != nil {
			return Carriers{}, f.wrong("card", err)
		}
	}
	if c.Sanctions, err = f.openList(file.Sanctions); err != nil {
		return Carriers{}, err
	}
	return c, f.openDesk(file, &c)
}

// List returns the sanctions list that the file names, nil if it names none.
func (f RailFlags) List() (*screening.List, error) {
	file, err := f.read()
	if err != nil {
		return nil, err
	}
	return f.openList(file.Sanctions)
}

// read reads the file; the result is empty if none is named.
func (f RailFlags) read() (file railsFile, err error) {
	if f.Rails == "" {
		return file, nil
	}
	text, err := os.ReadFile(f.Rails)
	if err != nil {
		return file, &exit.Failure{Code: exit.NotFound, Text: "read the rails file", Err: err, Hint: "Check --rails."}
	}
	if err := json.Unmarshal(text, &file, json.RejectUnknownMembers(true)); err != nil {
		return file, f.wrong("it cannot be read", err)
	}
	return file, nil
}

func (f RailFlags) wrong(part string, err error) error {
	return &exit.Failure{Code: exit.Refused, Text: f.Rails + ": " + part, Err: err, Hint: "docs/operating.md shows a complete file."}
}

// SecretFiles returns the rails file and the secret files that it names, as far as it can be
// read.
func (f RailFlags) SecretFiles() []string {
	if f.Rails == "" {
		return nil
	}
	out := []string{}
	var file railsFile
	text, err := os.ReadFile(f.Rails)
	if err != nil || json.Unmarshal(text, &file) != nil {
		return out // Carriers reports what is wrong with it
	}
	dir := filepath.Dir(f.Rails)
	if file.ACH != nil && file.ACH.SFTP != nil {
		out = append(out, from(dir, file.ACH.SFTP.KeyFile))
	}
	if file.Card != nil {
		out = append(out, from(dir, file.Card.SecretFile))
	}
	return append(out, file.deskSecrets(dir)...)
}

// openList reads a sanctions list, nil without a name.
func (f RailFlags) openList(name string) (*screening.List, error) {
	if name == "" {
		return nil, nil
	}
	in, err := os.Open(from(filepath.Dir(f.Rails), name))
	if err != nil {
		return nil, f.wrong("sanctions", err)
	}
	list, err := screening.Read(in)
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, f.wrong("sanctions", err)
	}
	return list, nil
}

// open creates the bank. File names are relative to the directory of the rails file.
func (p *achPart) open(dir string, log *slog.Logger) (ach.Origin, rails.Bank, error) {
	x := p.Origin
	o := ach.Origin{
		ODFI: x.ODFI, Destination: x.Destination, DestinationName: x.DestinationName, Source: x.Source, SourceName: x.SourceName,
		Company: x.Company, CompanyID: x.CompanyID, ReturnCost: x.ReturnCost,
	}
	if err := o.Validate(); err != nil {
		return o, nil, err
	}
	switch {
	case x.ReturnCost < 0:
		return o, nil, errors.New("origin: return_cost is negative")
	case (p.Folder == "") == (p.SFTP == nil):
		return o, nil, errors.New("give exactly one of folder and sftp")
	case p.Folder != "":
		b, err := ach.NewFolder(from(dir, p.Folder))
		return o, b, err
	}
	key, err := readSecret(from(dir, p.SFTP.KeyFile), log)
	if err != nil {
		return o, nil, fmt.Errorf("sftp: key_file: %w", err)
	}
	b, err := ach.NewSFTP(ach.SFTPConfig{
		Address: p.SFTP.Address, User: p.SFTP.User, Key: key, HostKey: p.SFTP.HostKey,
		Out: p.SFTP.Out, In: p.SFTP.In, Done: p.SFTP.Done, Sent: p.SFTP.Sent,
	})
	return o, b, err
}

func (p *cardPart) open(dir string, log *slog.Logger) (rails.Processor, error) {
	secret, err := readSecret(from(dir, p.SecretFile), log)
	if err != nil {
		return nil, fmt.Errorf("secret_file: %w", err)
	}
	return card.New(card.Config{
		Secret: string(bytes.TrimSpace(secret)),
		Client: outbound.NewClient(outbound.Config{Timeout: cardTimeout}),
	})
}

// cardTimeout bounds a call to the processor.
const cardTimeout = 30 * time.Second

// from resolves a file name relative to a directory.
func from(dir, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// readSecret reads a secret, and warns if others can read it.
func readSecret(name string, log *slog.Logger) ([]byte, error) {
	if name == "" {
		return nil, errors.New("no file is given")
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		log.Warn("others can read a secret", "file", name, "mode", info.Mode().Perm().String())
	}
	text, err := os.ReadFile(name)
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		err = errors.New("the file is empty")
	}
	return text, err
}
