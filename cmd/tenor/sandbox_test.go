package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/app/scenario"
	"tenor/internal/proof/devtest"
)

// What cannot be undone needs confirmation before any server is called: without a terminal, as a
// flag.
func TestSandboxConsent(t *testing.T) {
	for _, x := range []struct {
		args, want string
		code       int
	}{
		{"sandbox restore snp_1", "Repeat the command with --yes", exit.Usage},
		{"sandbox reset", "Repeat the command with --confirm=sandbox", exit.Usage},
		{"sandbox reset --confirm=production", "--confirm does not match", exit.Usage},
		{"sandbox restore snp_1 --yes", "server", exit.Unavailable}, // no server answers
		{"sandbox reset --confirm=sandbox", "server", exit.Unavailable},
	} {
		var out, errs devtest.Pipe
		args := append(strings.Fields(x.args), "--url", "http://127.0.0.1:1")
		if code := cli.Run(t.Context(), args, devtest.App(&out, &errs)); code != x.code || !strings.Contains(errs.String(), x.want) {
			t.Errorf("%s ended with %d: %s", x.args, code, errs.String())
		}
	}
}

// A scenario run through the API is reported line by line, the result last, also to a merchant's
// token; an unknown one is a problem.
func TestScenarioOfTheAPI(t *testing.T) {
	w := devtest.Sandbox(t, t.Cleanup)
	ask := func(name string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+"/v1/sandbox/scenarios/"+name+"/run", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.Token)
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := ask("refund-before-payout")
	defer r.Body.Close()
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/jsonl" {
		t.Fatalf("%d %s", r.StatusCode, r.Header.Get("Content-Type"))
	}
	calls, last := 0, ""
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l scenario.Line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil || l.Scenario != "refund-before-payout" {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		if l.Method != "" {
			calls++
		}
		last = lines.Text()
	}
	var result scenario.Result
	if err := json.Unmarshal([]byte(last), &result); err != nil || lines.Err() != nil || !result.Passed || result.Calls != calls || result.CompanyID == "" {
		t.Errorf("%v, %v: %d calls, %s", err, lines.Err(), calls, last)
	}
	none := ask("no-such")
	defer none.Body.Close()
	if b, _ := io.ReadAll(none.Body); none.StatusCode != 404 || !strings.Contains(string(b), `"code":"not_found"`) {
		t.Errorf("%d %s", none.StatusCode, b)
	}
}
