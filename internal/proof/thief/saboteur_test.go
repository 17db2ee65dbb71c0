package thief

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/proof/sim"
)

// A saboteur harms nobody: the merchant next to it sells, captures, is paid by the same company
// and is paid out on the same days and to the same cent, as if the saboteur did not exist. Both
// runs have the same seed.
func TestSaboteur(t *testing.T) {
	first, n := uint64(1), max(3, *thiefSeeds/3)
	if *thiefSeed != 0 {
		first, n = *thiefSeed, 1
	}
	for seed := range n {
		seed := first + uint64(seed)
		alone, _ := neighbors(t, seed, nil)
		drawn := stepsOf(seed, 240)
		if beside, _ := neighbors(t, seed, drawn); slices.Equal(alone, beside) {
			continue
		}
		drawn = fewest(drawn, func(steps []uint64) bool { b, _ := neighbors(t, seed, steps); return !slices.Equal(alone, b) })
		beside, log := neighbors(t, seed, drawn)
		t.Errorf("seed %d (go test ./internal/proof/thief -run TestSaboteur -thief.seed %d): what the other merchant came to alone and beside the saboteur:\n%s\nwhat was asked:\n%s",
			seed, seed, differences(alone, beside), strings.Join(log, "\n"))
		return
	}
}

// neighbors runs two merchants with one company for ten weeks. It returns the results of one and
// the requests of the other, the saboteur. Without steps the saboteur sends none.
func neighbors(t *testing.T, seed uint64, steps []uint64) (came, asked []string) {
	t.Helper()
	w := newWorld(t, "2026-01-05 09:00")
	defer w.close()
	bad, honest := w.merchant("Harbor Supply", ""), w.merchant("Quarry Tools", "")
	c := w.company("Alder Kitchens", "60000.00", bad, honest)
	theirs := w.account("operator", c, "100000000", "BUSINESS")
	w.collects(c, theirs)
	w.mustCapture(bad, c, "100.00", 3)
	g := &gang{w: w, merchants: []string{bad}, companies: []string{c}, consented: []string{theirs}, calls: map[string]map[bool]int{}}
	shop, last := sim.NewRand(seed), w.today()+70
	var orders []string
	for at := 0; w.today() < last; at++ {
		day := w.today()
		if shop.Intn(3) == 0 {
			order, a := w.captured(honest, c, fmt.Sprint(100+shop.Intn(800), ".00"), []int{1, 3}[shop.Intn(2)], "")
			orders = append(orders, order)
			came = append(came, fmt.Sprint(day, " order ", len(orders), ": ", a.Status, " ", a.Code))
		}
		for _, hour := range [][2]int{{15, 55}, {16, 5}, {23, 50}} {
			w.until(w.zone.At(day, hour[0], hour[1]))
			if len(steps) > 0 {
				g.s = sim.NewRand(steps[0])
				steps = steps[1:]
				before := len(w.log)
				g.harm()
				asked = append(asked, w.log[before:]...)
			}
		}
		w.until(w.zone.At(day+1, 9, 0))
	}
	return slices.Concat(came, w.outcome(honest, orders), w.broken), asked
}

// harm is one call of a saboteur: it creates no orders, and lets its own order be paid.
func (g *gang) harm() {
	orders := slices.DeleteFunc(orderMoves(), func(m move) bool { return m.id != "setOrderAutopay" })
	list := slices.DeleteFunc(slices.Concat(orders, paymentMoves(), methodMoves(), methodMoves()), func(m move) bool { return m.id == "refundPayment" })
	_, method, path, body := list[g.s.Intn(len(list))].draw(g)
	g.w.call(g.merchants[0], method, path, body)
}

// outcome is the result of a merchant's orders, and what it was paid.
func (w *world) outcome(merchant string, orders []string) (lines []string) {
	g := w.glance()
	for n, key := range orders {
		l := g.loans[key]
		if l == nil {
			continue
		}
		for i, r := range l.Rows {
			lines = append(lines, fmt.Sprintf("order %d row %d due %s: %s of %s paid", n+1, i+1, r.DueDate, r.PaidPrincipal+r.PaidCharge, r.Principal+r.Charge))
		}
		lines = append(lines, fmt.Sprintf("order %d: %s, %d fees", n+1, g.orders[key].Financing, len(l.Fees)))
	}
	for _, t := range g.transfers {
		if t.Merchant == merchant && t.Kind == credit.TransferPayout {
			lines = append(lines, fmt.Sprintf("payout of %s: %s, settles %s", t.Amount, t.Status, t.SettlesOn))
		}
	}
	var paid []string
	for _, p := range g.payments {
		if i := slices.Index(orders, p.Order); i >= 0 {
			paid = append(paid, fmt.Sprintf("payment of order %d: %s by %s, %s, counts for %s", i+1, p.Amount, p.Method, p.Status, p.EffectiveDate))
		}
	}
	slices.Sort(paid)
	return append(lines, paid...)
}

func differences(a, b []string) string {
	var out []string
	for _, x := range a {
		if !slices.Contains(b, x) {
			out = append(out, "alone:  "+x)
		}
	}
	for _, x := range b {
		if !slices.Contains(a, x) {
			out = append(out, "beside: "+x)
		}
	}
	return strings.Join(out[:min(len(out), 30)], "\n")
}
