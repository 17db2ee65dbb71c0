package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// Spoken returns the page as announced by a screen reader, in order, one line each: landmarks,
// headings, controls, and announcements, with role, name, state and description. Texts in between
// are left out.
func (x *Tab) Spoken() (lines []string) {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	tree, err := chromedp.Call(ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		x.t.Fatalf("browsertest: read the accessibility tree: %v", err)
	}
	nodes := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range tree.Nodes {
		nodes[n.NodeID] = n
	}
	var walk func(n *accessibility.Node)
	walk = func(n *accessibility.Node) {
		if n == nil {
			return
		}
		if line := spoken(n); line != "" {
			lines = append(lines, line)
		}
		for _, child := range n.ChildIDs {
			walk(nodes[child])
		}
	}
	if len(tree.Nodes) > 0 {
		walk(tree.Nodes[0])
	}
	return lines
}

// spokenRoles are the roles that get a line.
func spokenRoles() []string {
	return strings.Fields("banner main complementary contentinfo navigation region heading link button textbox combobox radio checkbox radiogroup alert status alertdialog dialog timer table progressbar meter image")
}

// spoken returns the line for an element, "" if it has none.
func spoken(n *accessibility.Node) string {
	role, name := text(n.Role), text(n.Name)
	switch {
	case role == "RootWebArea":
		return "page " + name
	case role == "DisclosureTriangle":
		role = "summary"
	case role == "group" && name != "":
	case n.Ignored || !slices.Contains(spokenRoles(), role):
		return ""
	}
	line := strings.TrimSpace(role + " " + name)
	for _, p := range n.Properties {
		switch value := text(p.Value); string(p.Name) {
		case "level":
			line += " [level " + value + "]"
		case "required", "disabled", "expanded", "checked":
			if value == "true" {
				line += " [" + string(p.Name) + "]"
			}
		case "invalid":
			if value == "true" {
				line += " [invalid]"
			}
		case "focused":
			if value == "true" && role != "page" {
				line += " [focused]"
			}
		}
	}
	if d := text(n.Description); d != "" {
		line += " | " + d
	}
	return line
}

// text formats a value.
func text(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var value any
	if json.Unmarshal(v.Value, &value) != nil || value == nil {
		return ""
	}
	return strings.Join(strings.Fields(fmt.Sprint(value)), " ")
}
