package shed

import (
	"errors"
	"regexp"
	"sync"
)

var errLost = errors.New("lost")

var word = regexp.MustCompile(`\w`)

var _ error = errLost

var names = [...]string{"a", "b"}

var seen = map[string]bool{} // want: package-level variable seen

var count int // want: package-level variable count

var cache = struct { // want: package-level variable cache
	sync.Mutex
	m map[string]int
}{m: map[string]int{}}

var bad = &reason{code: "bad"}

var worse = load() // want: package-level variable worse

type reason struct{ code string }

func load() int { return 0 }

func init() {} // want: init hides work

func change() {
	names[0] = "c" // want: names is changed
	bad.code = "c" // want: bad is changed
	count++        // want: count is changed
	errLost = nil  // want: errLost is changed
}

func hide() {
	names := []string{}
	names = nil
}
