package operate

import (
	"encoding/base64"
	"fmt"

	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
)

// KeysCreate is the command "keys create".
type KeysCreate struct {
	File string `arg:"" type:"path" help:"File to create. It must not exist."`
}

func (KeysCreate) Examples() []string { return []string{"keys create /etc/tenor/tenor.key"} }

func (c *KeysCreate) Run(a *terminal.App) error {
	if err := node.WriteKeyFile(c.File); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "Created %s. Keep a copy away from the database; without it, encrypted data cannot be read.\n", c.File)
	return nil
}

// KeysPublic is the command "keys public".
type KeysPublic struct {
	File string `arg:"" type:"path" help:"The key file."`
}

func (KeysPublic) Examples() []string { return []string{"keys public /etc/tenor/tenor.key"} }

func (c *KeysPublic) Run(a *terminal.App) error {
	ring, err := node.ReadKeyFile(c.File)
	if err != nil {
		return err
	}
	for _, s := range ring.Signers() {
		public := s.PublicKey()
		fmt.Fprintf(a.Out, "%s %s\n", s.ID(), base64.StdEncoding.EncodeToString(public[:]))
	}
	return nil
}
