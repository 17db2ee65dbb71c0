package sim

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"tenor/internal/store/memory"
)

// Random commands on three companies and two merchants, every answer and every
// figure held against the naive model (T3).
func TestCore(t *testing.T) {
	seed := seedOf(t)
	total := NewSituations()
	for _, s := range kept(t, "TestCore") {
		checkSeed(t, s, 1, 60, coreProperty(total))
	}
	checkSeed(t, seed, *countFlag, 60, coreProperty(total))
	t.Logf("reached:\n%s", total)
}

func coreProperty(total *Situations) func(*rapid.T) {
	return func(t *rapid.T) {
		r, err := NewRun(memory.New(), drawn{t}, 3)
		if err != nil {
			t.Fatal(err)
		}
		r.Situations = total
		r.Generator.avoid = true
		must := func(err error) {
			if err != nil {
				t.Fatalf("%v\nhistory:\n%s", err, r.History())
			}
		}
		actions := map[string]func(*rapid.T){
			"again":   func(*rapid.T) { must(r.Again()) },
			"advance": func(*rapid.T) { must(r.Advance()) },
		}
		for i, kind := range Weighted() {
			actions[fmt.Sprintf("%s %d", kind, i)] = func(*rapid.T) { must(r.Step(kind)) }
		}
		t.Repeat(actions)
	}
}
