// Package config reads settings files: lines of name = value, in the subset of TOML without
// tables. The nearest file that names a setting wins. The caller knows which names exist, and
// what a flag or an environment variable says before any file.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// File is one settings file.
type File struct {
	Path     string
	Settings []Setting // in the order of the file
}

// Setting is one line: a name and its value as text. List elements are separated by commas.
type Setting struct {
	Name, Value string
	Line        int
}

// ErrOpen means that users other than the owner can write the file: they could redirect a token.
var ErrOpen = errors.New("others can write it")

// maxFile bounds the size of a settings file.
const maxFile = 1 << 20

// Read reads a file. If it does not exist, the error is fs.ErrNotExist.
func Read(path string) (File, error) {
	f := File{Path: path}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return f, err
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return f, fmt.Errorf("%s is not a settings file", path)
	case os.PathSeparator == '/' && info.Mode().Perm()&0o022 != 0:
		return f, fmt.Errorf("%s: %w", path, ErrOpen)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	if f.Settings, err = parse(string(text)); err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// ReadAll reads those of the named files that exist, in the order given.
func ReadAll(paths []string) (files []File, err error) {
	for _, path := range paths {
		f, err := Read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// find looks up a setting by name.
func (f File) find(name string) (Setting, bool) {
	for _, s := range f.Settings {
		if s.Name == name {
			return s, true
		}
	}
	return Setting{}, false
}

// Find returns the setting from the nearest file that names it or one of the settings that
// exclude it: if a file names a database, a more distant file cannot name a data directory.
func Find(files []File, name string, excludes ...string) (Setting, File, bool) {
	for _, f := range files {
		if s, found := f.find(name); found {
			return s, f, true
		}
		for _, other := range excludes {
			if _, found := f.find(other); found {
				return Setting{}, File{}, false
			}
		}
	}
	return Setting{}, File{}, false
}

// parse reads the lines of a file.
func parse(text string) (out []Setting, err error) {
	for i, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		s, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		s.Line = i + 1
		for _, before := range out {
			if before.Name == s.Name {
				return nil, fmt.Errorf("line %d: %s is already set on line %d", i+1, s.Name, before.Line)
			}
		}
		out = append(out, s)
	}
	return out, nil
}

var (
	nameForm   = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	plainForm  = regexp.MustCompile(`^(true|false|[+-]?[0-9][0-9_]*(\.[0-9]+)?)`)
	stringForm = regexp.MustCompile(`^("([^"\\]|\\.)*"|'[^']*')`)
)

var errForm = errors.New(`expected a name and a value, such as public_url = "https://pay.example.com"; tables are not supported`)

func parseLine(line string) (s Setting, err error) {
	name, rest, found := strings.Cut(line, "=")
	s.Name, rest = strings.TrimSpace(name), strings.TrimSpace(rest)
	if !found || !nameForm.MatchString(s.Name) {
		return s, errForm
	}
	if list, isList := strings.CutPrefix(rest, "["); isList {
		s.Value, rest, err = parseList(list)
	} else {
		s.Value, rest, err = parseValue(rest)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", s.Name, err)
	}
	if rest = strings.TrimSpace(rest); rest != "" && rest[0] != '#' {
		return s, fmt.Errorf("%s: unexpected text after the value", s.Name)
	}
	return s, nil
}

// parseValue reads a quoted string, a number, true or false, and returns the remaining text.
func parseValue(text string) (value, rest string, err error) {
	if plain := plainForm.FindString(text); plain != "" {
		return strings.ReplaceAll(plain, "_", ""), text[len(plain):], nil
	}
	quoted := stringForm.FindString(text)
	switch {
	case quoted == "":
		return "", "", errors.New(`the value must be a quoted string, a number, true or false`)
	case quoted[0] == '\'':
		return quoted[1 : len(quoted)-1], text[len(quoted):], nil
	}
	value, err = strconv.Unquote(quoted)
	if err != nil {
		return "", "", errors.New("the string has an escape that TOML does not know")
	}
	return value, text[len(quoted):], nil
}

// parseList reads a list of values on one line.
func parseList(text string) (value, rest string, err error) {
	var all []string
	for {
		text = strings.TrimSpace(text)
		if after, ends := strings.CutPrefix(text, "]"); ends {
			return strings.Join(all, ","), after, nil
		}
		one, behind, err := parseValue(text)
		if err != nil {
			return "", "", err
		}
		all = append(all, one)
		text = strings.TrimSpace(behind)
		if after, more := strings.CutPrefix(text, ","); more {
			text = after
		} else if !strings.HasPrefix(text, "]") {
			return "", "", errors.New("the list does not end on its line")
		}
	}
}
