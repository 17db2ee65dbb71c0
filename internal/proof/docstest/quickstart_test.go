package docstest

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

const quickstartPage = "docs/guides/quickstart-checkout.md"

// shopkeeper is how one of the guide's programs is started.
type shopkeeper struct {
	language, file   string
	program, install string
	needs            string   // the version required by the guide
	check            []string // exits with 0 if it is that version
	build            []string // run before the start
	start            func(address string) []string
}

var shopkeepers = []shopkeeper{
	{
		language: "go", file: "server.go", program: "go", install: "golang", needs: "Go 1.24", check: []string{"version"},
		build: []string{"go", "build", "-o", "server", "server.go"}, start: func(string) []string { return []string{"./server"} },
	},
	{
		language: "javascript", file: "server.mjs", program: "node", install: "nodejs", needs: "Node.js 20",
		check: []string{"-e", "process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)"},
		start: func(string) []string { return []string{"node", "server.mjs"} },
	},
	{
		language: "php", file: "server.php", program: "php", install: "php-cli", needs: "PHP 8.1",
		check: []string{"-r", "exit(PHP_VERSION_ID >= 80100 && ini_get('allow_url_fopen') ? 0 : 1);"},
		start: func(address string) []string { return []string{"php", "-S", address, "server.php"} },
	},
	{
		language: "python", file: "server.py", program: "python3", install: "python3", needs: "Python 3.10",
		check: []string{"-c", "import sys; sys.exit(sys.version_info < (3, 10))"},
		start: func(string) []string { return []string{"python3", "server.py"} },
	},
}

// TestQuickstartServers runs the guide's programs, one after the other, with a sandbox: a button
// is pressed, a buyer accepts or leaves, and some of what the program is told may be false.
func TestQuickstartServers(t *testing.T) {
	require(t, "bash")
	p := readPage(t, quickstartPage)
	bin := build(t)
	for _, k := range shopkeepers {
		t.Run(k.language, func(t *testing.T) {
			suite.Program(t, k.install, k.program)
			if exec.Command(k.program, k.check...).Run() != nil {
				suite.Missing(t, k.needs, "apt-get install -y "+k.install)
			}
			s := openStall(t, openTown(t, bin), k, p.server(t, k.language))
			t.Run("button", s.pressesTheButton)
			t.Run("not accepted", s.believesNobody)
			t.Run("accepted", s.completes)
			t.Run("left", s.saysWhy)
			t.Run("declined", s.saysNo)
			t.Run("browser closed", s.hearsOfIt)
			t.Run("forged", s.isNotFooled)
			t.Run("no answer", s.doesNotKnow)
			t.Run("one token", s.keepsItsToken)
		})
	}
}

// server returns the program on a page in a language: its block has the word server.
func (p page) server(t *testing.T, language string) string {
	t.Helper()
	for _, b := range p.blocks {
		if b.lang == language && b.has("server") {
			return b.text
		}
	}
	t.Fatalf("%s has no server in %s", p.name, language)
	return ""
}

// town is a program's sandbox, with the content of its banner.
type town struct{ url, token, client, secret string }

func openTown(t *testing.T, bin string) town {
	t.Helper()
	s := openShell(t, bin)
	s.background(t, quickstartPage, "tenor dev\n", block{lang: "text", text: "…\nStop   Ctrl+C\n"})
	out, err := s.run(`printf '%s\n' "$TENOR_URL" "$TENOR_TOKEN" "$TENOR_CLIENT_ID" "$TENOR_CLIENT_SECRET"`)
	said := strings.Fields(out)
	if err != nil || len(said) != 4 {
		t.Fatalf("the banner says %q: %v", out, err)
	}
	return town{said[0], said[1], said[2], said[3]}
}

// stall is a running program of the guide, between its buyers and Tenor.
type stall struct {
	shopkeeper
	town
	address string // the program's: http://127.0.0.1:port
	hook    string // ID of its endpoint, which is initially disabled
	signing string // its secret
	road    *road  // its connection to Tenor
	browser *http.Client
}

func openStall(t *testing.T, at town, k shopkeeper, program string) *stall {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s := &stall{
		shopkeeper: k, town: at, address: "http://" + proctest.FreeAddress(t), road: openRoad(t, at.url),
		browser: &http.Client{Jar: jar, CheckRedirect: stay, Timeout: stopTime},
	}
	t.Cleanup(s.browser.CloseIdleConnections)
	made := s.ask(t, "POST", "/v1/webhooks", map[string]any{"url": s.address + "/webhook", "event_types": []string{"checkout.accepted"}, "enabled": false})
	s.hook, s.signing = made["id"].(string), made["secret"].(string)
	s.open(t, program)
	return s
}

// open starts the program and waits until it shows its cart.
func (s *stall) open(t *testing.T, program string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, s.file), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	if len(s.build) > 0 {
		cmd := exec.Command(s.build[0], s.build[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	argv := s.start(strings.TrimPrefix(s.address, "http://"))
	cmd, out, exited := exec.Command(argv[0], argv[1:]...), newOutput(), make(chan struct{})
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	cmd.Env = append(os.Environ(), "TENOR_URL="+s.road.url, "TENOR_CLIENT_ID="+s.client, "TENOR_CLIENT_SECRET="+s.secret, "WEBHOOK_SECRET="+s.signing, "SHOP_URL="+s.address)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	t.Cleanup(func() {
		end(t, cmd, exited)
		if t.Failed() {
			t.Logf("%q printed:\n%s", argv, out)
		}
	})
	for late := time.Now().Add(startTime); ; time.Sleep(20 * time.Millisecond) {
		answer, err := s.browser.Get(s.address + "/")
		if err == nil {
			answer.Body.Close()
			return
		}
		select {
		case <-exited:
			t.Fatalf("%q ended at once:\n%s", argv, out)
		default:
		}
		if time.Now().After(late) {
			t.Fatalf("%q does not serve: %v", argv, err)
		}
	}
}

// visit is what a browser gets: the status, the text, and the redirect.
type visit struct {
	status   int
	text, to string
}

func (s *stall) visit(t *testing.T, r *http.Request) visit {
	t.Helper()
	answer, err := s.browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return visit{answer.StatusCode, string(text), answer.Header.Get("Location")}
}

func (s *stall) get(t *testing.T, address string) visit {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.visit(t, r)
}

// send submits a form.
func (s *stall) send(t *testing.T, address string, form url.Values) visit {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.visit(t, r)
}

// fill answers a question on one of Tenor's pages, and submits its form otherwise unchanged.
func (s *stall) fill(t *testing.T, address, name, value string) visit {
	t.Helper()
	form := url.Values{}
	for _, m := range hiddenTag.FindAllStringSubmatch(s.get(t, address).text, -1) {
		form.Set(m[1], m[2])
	}
	if name != "" {
		form.Set(name, value)
	}
	return s.send(t, address, form)
}

// says fails the test unless a page has the status and contains the words.
func (v visit) says(t *testing.T, status int, words string) {
	t.Helper()
	if v.status != status || !strings.Contains(v.text, words) {
		t.Errorf("%d %q to %q; want %d and %q", v.status, v.text, v.to, status, words)
	}
}

var (
	formTag   = regexp.MustCompile(`<form method="post" action="(/[a-z]+)">`)
	hiddenTag = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]+)">`)
)

// press opens the shop and presses its button a number of times. It returns Tenor's checkout for
// the cart, and where the browser is redirected each time.
func (s *stall) press(t *testing.T, times int) (checkout string, sent []visit) {
	t.Helper()
	home := s.get(t, s.address+"/")
	action, hidden := formTag.FindStringSubmatch(home.text), hiddenTag.FindStringSubmatch(home.text)
	if home.status != 200 || action == nil || hidden == nil || !strings.Contains(home.text, "<button>Pay over time</button>") {
		t.Fatalf("the page is %d %q", home.status, home.text)
	}
	for range times {
		sent = append(sent, s.send(t, s.address+action[1], url.Values{hidden[1]: {hidden[2]}}))
	}
	for _, x := range s.ask(t, "GET", "/v1/checkouts?limit=100", nil)["data"].([]any) {
		if x := x.(map[string]any); x["remote_id"] == hidden[2] {
			if checkout != "" {
				t.Fatalf("two checkouts of the cart %s", hidden[2])
			}
			checkout = x["id"].(string)
		}
	}
	if checkout == "" {
		t.Fatalf("no checkout of the cart %s; the browser was sent to %v", hidden[2], sent)
	}
	return checkout, sent
}

// stands returns the status of a checkout and of its order, which is "" if there is none.
func (s *stall) stands(t *testing.T, checkout string) string {
	t.Helper()
	x := s.ask(t, "GET", "/v1/checkouts/"+checkout, nil)
	order := s.ask(t, "GET", "/v1/order/"+x["order_key"].(string), nil)
	status, _ := order["status"].(string)
	return strings.TrimSpace(fmt.Sprint(x["status"], " ", cmp.Or(status, "")))
}
