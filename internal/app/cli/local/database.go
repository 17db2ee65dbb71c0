package local

import (
	"github.com/alecthomas/kong"

	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
)

// DatabaseFlags name a command's database: one of the two.
type DatabaseFlags struct {
	Data     string `env:"TENOR_DATA" type:"path" placeholder:"DIR" help:"Data directory with a SQLite database."`
	Database string `env:"TENOR_DATABASE" placeholder:"URL" help:"PostgreSQL database, such as postgres://tenor@localhost:5432/tenor, or sqlite:DIR. Put the password in PGPASSWORD or ~/.pgpass."`

	given map[string]bool // the flags on the command line; the others come from the environment
}

// AfterApply is called by the parser when the values are set.
func (f *DatabaseFlags) AfterApply(k *kong.Context) error {
	f.given = map[string]bool{}
	for _, p := range k.Path {
		if p.Flag != nil && !p.Resolved {
			f.given[p.Flag.Name] = true
		}
	}
	return nil
}

// Where returns the named place, or nil if there is none. A flag overrides the environment.
func (f *DatabaseFlags) Where(a *terminal.App) (*node.Place, error) {
	data, address := f.Data, f.Database
	if !f.given["data"] && a.Getenv("TENOR_DATA") == "" { // an empty variable names no directory
		data = ""
	}
	switch inFlag := f.given["data"] || f.given["database"]; {
	case data == "" && address == "":
		return nil, nil
	case address == "" || inFlag && !f.given["database"]:
		return &node.Place{Dir: data}, nil
	case data == "" || inFlag && !f.given["data"]:
		p, err := node.PlaceAt(address)
		if err == nil {
			p.InFlag = inFlag
		}
		return p, err
	case inFlag:
		return nil, &exit.Failure{Code: exit.Usage, Text: "--data and --database cannot be used together", Hint: "Data is either in a directory or in PostgreSQL; give one of them."}
	}
	return nil, &exit.Failure{Code: exit.Usage, Text: "TENOR_DATA and TENOR_DATABASE are both set", Hint: "Unset one of them, or use --data or --database."}
}

// Need is Where for commands that require a database.
func (f *DatabaseFlags) Need(a *terminal.App) (*node.Place, error) {
	p, err := f.Where(a)
	if err == nil && p == nil {
		err = &exit.Failure{Code: exit.Usage, Text: "no database given: use --data DIR or --database URL", Hint: "TENOR_DATA or TENOR_DATABASE sets it for all commands."}
	}
	return p, err
}
