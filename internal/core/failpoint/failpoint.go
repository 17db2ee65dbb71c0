// Package failpoint names the places where a crash test may stop the process. A program that
// does not link package armed stops at none of them: Hit does nothing and costs next to nothing.
package failpoint

import (
	"errors"
	"sync/atomic"
)

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

// stop is what happens at a point; nil in every program but those of crash tests.
var stop atomic.Pointer[func(Point) error]

// Install makes Hit call what stops a process at its points; nil makes it do nothing again.
// Only package armed calls it.
func Install(f func(Point) error) {
	if f == nil {
		stop.Store(nil)
		return
	}
	stop.Store(&f)
}

// Installed reports whether something may happen at the points.
func Installed() bool { return stop.Load() != nil }

// Hit stops at the point if the process is armed there. Its error is ErrInjected.
func Hit(p Point) error {
	if f := stop.Load(); f != nil {
		return (*f)(p)
	}
	return nil
}
