package crashtest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
	"tenor/internal/core/store/postgres"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

var everyStatement = flag.Int("every", suite.By(60, 7), "kill migrations at every nth statement")

// catalog lists the contents of a database schema: columns, indexes, triggers, functions and
// table constraints.
const catalog = `SELECT string_agg(x, E'\n' ORDER BY x) FROM (
	SELECT 'column ' || table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable AS x
	  FROM information_schema.columns WHERE table_schema = 'public'
	UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
	UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
	UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
	UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
	UNION ALL SELECT 'migration ' || name || ' ' || checksum FROM migrations) s`

// TestCrashInPostgresMigration kills tenor db migrate at statements of the schema. The next run
// completes it: the result is that of an undisturbed migration (T32).
func TestCrashInPostgresMigration(t *testing.T) {
	program := proctest.Build(t, "failpoint")
	cluster := pgtest.New(t, pgtest.Options{})
	calm := cluster.CreateDatabase(t)
	migrate(t, program, calm, 0)
	want := cluster.Query1(t, nameOf(calm), catalog)
	kills := 0
	for n := 1; ; n += *everyStatement {
		url := cluster.CreateDatabase(t)
		if !migrate(t, program, url, n) {
			break // there are not that many statements
		}
		kills++
		list, err := postgres.Status(t.Context(), url)
		if err != nil || allDone(list) {
			t.Fatalf("after a kill at statement %d: %v, %v", n, list, err)
		}
		migrate(t, program, url, 0)
		if got := cluster.Query1(t, nameOf(url), catalog); got != want {
			t.Fatalf("after a kill at statement %d:\n%s", n, differ(want, got))
		}
	}
	t.Logf("crash points: %d kills inside the PostgreSQL migration, differences 0", kills)
	if kills < 5 {
		t.Errorf("only %d kills", kills)
	}
}

func allDone(list []store.Migration) bool {
	for _, m := range list {
		if !m.Done {
			return false
		}
	}
	return true
}

func nameOf(url string) string {
	name := url[strings.LastIndexByte(url, '/')+1:]
	name, _, _ = strings.Cut(name, "?")
	return name
}

// migrate runs tenor db migrate, killed at the nth statement if n is not 0, and reports whether
// it was killed.
func migrate(t *testing.T, program, url string, n int) (killed bool) {
	t.Helper()
	cmd := exec.Command(program, "db", "migrate", "--database", url)
	if n > 0 {
		cmd.Env = append(os.Environ(), fmt.Sprintf("TENOR_FAILPOINTS=%s=kill@%d", failpoint.Migration, n))
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == -1 {
		return true
	}
	if err != nil {
		t.Fatalf("migrate: %v\n%s", err, out)
	}
	return false
}
