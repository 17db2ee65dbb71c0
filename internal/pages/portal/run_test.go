package portal

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tenor/internal/proof/suite"
)

// runTime stops a hung program; it includes compiling the Go programs.
const runTime = 2 * time.Minute

// runners run a file in its language. The working directory is the module's, where Go finds the
// client.
var runners = []struct {
	language, file   string
	program, install string
	check            []string // checks that the language's standard parts are installed
	args             []string // before the file
}{
	{"curl", "call.sh", "sh", "curl", []string{"curl", "--version"}, nil},
	{"go", "call.go", "go", "golang", []string{"go", "version"}, []string{"run"}},
	{"php", "call.php", "php", "php-cli", []string{"php", "-r", `exit(ini_get("allow_url_fopen") ? 0 : 1);`}, nil},
	{"javascript", "call.mjs", "node", "nodejs", []string{"node", "-e", `process.exit(globalThis.fetch ? 0 : 1)`}, nil},
	{"python", "call.py", "python3", "python3", []string{"python3", "--version"}, nil},
}

// TestSnippetsRun runs the pages' code in every language against a server: an order is created,
// captured, partly refunded, paid and read, and a token is requested. By day it is not read: those
// snippets have the same form.
func TestSnippetsRun(t *testing.T) {
	p := realPortal(t)
	for i, r := range runners {
		t.Run(r.language, func(t *testing.T) {
			need(t, r.program, r.install)
			if exec.Command(r.check[0], r.check[1:]...).Run() != nil {
				skip(t, r.install)
			}
			x := newLive(t)
			run := func(operation string, path map[string]string) string {
				return runSnippet(t, x, p, i, operation, path)
			}
			created := run("createOrder", nil)
			key := regexp.MustCompile(`ord_[0-9A-Z]{26}`).FindString(created)
			if key == "" || !strings.Contains(created, `AUTHORIZED`) {
				t.Fatalf("the order is %s", created)
			}
			at := map[string]string{"key": key, "orderId": key}
			for _, step := range []struct{ operation, says string }{
				{"updateOrder", "CAPTURED"}, {"refundOrder", "300.00"}, {"getOrder", "one shelf returned"}, {"getSchedule", "remaining_balance"}, {"listOrders", key},
			} {
				if os.Getenv(suite.Night) == "" && (step.operation == "getSchedule" || step.operation == "listOrders") {
					continue
				}
				if out := run(step.operation, at); !strings.Contains(out, step.says) {
					t.Errorf("%s does not say %s: %s", step.operation, step.says, out)
				}
			}
			if out := run("createToken", nil); !strings.Contains(out, "access_token") {
				t.Errorf("no token: %s", out)
			}
			o := x.must(x.token, "GET", "/v1/order/"+key, "")
			if got := fmt.Sprint(o["amount"], o["status"], o["refunded_amount"], o["merchant_order_id"]); got != "1200CAPTURED300PO-7781" {
				t.Errorf("the server has the order %s", got)
			}
		})
	}
}

// skip is what need does if a program lacks a component.
func skip(t *testing.T, install string) {
	t.Helper()
	suite.Missing(t, "a part of a language", "apt-get install -y "+install)
}

// runSnippet runs a page's code, with the given path values, and returns its output.
func runSnippet(t *testing.T, x *live, p *Portal, runner int, operation string, path map[string]string) string {
	t.Helper()
	r, e := runners[runner], p.site.examples[operation]
	e.Path = path
	code := ""
	for _, s := range newCall(p.site.contract.find(operation), e).snippets() {
		if s.Name == r.language {
			code = s.Code
		}
	}
	if code == "" {
		t.Fatalf("%s has no code in %s", operation, r.language)
	}
	file := filepath.Join(t.TempDir(), r.file)
	save(t, file, code)
	ctx, cancel := context.WithTimeout(context.Background(), runTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.program, append(append([]string{}, r.args...), file)...)
	cmd.Dir = filepath.Join("..", "..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "TENOR_URL="+x.url, "TENOR_TOKEN="+x.token, "TENOR_CLIENT_ID="+x.client, "TENOR_CLIENT_SECRET="+x.secret)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", operation, err, out, code)
	}
	return string(out)
}
