# Tenor needs Go and nothing else to build, run and test. What a test could use
# besides, such as PostgreSQL, is used if it is there and named at the end if it is
# not; TENOR_TEST_REQUIRE=all turns that into a failure.

GO ?= go
export GO
export CGO_ENABLED = 0
# Everything is compiled as releases are, whose bytes a test compares: so they are
# compiled once, and not once more for that test.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)

# Compilers and tests live for seconds: they need not save memory so eagerly. It takes a
# sixth to a third off the work of both.
export GOGC ?= 300

# Packages in which goroutines meet: their tests also run with the race detector. With
# every change those of RACE do, which decide, queue and send. Those of SQL_RACE need SQLite
# besides, which takes as long to compile for the detector as all the rest: they run in a
# night, and by `make sqlrace` only those of their tests that MEET names, in which goroutines
# meet by themselves; archtest sees that it names all of them.
RACE = ./internal/edge/auth ./internal/core/clock ./internal/core/engine ./internal/ports/outbound ./internal/core/store ./internal/core/store/memory ./internal/edge/throttle
SQL_RACE = ./internal/edge/httpapi ./internal/edge/rest ./internal/core/store/sqlite ./internal/core/store/postgres ./internal/edge/webhook
MEET = TestConform/^snapshots$$|AtOnce|Concurrent|Locks|Race$$|Sender|Slow|Stale|Storm|TakeOver|TakesAllPlaces|Together|Waits|WaitingLines|ProtocolLimits|ViewEnds|Checkpoint

# How long the tests of one package may take: it ends a hang.
HANG = 45m

# The packages that take longest begin first: nothing long is left alone at the end.
LONGEST = ./internal/proof/crashtest ./cmd/tenor ./internal/proof/sim/years ./internal/proof/pagetest ./internal/proof/nodetest ./internal/proof/mutants ./internal/edge/httpapi ./internal/proof/contracttest ./internal/core/store/postgres ./internal/core/verify

# Three packages at a time: much of what they do is to wait, for disks, servers and clocks.
# What go vet finds, lint has said. No debugger reads the tests' programs: linking them without
# its tables and symbols takes a quarter less, and stack traces stay.
TEST = $(GO) run ./internal/proof/testrun $(if $(SKIPPED),-skipped $(SKIPPED)) -vet=off "-ldflags=-s -w" -p 3 -timeout $(HANG)
STATICCHECK = $(GO) run -modfile=tools/go.mod honnef.co/go/tools/cmd/staticcheck
GOVULNCHECK = $(GO) run -modfile=tools/go.mod golang.org/x/vuln/cmd/govulncheck

# skip names what cannot run here and the command that makes it possible.
define skip
	if [ "$$TENOR_TEST_REQUIRE" = all ]; then echo "FAIL $(1): $(2)"; exit 1; fi; \
	echo "SKIP $(1): $(2)"; $(if $(SKIPPED),echo "$(1): $(2)" >>"$(SKIPPED)",:)
endef

# listed makes some targets and then lists what was skipped in them, however they ended.
define listed
	file=$$(mktemp) && trap 'rm -f "$$file"' EXIT; status=0; \
	$(MAKE) --no-print-directory $(1) SKIPPED="$$file" || status=1; \
	$(GO) run ./internal/proof/testrun -list "$$file" || status=1; \
	if [ $$status = 0 ]; then echo "== all passed"; fi; exit $$status
endef

.PHONY: help test ci night lint tests race sqlrace ux run bench generate screenshots build modules vulnerabilities

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## Check the code and run every test, for as long as a change can wait
	@$(call listed,lint tests race)

ci: test ## The same, which .ci/run asks for

night: export TENOR_TEST_NIGHT = 1
night: ## The same with the long runs and with all mutants; takes hours
	@$(call listed,lint tests race sqlrace MEET=. HANG=8h)

lint: modules ## Check the code without running it
	@echo "== go vet"
	@$(GO) vet ./...
	@echo "== gofmt"
	@files=$$(gofmt -l cmd client internal); if [ -n "$$files" ]; then echo "$$files"; echo "gofmt -w them"; exit 1; fi
	@echo "== staticcheck"
	@if $(STATICCHECK) -version >/dev/null 2>&1; then $(STATICCHECK) ./...; \
	else $(call skip,staticcheck,its modules cannot be fetched; go mod download -modfile=tools/go.mod); fi

tests: modules
	@echo "== tests"
	@$(TEST) $(LONGEST) ./...

# raced runs tests with the race detector.
define raced
	if command -v gcc >/dev/null && [ -z "$$TENOR_TEST_NOTHING" ]; then $(TEST) -race $(if $(TENOR_TEST_NIGHT),,-short) $(1); \
	else $(call skip,race detector,apt-get install -y gcc libc6-dev); fi
endef

race: modules ## Run the tests of concurrent packages with the race detector
	@echo "== tests with the race detector"
	@$(call raced,$(RACE))

sqlrace: modules
	@echo "== tests with the race detector and SQLite"
	@$(call raced,-run '$(MEET)' $(SQL_RACE))

ux: modules ## Measure the rows of docs/scorecard.md by their tests; ROW=A1 for one, ROW=A for a part
	@$(GO) run ./internal/proof/testrun -scorecard docs/scorecard.md $(if $(ROW),-row $(ROW)) -vet=off -timeout $(HANG)

run: ## Start everything in one process, with demo data
	@$(GO) run ./cmd/tenor dev

build: ## Build the binary ./tenor
	@$(GO) build -trimpath -o tenor ./cmd/tenor

bench: build ## Measure both databases and write bench/latest.md and latest.svg; takes about 10 minutes
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && tools/with-postgres sh -c \
		'./tenor bench --only w1,w2,w3,w4,ceiling --duration 1s --orders 300000 --data "$$0" --database "$$TENOR_BENCH_DATABASE" --markdown bench/latest.md --picture bench/latest.svg $(BENCH)' "$$dir"

vulnerabilities: ## Look the dependencies up in the Go vulnerability database
	@$(GOVULNCHECK) ./...

generate: ## Write the contract, its examples, the Go client, the tables of events and settings and the stylesheet anew; review the difference
	@$(GO) test ./internal/edge/httpapi/ -run Examples -count=1 -rewrite-examples
	@$(GO) test ./internal/edge/httpapi/ -run Contract -count=1 -rewrite-contract
	@$(GO) test ./internal/proof/clientgen/ -count=1 -rewrite-client
	@$(GO) test ./internal/proof/docstest/ -run EventTable -count=1 -rewrite-events
	@$(GO) test ./internal/app/cli/ -run SettingsPage -count=1 -rewrite
	@$(GO) test ./internal/ui/design/ -run Sheet -count=1 -v -rewrite-sheet

screenshots: ## Make the pictures of README and guides again, then one of every page in ./pictures
	@TENOR_TEST_REQUIRE=all $(GO) test ./internal/proof/pagetest -run TestPictures -count=1 -rewrite
	@mkdir -p pictures && TENOR_TEST_PICTURES=$(CURDIR)/pictures TENOR_TEST_REQUIRE=all $(GO) test ./internal/proof/pagetest -run 'TestBuyerInABrowser|TestAccountInABrowser|TestApplyInABrowser|TestStatesInABrowser|TestShopModalInABrowser|TestPortalInABrowser|TestSandboxInABrowser' -count=1

modules:
	@$(GO) mod download
