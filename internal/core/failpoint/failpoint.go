// Package failpoint names the places where a crash test may stop the process,
// and stops it there. Without the build tag failpoint, Hit does nothing and costs
// nothing; with it, Set or the environment variable TENOR_FAILPOINTS arms points:
//
//	TENOR_FAILPOINTS='before-commit=kill@3;after-load=sleep:200ms'
//
// Each part is point=action or point=action@N: the action happens on the Nth hit
// of the point, the first one if N is left out, and only once. The actions are
// panic, kill (SIGKILL to the own process), sleep:duration and error (Hit returns
// ErrInjected).
package failpoint

import "errors"

// Point is a place in the program.
type Point string

// The points, in the order in which the life of a command reaches them (EN13).
const (
	BeforeBegin    Point = "before-begin"    // engine: the batch is taken, no transaction yet
	AfterLoad      Point = "after-load"      // engine: everything is loaded and locked
	AfterDecide    Point = "after-decide"    // engine: everything is decided and encoded
	MidApply       Point = "mid-apply"       // store: some rows of the batch are written
	BeforeCommit   Point = "before-commit"   // store: all rows are written
	BeforeAnswer   Point = "before-answer"   // engine: committed, nobody is answered
	BetweenAnswers Point = "between-answers" // engine: some callers are answered
	BeforeMark     Point = "before-mark"     // webhook, rail: sent, not yet marked
	Migration      Point = "migration"       // store: before each statement of a migration
	BackupPage     Point = "backup-page"     // store: before each page of a backup
	RestoreStep    Point = "restore-step"    // store: before each step of a restore
)

// ErrInjected is what Hit returns at a point armed with the action error.
var ErrInjected = errors.New("failpoint: injected")
