package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tenor/internal/app/config"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// A setting has one name everywhere: what is --public-url as a flag is TENOR_PUBLIC_URL in
// the environment and public_url in a file. A flag counts first, then the environment, then
// the nearest file that names it, then the default.

// settings are what the environment and files say of flags.
type settings struct {
	env     func(name string) (string, bool) // the environment
	files   []config.File                    // the nearest first
	err     error                            // why the files cannot be believed
	pathsOf map[string]bool                  // the settings that are paths
}

// prefix begins the names of variables.
const prefix = "TENOR_"

// keyOf is the name in a file of what a variable says.
func keyOf(variable string) string { return strings.ToLower(strings.TrimPrefix(variable, prefix)) }

// beside are the settings that no flag shows: how a command signs in. What is secret itself
// stands in a file of its own.
func beside() []string { return []string{"client_id", "client_secret_file"} }

// exclusive are settings of which one says where the data are: whoever names one does not
// mean what a farther place says of the other.
func exclusive(key string) []string {
	switch key {
	case "data":
		return []string{"database"}
	case "database":
		return []string{"data"}
	}
	return nil
}

// settingsFiles are where files of settings are looked for, the nearest first. TENOR_CONFIG
// names the only one.
func settingsFiles(a *terminal.App) []string {
	if one := a.Getenv("TENOR_CONFIG"); one != "" {
		return []string{one}
	}
	list := []string{"tenor.toml"}
	if dir := a.ConfigDir(); dir != "" {
		list = append(list, filepath.Join(dir, "config.toml"))
	}
	if a.SystemDir != "" {
		list = append(list, filepath.Join(a.SystemDir, "tenor.toml"))
	}
	return list
}

// load reads the files. What is wrong with them is told by whatever needs a setting: help
// and the version are there all the same.
func (s *settings) load(a *terminal.App) error {
	s.env, s.pathsOf = os.LookupEnv, map[string]bool{"client_secret_file": true}
	if s.files, s.err = config.ReadAll(settingsFiles(a)); s.err == nil && len(s.files) == 0 && a.Getenv("TENOR_CONFIG") != "" {
		s.err = fmt.Errorf("%s: %w", a.Getenv("TENOR_CONFIG"), fs.ErrNotExist)
	}
	if s.err != nil || len(s.files) > 0 {
		grammar, err := model()
		if err != nil {
			return err
		}
		known := append(beside(), keys(grammar)...)
		for _, f := range flagsOf(grammar) {
			s.pathsOf[keyOf(f.Envs[0])] = f.Tag.Type == "path"
		}
		s.err = s.wrong(known)
	}
	getenv := a.Getenv
	a.Getenv = func(name string) string {
		if _, said := s.env(name); said || !strings.HasPrefix(name, prefix) {
			return getenv(name)
		}
		if value := getenv(name); value != "" {
			return value
		}
		value, _, _ := s.inFile(keyOf(name))
		return value
	}
	return nil
}

// wrong says why the files cannot be believed: one cannot be read, or names what nobody knows.
func (s *settings) wrong(known []string) error {
	if s.err != nil {
		f := &exit.Failure{Code: exit.Usage, Text: "read settings", Err: s.err}
		if errors.Is(s.err, config.ErrOpen) {
			f.Hint = "It can redirect tokens to another server. Run chmod go-w on it, or use another file with TENOR_CONFIG."
		}
		return f
	}
	for _, f := range s.files {
		for _, x := range f.Settings {
			if slices.Contains(known, x.Name) {
				continue
			}
			hint := "tenor config docs lists the settings"
			if x.Name == "token" || x.Name == "client_secret" {
				hint = "A secret belongs in its own file; name that file with " + x.Name + "_file"
			}
			return &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("%s: line %d: there is no setting %s%s", f.Path, x.Line, x.Name, terminal.Suggestion(x.Name, known)), Hint: hint + "."}
		}
		for _, x := range f.Settings {
			for _, other := range exclusive(x.Name) {
				if _, _, both := config.Find([]config.File{f}, other); both {
					return &exit.Failure{Code: exit.Usage, Text: f.Path + ": both data and database are set", Hint: "Data is either in a directory or in PostgreSQL; give one of them."}
				}
			}
		}
	}
	return nil
}

// inFile is what the files say of a setting, and which does, unless the environment says
// something that excludes it.
func (s *settings) inFile(key string) (value, file string, found bool) {
	if s.err != nil || len(s.files) == 0 {
		return "", "", false
	}
	for _, other := range exclusive(key) {
		if v, _ := s.env(prefix + strings.ToUpper(other)); v != "" {
			return "", "", false
		}
	}
	x, f, found := config.Find(s.files, key, exclusive(key)...)
	if !found {
		return "", "", false
	}
	if s.pathsOf[key] && x.Value != "" && !filepath.IsAbs(x.Value) && !strings.HasPrefix(x.Value, "~") {
		x.Value = filepath.Join(filepath.Dir(f.Path), x.Value) // beside the file, wherever it is read from
	}
	return x.Value, f.Path, true
}

// Validate is kong.Resolver.
func (s *settings) Validate(*kong.Application) error { return nil }

// Resolve is kong.Resolver: it gives a flag that is not on the command line what a file
// says, unless the environment has said it.
func (s *settings) Resolve(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
	if len(f.Envs) == 0 {
		return nil, nil
	}
	if s.err != nil {
		return nil, s.err
	}
	if _, said := s.env(f.Envs[0]); said {
		return nil, nil
	}
	if value, _, found := s.inFile(keyOf(f.Envs[0])); found {
		return value, nil
	}
	return nil, nil
}

// flagsOf are the flags of all commands that are settings: each once, by its name there.
func flagsOf(grammar *kong.Application) (out []*kong.Flag) {
	seen := map[string]bool{}
	for _, n := range grammar.Leaves(false) {
		for _, f := range n.Flags {
			if len(f.Envs) > 0 && !seen[f.Envs[0]] {
				seen[f.Envs[0]] = true
				out = append(out, f)
			}
		}
	}
	slices.SortFunc(out, func(a, b *kong.Flag) int { return strings.Compare(keyOf(a.Envs[0]), keyOf(b.Envs[0])) })
	return out
}

// keys are the names of the settings that flags are.
func keys(grammar *kong.Application) (out []string) {
	for _, f := range flagsOf(grammar) {
		out = append(out, keyOf(f.Envs[0]))
	}
	return out
}
