package portal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The code in this file is for people to copy: it takes the server's address and the credentials
// from the environment, and needs only what comes with the language. Amounts are sent as text,
// since none of these languages reads a decimal number without binary floating point.

// curl returns the call for a shell.
func (c *call) curl() string {
	lines := []string{"curl -sS"}
	if c.op.method != "GET" && (c.op.method != "POST" || c.body.kind == absent) {
		lines[0] += " -X " + c.op.method
	}
	lines[0] += ` "$TENOR_URL` + shellQuoted(c.target()) + `"`
	switch {
	case c.op.access == credentials:
		lines = append(lines, `-u "$TENOR_CLIENT_ID:$TENOR_CLIENT_SECRET"`)
	case c.op.access == token:
		lines = append(lines, `-H "Authorization: Bearer $TENOR_TOKEN"`)
	}
	for _, h := range c.headers() {
		if !c.form || h.name != "Content-Type" { // -d sets it
			lines = append(lines, "-H "+shellWord(h.name+": "+h.value))
		}
	}
	switch {
	case c.form:
		lines = append(lines, "-d "+shellWord(c.fields()))
	case c.body.kind != absent:
		lines = append(lines, "-d "+shellWord(c.body.pretty()))
	}
	return strings.Join(lines, " \\\n  ") + "\n"
}

// shellQuoted escapes a text for use between double quotes.
func shellQuoted(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(s)
}

// shellWord quotes a text as one shell word.
func shellWord(s string) string { return `'` + strings.ReplaceAll(s, `'`, `'\''`) + `'` }

// php returns the call with PHP's own streams, which need no extension.
func (c *call) php() string {
	var headers []string
	switch c.op.access {
	case credentials:
		headers = append(headers, "'Authorization: Basic ' . base64_encode(getenv('TENOR_CLIENT_ID') . ':' . getenv('TENOR_CLIENT_SECRET'))")
	case token:
		headers = append(headers, "'Authorization: Bearer ' . getenv('TENOR_TOKEN')")
	}
	for _, h := range c.headers() {
		headers = append(headers, phpString(h.name+": "+h.value))
	}
	var b strings.Builder
	b.WriteString("<?php\n\n$request = stream_context_create(['http' => [\n")
	fmt.Fprintf(&b, "    'method' => %s,\n    'timeout' => 30,\n    'ignore_errors' => true, // a refusal has a body too\n", phpString(c.op.method))
	if len(headers) > 0 {
		b.WriteString("    'header' => [\n        " + strings.Join(headers, ",\n        ") + ",\n    ],\n")
	}
	switch {
	case c.form:
		fmt.Fprintf(&b, "    'content' => http_build_query(%s),\n", phpDialect.literal(c.body, "    "))
	case c.body.kind != absent:
		fmt.Fprintf(&b, "    'content' => json_encode(%s),\n", phpDialect.literal(c.body, "    "))
	}
	fmt.Fprintf(&b, "]]);\n\n$answer = fopen(getenv('TENOR_URL') . %s, 'r', false, $request);\n", phpString(c.target()))
	b.WriteString("if ($answer === false) {\n    exit(1);\n}\n")
	b.WriteString("echo stream_get_meta_data($answer)['wrapper_data'][0], PHP_EOL, stream_get_contents($answer), PHP_EOL;\n")
	return b.String()
}

func phpString(s string) string {
	return `'` + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + `'`
}

// javascript returns the call with fetch, for Node.js 18 and newer.
func (c *call) javascript() string {
	var b strings.Builder
	if c.op.access == credentials {
		b.WriteString("const { TENOR_URL, TENOR_CLIENT_ID, TENOR_CLIENT_SECRET } = process.env;\n\n")
	} else if c.op.access == public {
		b.WriteString("const { TENOR_URL } = process.env;\n\n")
	} else {
		b.WriteString("const { TENOR_URL, TENOR_TOKEN } = process.env;\n\n")
	}
	fmt.Fprintf(&b, "const answer = await fetch(TENOR_URL + %s, {\n  method: %s,\n", quote(c.target()), quote(c.op.method))
	var headers []string
	switch {
	case c.op.access == credentials:
		headers = append(headers, "Authorization: \"Basic \" + btoa(TENOR_CLIENT_ID + \":\" + TENOR_CLIENT_SECRET)")
	case c.op.access == token:
		headers = append(headers, "Authorization: \"Bearer \" + TENOR_TOKEN")
	}
	for _, h := range c.headers() {
		headers = append(headers, quote(h.name)+": "+quote(h.value))
	}
	if len(headers) > 0 {
		b.WriteString("  headers: {\n    " + strings.Join(headers, ",\n    ") + ",\n  },\n")
	}
	switch {
	case c.form:
		fmt.Fprintf(&b, "  body: new URLSearchParams(%s),\n", scriptDialect.literal(c.body, "  "))
	case c.body.kind != absent:
		fmt.Fprintf(&b, "  body: JSON.stringify(%s),\n", scriptDialect.literal(c.body, "  "))
	}
	b.WriteString("  signal: AbortSignal.timeout(30_000),\n});\nconsole.log(answer.status, await answer.text());\n")
	return b.String()
}

// python returns the call with Python's standard library.
func (c *call) python() string {
	var b strings.Builder
	imports := []string{"os", "urllib.error", "urllib.request"}
	if c.op.access == credentials {
		imports = append(imports, "base64")
	}
	if c.form {
		imports = append(imports, "urllib.parse")
	} else if c.body.kind != absent {
		imports = append(imports, "json")
	}
	slices.Sort(imports)
	b.WriteString("import " + strings.Join(imports, "\nimport ") + "\n\n")
	if c.op.access == credentials {
		b.WriteString("credentials = os.environ[\"TENOR_CLIENT_ID\"] + \":\" + os.environ[\"TENOR_CLIENT_SECRET\"]\n")
	}
	fmt.Fprintf(&b, "request = urllib.request.Request(\n    os.environ[\"TENOR_URL\"] + %s,\n    method=%s,\n", quote(c.target()), quote(c.op.method))
	var headers []string
	switch {
	case c.op.access == credentials:
		headers = append(headers, "\"Authorization\": \"Basic \" + base64.b64encode(credentials.encode()).decode()")
	case c.op.access == token:
		headers = append(headers, "\"Authorization\": \"Bearer \" + os.environ[\"TENOR_TOKEN\"]")
	}
	for _, h := range c.headers() {
		headers = append(headers, quote(h.name)+": "+quote(h.value))
	}
	if len(headers) > 0 {
		b.WriteString("    headers={\n        " + strings.Join(headers, ",\n        ") + ",\n    },\n")
	}
	switch {
	case c.form:
		fmt.Fprintf(&b, "    data=urllib.parse.urlencode(%s).encode(),\n", pythonDialect.literal(c.body, "    "))
	case c.body.kind != absent:
		fmt.Fprintf(&b, "    data=json.dumps(%s).encode(),\n", pythonDialect.literal(c.body, "    "))
	}
	b.WriteString(")\ntry:\n    with urllib.request.urlopen(request, timeout=30) as answer:\n        print(answer.status, answer.read().decode())\n" +
		"except urllib.error.HTTPError as refusal:\n    print(refusal.code, refusal.read().decode())\n")
	return b.String()
}

// dialect describes how a language writes data.
type dialect struct {
	open, close string // of an object
	empty       string // an object without members
	colon       string
	indent      string
	name, text  func(string) string
	words       map[string]string // true, false, null
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

var scriptDialect = dialect{"{", "}", "{}", ": ", "  ", scriptName, quote, map[string]string{"true": "true", "false": "false", "": "null"}}

var pythonDialect = dialect{"{", "}", "{}", ": ", "    ", quote, quote, map[string]string{"true": "True", "false": "False", "": "None"}}

var phpDialect = dialect{"[", "]", "new stdClass()", " => ", "    ", phpString, phpString, map[string]string{"true": "true", "false": "false", "": "null"}}

func scriptName(s string) string {
	if identifier.MatchString(s) {
		return s
	}
	return quote(s)
}

// literal formats a value. Decimal numbers become text.
func (d dialect) literal(v value, indent string) string {
	switch v.kind {
	case object:
		if len(v.members) == 0 {
			return d.empty
		}
		var b strings.Builder
		b.WriteString(d.open + "\n")
		for _, m := range v.members {
			b.WriteString(indent + d.indent + d.name(m.name) + d.colon + d.literal(m.value, indent+d.indent) + ",\n")
		}
		return b.String() + indent + d.close
	case array:
		var all []string
		for _, i := range v.items {
			all = append(all, d.literal(i, indent))
		}
		return "[" + strings.Join(all, ", ") + "]"
	case text:
		return d.text(v.text)
	case number:
		if strings.Contains(v.text, ".") {
			return d.text(v.text)
		}
		return v.text
	}
	return d.words[v.text]
}
