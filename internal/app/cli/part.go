package cli

import (
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// model is the whole grammar as the parser understands it.
func model() (*kong.Application, error) {
	whole, err := kong.New(new(Grammar), Vars(), kong.NoDefaultHelp())
	if err != nil {
		return nil, err
	}
	return whole.Model, nil
}

// PartFor is a value of the part of the grammar that a line needs: its command and the flags
// of all commands. Reading the tags of every command takes ten times as long as most lines.
// A line that does not begin with a command needs the whole, and so does what is about all.
func PartFor(args []string) any {
	if len(args) == 1 && args[0] == "--version" {
		args = []string{"version"}
	}
	if len(args) > 0 && args[0] != "config" && args[0] != "complete" {
		if t, found := partOf(reflect.TypeFor[Grammar](), args); found {
			return reflect.New(t).Interface()
		}
	}
	return new(Grammar)
}

// partOf is a group of commands with the one that words begin with; false if there is none.
func partOf(group reflect.Type, words []string) (part reflect.Type, found bool) {
	var fields []reflect.StructField
	for f := range group.Fields() {
		if _, command := f.Tag.Lookup("cmd"); command {
			if nameOf(f) != words[0] {
				continue
			}
			found = true
			if f.Type.Name() == "" && len(words) > 1 { // a noun; a command has a name and methods
				if verb, ok := partOf(f.Type, words[1:]); ok {
					f.Type = verb
				}
			}
		}
		fields = append(fields, f)
	}
	if !found {
		return nil, false
	}
	return reflect.StructOf(fields), true
}

// nameOf is the word that a command has in the line.
func nameOf(f reflect.StructField) string {
	if name := f.Tag.Get("name"); name != "" {
		return name
	}
	return strings.ToLower(f.Name)
}
