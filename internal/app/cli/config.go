package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
)

// shownSetting is a setting as config show prints it.
type shownSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`          // secrets are masked; "" if it is not set
	Source string `json:"source"`         // environment, file, default or unset
	From   string `json:"from,omitempty"` // the variable, or the file
}

type configShow struct{ terminal.Output }

func (configShow) Examples() []string { return []string{"config show", "config show --json"} }

func (c *configShow) Run(a *terminal.App, k *kong.Context, s *settings) error {
	if s.err != nil {
		return s.err
	}
	rows := s.shown(k.Model)
	if c.JSON {
		body, err := json.Marshal(map[string]any{"data": rows, "has_more": false, "next_cursor": nil})
		if err != nil {
			return err
		}
		return terminal.Document(a.Out, body)
	}
	t := terminal.NewTable("SETTING", "VALUE", "SOURCE")
	for _, x := range rows {
		if c.Quiet && !c.Plain {
			fmt.Fprintln(a.Out, x.Key)
			continue
		}
		source := x.From
		if source == "" {
			source = x.Source
		}
		t.Row(x.Key, x.Value, source)
	}
	if c.Plain || !c.Quiet {
		return c.Table(a, t)
	}
	return nil
}

// shown are all settings as they are without flags.
func (s *settings) shown(grammar *kong.Application) (out []shownSetting) {
	add := func(variable, standard string) {
		x := shownSetting{Key: keyOf(variable), Source: "unset"}
		if value, said := s.env(variable); said {
			x.Value, x.Source, x.From = value, "environment", variable
		} else if value, file, found := s.inFile(x.Key); found {
			x.Value, x.Source, x.From = value, "file", file
		} else if standard != "" {
			x.Value, x.Source = standard, "default"
		}
		x.Value = masked(x.Key, x.Value)
		out = append(out, x)
	}
	for _, f := range flagsOf(grammar) {
		if !f.Hidden {
			add(f.Envs[0], f.Default)
		}
	}
	for _, key := range append(beside(), "token") {
		add(prefix+strings.ToUpper(key), "")
	}
	slices.SortFunc(out, func(a, b shownSetting) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// mask stands for a secret.
const mask = "***"

// masked is a value without what is secret in it: the password of an address, and what
// stands in its query.
func masked(key, value string) string {
	switch {
	case value == "":
		return ""
	case key == "token":
		return mask
	case key == "database":
		p, err := node.PlaceAt(value)
		if err != nil {
			return mask
		}
		return p.String()
	case !strings.Contains(value, "://"):
		return value
	}
	u, err := url.Parse(value)
	if err != nil {
		return mask
	}
	if u.User != nil {
		u.User = url.User(mask)
	}
	if u.RawQuery != "" {
		u.RawQuery = mask
	}
	text := u.String()
	return strings.ReplaceAll(text, url.PathEscape(mask)+"@", mask+"@")
}

type configValidate struct{ terminal.Output }

func (configValidate) Examples() []string {
	return []string{"config validate", "config validate --json"}
}

// Run is called by the parser. What cannot be read was said before; here each value is read
// as its flag is.
func (c *configValidate) Run(a *terminal.App, k *kong.Context, s *settings) error {
	if s.err != nil {
		return s.err
	}
	type checked struct {
		File     string `json:"file"`
		Settings int    `json:"settings"`
	}
	list := []checked{}
	for _, file := range s.files {
		for _, x := range file.Settings {
			if err := fits(k.Model, x.Name, x.Value); err != nil {
				return &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("%s: line %d: %s: %v", file.Path, x.Line, x.Name, err)}
			}
		}
		list = append(list, checked{file.Path, len(file.Settings)})
	}
	if c.JSON {
		body, err := json.Marshal(map[string]any{"data": list, "has_more": false, "next_cursor": nil})
		if err != nil {
			return err
		}
		return terminal.Document(a.Out, body)
	}
	if len(list) == 0 {
		c.Say(a, "No settings file found. Looked in %s.", strings.Join(settingsFiles(a), ", "))
	}
	for _, x := range list {
		fmt.Fprintf(a.Out, "%s: %s\n", x.File, terminal.Counted(x.Settings, "setting", "settings"))
	}
	return nil
}

// fits reads a value as the flag of a setting would.
func fits(grammar *kong.Application, key, value string) error {
	for _, f := range flagsOf(grammar) {
		if keyOf(f.Envs[0]) != key {
			continue
		}
		target := reflect.New(f.Target.Type()).Elem()
		if err := f.Mapper.Decode(&kong.DecodeContext{Value: f.Value, Scan: kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: value})}, target); err != nil {
			return err
		}
		if f.Enum != "" && !slices.Contains(strings.Split(f.Enum, ","), value) {
			return fmt.Errorf("must be one of %s", f.Enum)
		}
	}
	return nil
}

type configDocs struct{}

func (configDocs) Examples() []string { return []string{"config docs"} }

func (c *configDocs) Run(a *terminal.App, k *kong.Context) error {
	_, err := io.WriteString(a.Out, settingsPage(k.Model))
	return err
}

// settingsPage is the reference of the settings, made of the grammar that the parser uses.
func settingsPage(grammar *kong.Application) string {
	var b strings.Builder
	b.WriteString(`# Settings

What ` + "`tenor config docs`" + ` prints: every setting that a variable or a file can say. Its name is one everywhere: ` + "`public_url`" + ` in a file is ` + "`TENOR_PUBLIC_URL`" + ` in the environment and ` + "`--public-url`" + ` as a flag. [Where settings come from](operating.md#settings).

| Setting | Default | What it is | Commands |
|---|---|---|---|
`)
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	signIn := "| `client_id` |  | API client ID; commands get their own token with it. | all with `url` |\n" +
		"| `client_secret_file` |  | File with the client secret. | all with `url` |\n"
	for _, f := range flagsOf(grammar) {
		if f.Hidden {
			continue
		}
		if signIn != "" && keyOf(f.Envs[0]) > "client_secret_file" {
			b.WriteString(signIn)
			signIn = ""
		}
		standard := ""
		if f.Default != "" {
			standard = "`" + f.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", keyOf(f.Envs[0]), standard, cell.Replace(f.Help), usedBy(grammar, f.Envs[0]))
	}
	return b.String()
}

// few is how many commands are named one by one.
const few = 6

// usedBy names the commands that know a setting.
func usedBy(grammar *kong.Application, variable string) string {
	var names []string
	for _, n := range grammar.Leaves(true) {
		if slices.ContainsFunc(n.Flags, func(f *kong.Flag) bool { return slices.Contains(f.Envs, variable) }) {
			names = append(names, "`"+strings.TrimPrefix(n.FullPath(), grammar.Name+" ")+"`")
		}
	}
	if len(names) > few {
		return fmt.Sprintf("%d commands", len(names))
	}
	return strings.Join(names, ", ")
}
