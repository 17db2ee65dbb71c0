package portal

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"tenor/docs"
)

// delivery is what a receiver gets, and whether it should accept it.
type delivery struct {
	name      string
	Secret    string `json:"secret"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Signature string `json:"signature"`
	Body      string `json:"body"`
	Now       int64  `json:"now"`
	good      bool
	ageless   bool // only its age is wrong, which the shell code does not check
}

const testSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// deliveries are signed by the standard's own library.
func deliveries(t *testing.T) []delivery {
	t.Helper()
	const at, id, body = 1_767_625_200, "evt_01KB0A4E7W5N3R1P9M8K6J4H2G", `{"type": "order.captured", "note": "42 € – \"quoted\" $x"}`
	hook, err := standardwebhooks.NewWebhook(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := hook.Sign(id, time.Unix(at, 0), []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	base := delivery{"as it was sent", testSecret, id, fmt.Sprint(at), signature, body, at + 10, true, false}
	with := func(name string, good bool, change func(*delivery)) delivery {
		d := base
		d.name, d.good = name, good
		change(&d)
		return d
	}
	signedBy := func(name string, key []byte) delivery {
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%d.%s", id, at, body)
		return with(name, false, func(d *delivery) {
			d.Secret, d.Signature = "whsec_"+base64.StdEncoding.EncodeToString(key), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil))
		})
	}
	return []delivery{
		base,
		signedBy("with an empty secret", nil),
		signedBy("with a secret of 23 bytes", make([]byte, 23)),
		with("with the signature of another secret before it", true, func(d *delivery) { d.Signature = "v1,AAAA " + signature }),
		with("with another version's signature", true, func(d *delivery) { d.Signature = signature + " v1a,AAAA" }),
		with("five minutes early", true, func(d *delivery) { d.Now = at - 300 }),
		with("another body", false, func(d *delivery) { d.Body = body + " " }),
		with("another event", false, func(d *delivery) { d.ID = "evt_other" }),
		with("another time", false, func(d *delivery) { d.Timestamp = fmt.Sprint(at + 1) }),
		with("another secret", false, func(d *delivery) { d.Secret = "whsec_AAAA" }),
		with("no version", false, func(d *delivery) { d.Signature = strings.TrimPrefix(signature, "v1,") }),
		with("another version", false, func(d *delivery) { d.Signature = "v2," + strings.TrimPrefix(signature, "v1,") }),
		with("cut", false, func(d *delivery) { d.Signature = signature[:len(signature)-4] }),
		with("empty signature", false, func(d *delivery) { d.Signature = "" }),
		with("old", false, func(d *delivery) { d.Now, d.ageless = at+301, true }),
		with("from the future", false, func(d *delivery) { d.Now, d.ageless = at-301, true }),
		with("no time", false, func(d *delivery) { d.Timestamp = "soon" }),
	}
}

// receivers run the guide's code: they read deliveries as JSON and print true or false for each.
var receivers = []struct {
	language, program, install string
	file                       string
	rest                       string // follows the guide's code
	args                       []string
}{
	{"go", "go", "golang", "verify.go", `package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

func main() {
	var all []struct {
		Secret, ID, Timestamp, Signature, Body string
		Now                                    int64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&all); err != nil {
		panic(err)
	}
	for _, d := range all {
		fmt.Println(Verify(d.Secret, d.ID, d.Timestamp, d.Signature, []byte(d.Body), time.Unix(d.Now, 0)))
	}
}
`, []string{"run", "verify.go", "rest.go"}},
	{"php", "php", "php-cli", "verify.php", `
foreach (json_decode(stream_get_contents(STDIN), true) as $d) {
    echo var_export(verify($d['secret'], $d['id'], $d['timestamp'], $d['signature'], $d['body'], $d['now']), true), PHP_EOL;
}
`, []string{"verify.php"}},
	{"javascript", "node", "nodejs", "verify.mjs", `
import { readFileSync } from "node:fs";
for (const d of JSON.parse(readFileSync(0, "utf8"))) {
  console.log(verify(d.secret, d.id, d.timestamp, d.signature, Buffer.from(d.body), d.now));
}
`, []string{"verify.mjs"}},
	{"python", "python3", "python3", "verify.py", `
import json
import sys

for d in json.load(sys.stdin):
    print(str(verify(d["secret"], d["id"], d["timestamp"], d["signature"], d["body"].encode(), d["now"])).lower())
`, []string{"verify.py"}},
}

// TestVerifyingASignature runs the guide's code in each language.
func TestVerifyingASignature(t *testing.T) {
	all := deliveries(t)
	stdin, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range receivers {
		t.Run(r.language, func(t *testing.T) {
			need(t, r.program, r.install)
			dir, code := t.TempDir(), verifyBlock(t, r.language)
			if r.language == "go" {
				code = strings.Replace(code, "package receiver", "package main", 1)
				save(t, filepath.Join(dir, "rest.go"), r.rest)
			} else {
				code += r.rest
			}
			save(t, filepath.Join(dir, r.file), code)
			cmd := exec.Command(r.program, r.args...)
			cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(string(stdin)), append(os.Environ(), "CGO_ENABLED=0")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			answers := strings.Fields(string(out))
			if len(answers) != len(all) {
				t.Fatalf("%d answers for %d deliveries:\n%s", len(answers), len(all), out)
			}
			for i, d := range all {
				if answers[i] != fmt.Sprint(d.good) {
					t.Errorf("a delivery %s: %s", d.name, answers[i])
				}
			}
		})
	}
}

// TestVerifyingInAShell runs the guide's shell code.
func TestVerifyingInAShell(t *testing.T) {
	for _, program := range []string{"bash", "openssl"} {
		need(t, program, program)
	}
	dir := t.TempDir()
	script, body := filepath.Join(dir, "verify.sh"), filepath.Join(dir, "body")
	save(t, script, verifyBlock(t, "bash")+"verify \"$@\" && echo true || echo false\n")
	for _, d := range deliveries(t) {
		if d.ageless {
			continue
		}
		save(t, body, d.Body)
		out, err := exec.Command("bash", script, d.Secret, d.ID, d.Timestamp, d.Signature, body).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != fmt.Sprint(d.good) {
			t.Errorf("a delivery %s: %s, %v", d.name, got, err)
		}
	}
}

func save(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// verifyBlock returns the guide's code in a language.
func verifyBlock(t *testing.T, language string) string {
	t.Helper()
	guide, err := fs.ReadFile(docs.Files, "guides/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(guide), "\n```"+language+" verify\n")
	code, _, closed := strings.Cut(rest, "\n```\n")
	if !ok || !closed {
		t.Fatalf("the guide has no code in %s", language)
	}
	return code + "\n"
}
