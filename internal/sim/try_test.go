package sim

import (
	"flag"
	"testing"

	"tenor/internal/store/memory"
)

func TestTry(t *testing.T) {
	seed := seedOf(t)
	bad := 0
	total := NewSituations()
	for i := range uint64(*countFlag) {
		r, err := NewRun(memory.New(), NewRand(seed+i), 3)
		if err != nil {
			t.Fatal(err)
		}
		r.Situations = total
		r.Generator.avoid = true
		for n := 0; n < 150 && err == nil; n++ {
			switch r.Generator.Source.Intn(8) {
			case 0:
				err = r.Advance()
			case 1:
				err = r.Again()
			default:
				err = r.Step(pick(r.Generator.Source, Weighted()))
			}
			if err != nil {
				t.Errorf("seed %d step %d: %v\n%s", seed+i, n, err, r.History())
			}
		}
		if err != nil {
			if bad++; bad > 6 {
				return
			}
		}
	}
	t.Logf("\n%s", total)
}

var countFlag = flag.Int("count2", 100, "")
