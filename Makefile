# Tenor needs Go and nothing else to build, run and test. What a test could use
# besides, such as a C compiler for the race detector, is used if it is there and
# named if it is not; TENOR_TEST_REQUIRE=all turns that into a failure.

GO ?= go
export CGO_ENABLED = 0

# Packages in which goroutines meet: their tests also run with the race detector.
# Tests that one goroutine does, and that would take minutes with it, are left out (-short).
RACE = ./internal/auth/... ./internal/clock/... ./internal/engine/... ./internal/httpapi/... ./internal/outbound/... ./internal/store/... ./internal/throttle/... ./internal/webhook/...

# How long the tests of one package may take: it ends a hang. On two slow cores, three
# packages at a time, one takes more than the ten minutes that go test gives it by itself.
HANG = 45m

STATICCHECK = $(GO) tool -modfile=tools/go.mod staticcheck
GOVULNCHECK = $(GO) tool -modfile=tools/go.mod govulncheck

# skip names what cannot run here and the command that makes it possible.
define skip
	if [ "$$TENOR_TEST_REQUIRE" = all ]; then echo "FAIL $(1): $(2)"; exit 1; fi; echo "SKIP $(1): $(2)"
endef

.PHONY: help test lint race run bench generate build modules vulnerabilities

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: lint ## Check the code and run every test
	@echo "== tests"
	@$(GO) test -p 3 -timeout $(HANG) ./... # much of it waits: for disks, servers and clocks
	@$(MAKE) --no-print-directory race
	@echo "== all passed"

lint: modules ## Check the code without running it
	@echo "== go vet"
	@$(GO) vet ./...
	@echo "== gofmt"
	@files=$$(gofmt -l cmd client internal); if [ -n "$$files" ]; then echo "$$files"; echo "gofmt -w them"; exit 1; fi
	@echo "== staticcheck"
	@if $(STATICCHECK) -version >/dev/null 2>&1; then $(STATICCHECK) ./...; \
	else $(call skip,staticcheck,its modules cannot be fetched; go mod download -modfile=tools/go.mod); fi

race: modules ## Run the tests of concurrent packages with the race detector
	@echo "== tests with the race detector"
	@if command -v gcc >/dev/null; then CGO_ENABLED=1 $(GO) test -p 3 -timeout $(HANG) -race -short $(RACE); \
	else $(call skip,race detector,it needs a C compiler; apt-get install gcc); fi

run: ## Start everything in one process, with demo data
	@$(GO) run ./cmd/tenor dev

build: ## Build the binary ./tenor
	@$(GO) build -trimpath -o tenor ./cmd/tenor

bench: build ## Measure both databases and write bench/latest.md; takes about 10 minutes
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && tools/with-postgres sh -c \
		'./tenor bench --only w1,w2,w3,w4,ceiling --duration 1s --orders 300000 --data "$$0" --database "$$TENOR_BENCH_DATABASE" --markdown bench/latest.md $(BENCH)' "$$dir"

vulnerabilities: ## Look the dependencies up in the Go vulnerability database
	@$(GOVULNCHECK) ./...

generate: ## Write api/examples.json and api/openapi.yaml anew; review the difference
	@$(GO) test ./internal/httpapi/ -run Examples -count=1 -rewrite-examples
	@$(GO) test ./internal/httpapi/ -run Contract -count=1 -rewrite-contract

modules:
	@$(GO) mod download
