package archtest

import (
	"slices"
	"strings"
	"testing"

	"tenor/internal/proof/suite"
)

const module = "tenor/"

// floor is the height of a package: imports only go down, and packages on the same floor do not
// know each other unless their room allows it.
type floor int

const (
	values floor = iota
	decisions
	storage
	backends
	committing
	serving // what every edge may use
	edges
	commands
	keeping // tests and internal tools: nothing that ships
)

// room says what a package may import: other packages of this module, by path, and packages
// outside the standard library, by prefix. Tests may also import what tests lists, and any
// backend below their floor.
type room struct {
	path    string
	floor   floor
	inside  string
	outside string
	tests   string
}

// rooms is the plan of all packages. A package missing from it fails.
var rooms = []room{
	{"internal/domain/money", values, "", "", ""},
	{"internal/domain/calendar", values, "", "", ""},
	{"internal/domain/schedule", values, "money calendar", "", "apr"},
	{"internal/domain/apr", values, "money calendar", "", "schedule"},
	{"internal/domain/ledger", values, "money calendar", "", ""},
	{"internal/domain/underwriting", values, "money calendar", "", "schedule"},
	{"internal/core/seal", values, "", "", ""},
	{"internal/domain/account", values, "", "", ""},
	{"internal/domain/ulid", values, "", "", ""},
	{"internal/domain/permit", values, "money", "", ""},
	{"internal/domain/returnurl", values, "", "", ""},
	{"internal/ui/picture", serving, "", "", ""},

	{"internal/domain/credit", decisions, "permit ulid account underwriting money calendar schedule apr ledger", jsonV2, "explain access staff journal cases invariant outcome compliance merchants onboarding people lending payments"},
	{"internal/domain/explain", decisions, "credit money calendar schedule ledger", "", ""},
	{"internal/domain/access", decisions, "permit lending outcome credit", "", ""},
	{"internal/domain/staff", decisions, "permit access money credit", "", ""},
	{"internal/domain/cases", decisions, "credit calendar", "", ""},
	{"internal/domain/lending", decisions, "ulid permit schedule money ledger calendar apr credit", "", ""},
	{"internal/domain/payments", decisions, "permit ulid schedule money ledger calendar account credit lending", "", ""},
	{"internal/domain/people", decisions, "money calendar credit", "", ""},
	{"internal/domain/merchants", decisions, "permit payments lending money ledger calendar credit", "", ""},
	{"internal/domain/compliance", decisions, "permit lending underwriting schedule money ledger calendar credit", "", ""},
	{"internal/domain/onboarding", decisions, "ulid permit lending underwriting schedule people money compliance calendar credit", "", ""},
	{"internal/domain/invariant", decisions, "underwriting payments lending access schedule outcome money ledger calendar credit", "", ""},
	{"internal/domain/outcome", decisions, "credit", "", ""},
	{"internal/domain/journal", decisions, "payments lending people onboarding merchants compliance access cases staff credit underwriting money calendar", "", ""},

	{"internal/core/failpoint", storage, "", "", ""},
	{"internal/core/failpoint/armed", storage, "failpoint", "", ""},
	{"internal/core/store", storage, "journal ulid credit money calendar schedule ledger", jsonV2 + " github.com/klauspost/compress/s2", ""},
	{"internal/core/store/memory", backends, "lending store credit money calendar schedule ledger failpoint", "", "store/storetest"},
	{"internal/core/store/sqlite", backends, "store credit money calendar schedule ledger failpoint", "zombiezen.com/go/sqlite modernc.org/sqlite", "store/storetest access payments"},
	{"internal/core/store/postgres", backends, "store credit money calendar schedule ledger failpoint", "github.com/jackc/pgx/v5", "store/storetest store/sqlite pgtest faultproxy zombiezen.com/go/sqlite access payments"},

	{"internal/core/engine", committing, "lending compliance invariant journal store credit money calendar failpoint", "", "failpoint/armed schedule ledger resource seal merchants"},
	{"internal/core/verify", committing, "payments access journal returnurl underwriting store credit money calendar schedule ledger engine", "", "staff resource zombiezen.com/go/sqlite access cases compliance merchants onboarding people lending"},

	{"internal/edge/resource", serving, "lending onboarding journal explain underwriting store credit money calendar schedule ledger", jsonV2, "access outcome"},
	{"internal/office/books", serving, "web ulid store credit money calendar ledger", "", "store/memory payments"},
	{"internal/office/statement", serving, "payments lending compliance store credit money calendar schedule ledger", "codeberg.org/go-pdf/fpdf golang.org/x/text", "store/memory"},
	{"internal/office/report", serving, "lending rails/ach store credit money calendar schedule ledger", "", "store/memory store/storetest"},
	{"internal/office/alarm", serving, "onboarding payments lending people rails rails/ach report store credit money calendar", "", "*"},
	{"internal/ports/screening", serving, "credit", "", ""},
	{"internal/office/mail", serving, "statement store credit money calendar", "", "payments"},
	{"internal/office/clockwork", serving, "staff payments lending people onboarding merchants compliance cases account alarm books screening rails rails/ach clock telemetry failpoint engine store credit money calendar schedule", "", "rails/fake resource seal ledger pgtest"},
	{"internal/edge/requestlog", serving, "ulid store", "", "store/memory"},
	{"internal/core/reseal", serving, "payments compliance engine store credit", "", "seal verify calendar resource access merchants lending"},
	{"internal/edge/throttle", serving, "", "", ""},
	{"internal/edge/gate", serving, "", "", ""},
	{"internal/edge/rest/value", values, "", "", ""},
	{"internal/edge/rest", serving, "rest/value throttle gate", jsonV2 + " golang.org/x/text golang.org/x/time", "values money calendar"},
	{"internal/edge/values", serving, "rest/value money calendar", "", ""},
	{"internal/edge/auth", serving, "access clock throttle engine store credit money calendar", "", "resource journal"},
	{"internal/app/config", serving, "", "", ""},
	{"internal/ports/telemetry", serving, "", "github.com/prometheus/client_golang", "engine"},
	{"internal/core/clock", serving, "calendar", "", ""},
	{"internal/ports/rails", serving, "money calendar", "", "rails/ach rails/card rails/fake"},
	{"internal/ports/rails/ach", serving, "account rails money calendar", "github.com/moov-io/ach github.com/pkg/sftp golang.org/x/crypto", "proctest"},
	{"internal/ports/rails/card", serving, "rails outbound money calendar", jsonV2, ""},
	{"internal/ports/rails/fake", serving, "rails rails/ach money calendar", "github.com/moov-io/ach", ""},
	{"internal/ports/outbound", serving, "", "code.dny.dev/ssrf golang.org/x/text", ""},
	{"internal/ports/facts", serving, "underwriting money calendar", "", ""},
	{"internal/ports/facts/sandbox", serving, "facts underwriting money calendar", "", ""},
	{"internal/ports/facts/https", serving, "facts outbound underwriting money calendar", jsonV2, "webhook"},
	{"internal/office/letter", serving, "", "", "webtest statement credit calendar lending"},
	{"internal/ports/mailer", serving, "", "github.com/wneessen/go-mail", "smtptest"},
	{"internal/ui/web", serving, "money calendar", "", ""},
	{"internal/office/buyer", serving, "payments lending people onboarding cases account design facts facts/sandbox underwriting letter mailer statement engine store credit money calendar schedule", "", "store/memory store/sqlite seal resource smtptest facts/https verify compliance merchants"},
	{"internal/ui/design", serving, "web money calendar", "", "webtest"},
	{"internal/office/credential", serving, "", "github.com/pquerna/otp golang.org/x/crypto golang.org/x/text", ""},
	{"internal/office/signin", serving, "money compliance permit staff access buyer credential engine store credit", "", "resource seal store/sqlite verify calendar"},
	{"internal/office/paper", serving, "lending buyer design statement credit money calendar schedule", "codeberg.org/go-pdf/fpdf", "webtest"},
	{"internal/pages", serving, "buyer design picture underwriting credit money calendar web", "", ""},
	{"internal/office/promotion", serving, "onboarding design credit money calendar", "", "schedule lending"},
	{"api", values, "", "", ""},
	{"docs", serving, "", "", ""},

	{"internal/edge/httpapi/serve", serving, "explain payments onboarding lending account auth buyer calendar credit engine picture resource rest schedule statement store values", "", ""},
	{"internal/edge/httpapi/orders", serving, "onboarding lending httpapi/serve buyer calendar credit explain ledger money paper promotion resource rest returnurl store values", jsonV2, ""},
	{"internal/edge/httpapi/payments", serving, "web payments httpapi/serve calendar credit engine money resource rest statement store values", jsonV2, ""},
	{"internal/edge/httpapi/buyers", serving, "payments onboarding access httpapi/serve httpapi/orders httpapi/payments account buyer calendar cases credit money resource rest schedule statement store underwriting values", jsonV2, ""},
	{"internal/edge/httpapi/developer", serving, "outcome lending httpapi/serve access auth calendar credit resource rest store", jsonV2, ""},
	{"internal/edge/httpapi/operator", serving, "staff journal people payments onboarding merchants lending compliance httpapi/serve httpapi/buyers httpapi/payments access alarm auth books buyer calendar cases credit engine ledger money picture rails/ach resource rest returnurl schedule statement store underwriting values", "", ""},
	{"internal/edge/httpapi/sandboxapi", serving, "onboarding lending httpapi/serve httpapi/buyers httpapi/developer httpapi/orders httpapi/payments buyer calendar credit facts/sandbox mail money paper resource rest statement store values", "", ""},
	{"internal/edge/httpapi", edges, "outcome compliance access httpapi/buyers httpapi/developer httpapi/operator httpapi/orders httpapi/payments httpapi/sandboxapi httpapi/serve api credit engine resource rest store ulid values", jsonV2, "access alarm auth books buyer calendar clock facts/sandbox gate ledger mailer money outbound schedule screening seal telemetry lending merchants onboarding payments staff"},
	{"internal/pages/accountpages", edges, "store pages buyer design paper picture web throttle statement schedule credit money calendar", "", "engine resource seal facts facts/sandbox store/sqlite webtest verify compliance lending merchants payments people"},
	{"internal/pages/checkout", edges, "onboarding lending pages buyer design paper picture web throttle underwriting store credit money calendar schedule", "", "engine resource seal facts facts/sandbox returnurl browsertest webtest mailer smtptest compliance merchants payments people"},
	{"internal/pages/console", edges, "report explain merchants books facts compliance journal lending payments onboarding underwriting schedule ledger money permit staff alarm buyer signin credential pages design web throttle store credit calendar", "", "engine resource seal store/sqlite webtest verify access people"},
	{"internal/pages/portal", edges, "outcome credit design web", "github.com/yuin/goldmark", "webtest buyer httpapi httpapi/serve rest auth engine seal outbound calendar money resource docs access lending merchants"},
	{"internal/edge/sandbox", edges, "ulid clockwork rails rails/fake clock store credit money calendar", "", "engine seal resource store/memory webhook"},
	{"internal/pages/shop", edges, "design facts/sandbox web money", "", "webtest"},
	{"internal/pages/storefront", edges, "buyer design promotion web throttle store credit money calendar", "", "browsertest webtest engine store/memory resource merchants lending"},
	{"internal/pages/sandboxui", edges, "design web money", "", "webtest docs"},
	{"internal/edge/webhook", edges, "access ulid outbound returnurl engine store credit failpoint", "", "failpoint/armed calendar pgtest merchants onboarding lending"},
	{"client", edges, "", "", ""},

	{"internal/app/scenario", commands, "client", "", ""},
	{"internal/app/exit", values, "", "", ""},
	{"internal/app/release", values, "", "", ""},
	{"internal/app/terminal", commands, "outcome access client letter clock release exit credit calendar", "github.com/alecthomas/kong", "httpapi"},
	{"internal/app/node", commands, "payments outcome lending access alarm console credential signin gate accountpages checkout shop storefront portal sandboxui sandbox httpapi httpapi/serve rest webhook api docs auth buyer design clock clockwork facts facts/https facts/sandbox mailer outbound rails rails/ach rails/card " +
		"requestlog reseal returnurl screening seal telemetry verify resource release exit engine store store/sqlite store/postgres credit money calendar", "github.com/alecthomas/kong github.com/jackc/pgx/v5 " + jsonV2, ""},
	{"internal/app/stage", commands, "payments node scenario sandbox sandboxui httpapi httpapi/serve rest client clock clockwork rails/fake telemetry resource exit store store/sqlite credit calendar", "", ""},
	{"internal/app/demo", commands, "payments onboarding merchants lending compliance access stage node terminal sandbox httpapi/sandboxapi httpapi/serve client auth buyer clock facts/sandbox rails/fake verify resource exit underwriting store credit money calendar", "", ""},
	{"internal/app/cli/local", commands, "node terminal client screening resource exit engine credit", "github.com/alecthomas/kong", ""},
	{"internal/app/cli/trade", commands, "merchants lending cli/local node terminal client clock rails/fake resource exit store credit money calendar", jsonV2, "schedule"},
	{"internal/app/cli/integrate", commands, "outcome cli/trade demo stage scenario terminal client clock release exit credit calendar", "", ""},
	{"internal/app/cli/operate", commands, "permit staff signin cli/local demo stage node terminal sandbox httpapi httpapi/serve rest client alarm auth bench buyer clock clockwork gate outbound seal verify resource release exit engine store credit money calendar", "github.com/alecthomas/kong github.com/jackc/pgx/v5", ""},
	{"internal/app/cli", commands, "cli/trade cli/integrate cli/operate demo node config terminal client bench clock release exit", "github.com/alecthomas/kong", ""},
	{"cmd/tenor", commands, "cli failpoint/armed", "", "* zombiezen.com/go/sqlite github.com/alecthomas/kong github.com/jackc/pgx/v5"},

	{"internal/app/bench", serving, "credential payments lending merchants outcome access auth clock clockwork rails rails/fake seal resource verify engine store ulid credit money calendar schedule", "", "* zombiezen.com/go/sqlite"},

	{"internal/core/store/storetest", keeping, "payments lending outcome journal access ulid store store/memory credit money calendar schedule ledger", testModules, ""},
	{"internal/proof/suite", keeping, "", "", ""},
	{"internal/proof/scorecard", keeping, "", "", ""},
	{"internal/proof/testrun", keeping, "scorecard suite", "", ""},
	{"internal/proof/pgtest", keeping, "proctest suite", "github.com/jackc/pgx/v5", ""},
	{"internal/proof/proctest", keeping, "merchants auth calendar credit engine store suite resource", "", ""},
	{"internal/proof/faultproxy", keeping, "", "", ""},
	{"internal/proof/linear", keeping, "", "github.com/anishathalye/porcupine", "*"},
	{"internal/proof/outage", keeping, "*", testModules + " github.com/jackc/pgx/v5", "*"},
	{"internal/proof/nodetest", keeping, "*", testModules + " github.com/jackc/pgx/v5", "*"},
	{"internal/proof/crashtest", keeping, "*", testModules, "*"},
	{"internal/proof/docstest", keeping, "*", testModules, "*"},
	{"internal/proof/clientgen", keeping, "", jsonV2, "httpapi httpapi/serve rest buyer"},
	{"internal/proof/contracttest", keeping, "*", testModules, "*"},
	{"internal/proof/smtptest", keeping, "", "", ""},
	{"internal/proof/browsertest", keeping, "suite", "github.com/chromedp/chromedp github.com/chromedp/cdproto", ""},
	{"internal/proof/webtest", keeping, "", "", ""},
	{"internal/proof/devtest", keeping, "cli cli/operate demo exit terminal clock proctest suite", "", ""},
	{"internal/proof/pagetest", keeping, "", "", "*"},
	{"internal/proof/mutants", keeping, "", "", ""},
	{"internal/proof/supply", keeping, "", "", ""},
	{"internal/proof/thief", keeping, "*", testModules, "*"},
	{"internal/proof/sim/onrails", keeping, "*", "", "*"},
	{"internal/proof/sim/years", keeping, "*", "", "*"},
	{"internal/proof/sim", keeping, "*", "github.com/google/go-cmp pgregory.net/rapid github.com/anishathalye/porcupine", "*"},
	{"internal/proof/archtest", keeping, "", "", "*"},
}

const jsonV2 = "github.com/go-json-experiment/json"

// testModules may be imported by tests of any package.
const testModules = "pgregory.net/rapid github.com/google/go-cmp go.uber.org/goleak github.com/getkin/kin-openapi " +
	"github.com/rogpeppe/go-internal github.com/anishathalye/porcupine github.com/standard-webhooks/standard-webhooks " + jsonV2

// concrete are the backends that only node, stage and tests may know.
const concrete = "store/memory store/sqlite store/postgres store/storetest"

// directories are the folders of internal from the bottom up: `ls` shows the same plan.
var directories = []string{"domain", "core", "ports", "ui", "office", "edge", "pages", "app", "proof"}

// directory returns the height of the folder that a package is in; packages outside internal have
// none.
func directory(path string) int {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "internal/"), "/")
	return slices.Index(directories, first)
}

// roomCalled finds a room by the short name of its package.
func roomCalled(short string) (room, bool) {
	return roomOf(suite.Folder(root, short))
}

func roomOf(path string) (room, bool) {
	for _, r := range rooms {
		if r.path == path {
			return r, true
		}
	}
	return room{}, false
}

// checkImports checks every import against the plan.
func checkImports(r *reporter) {
	home, ok := roomOf(r.p.path)
	if !ok {
		r.at(r.p.files[0].syntax.Name, r.p.path, "package %s is not in the plan of the house (rooms_test.go)", r.p.path)
		return
	}
	for _, f := range r.p.files {
		for _, s := range f.syntax.Imports {
			path := importPath(s)
			switch {
			case strings.HasPrefix(path, module):
				if !home.allows(strings.TrimPrefix(path, module), f.test) {
					r.at(s, path, "%s may not import %s", r.p.path, path)
				}
			case strings.Contains(path, "."):
				if !home.allowsModule(path, f.test) {
					r.at(s, path, "%s may not import the module of %s", r.p.path, path)
				}
			}
		}
	}
}

// allows reports whether the package may import another package of this module.
func (r room) allows(path string, test bool) bool {
	short := suite.Short(path)
	in := strings.Fields(r.inside)
	if test {
		in = append(in, strings.Fields(r.tests)...)
		in = append(in, "suite") // shared by all tests
		if path == r.path {
			return true // an external test
		}
		if r.floor >= backends {
			in = append(in, strings.Fields(concrete)...)
		}
	}
	if slices.Contains(in, "*") {
		return true
	}
	return slices.Contains(in, short)
}

func (r room) allowsModule(path string, test bool) bool {
	outside := strings.Fields(r.outside)
	if test {
		outside = slices.Concat(outside, strings.Fields(r.tests), strings.Fields(testModules))
	}
	return slices.ContainsFunc(outside, func(prefix string) bool {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	})
}

// The plan itself follows the rules: code imports downwards, edges do not know each other, and no
// package below the commands, except internal tools, knows a concrete backend.
func TestPlan(t *testing.T) {
	for _, r := range rooms {
		for _, short := range strings.Fields(r.inside) {
			if short == "*" {
				if r.floor < commands {
					t.Errorf("%s may import everything", r.path)
				}
				continue
			}
			other, ok := roomCalled(short)
			switch {
			case !ok:
				t.Errorf("%s may import %s, which is not in the plan", r.path, short)
			case other.floor > r.floor || strings.HasPrefix(r.path, "internal/") && directory(other.path) > directory(r.path):
				t.Errorf("%s may import %s, which is above it", r.path, short)
			case r.floor == edges && other.floor == edges:
				t.Errorf("the edge %s may import the edge %s", r.path, short)
			case r.floor < commands && slices.Contains(strings.Fields(concrete), short):
				t.Errorf("%s may import the backend %s", r.path, short)
			}
		}
	}
}

// badNames are words that do not say what a package is for.
var badNames = []string{"util", "utils", "common", "helper", "helpers", "model", "models", "service", "services", "manager", "managers", "misc", "base", "shared", "pkg"}

// checkNames refuses packages with meaningless names.
func checkNames(r *reporter) {
	for _, part := range strings.Split(r.p.path, "/") {
		if slices.Contains(badNames, part) {
			r.at(r.p.files[0].syntax.Name, part, "a package named %s says nothing about what it is for", part)
			return
		}
	}
	for _, f := range r.p.files {
		if name := strings.TrimSuffix(f.syntax.Name.Name, "_test"); slices.Contains(badNames, name) {
			r.at(f.syntax.Name, name, "a package named %s says nothing about what it is for", name)
		}
	}
}
