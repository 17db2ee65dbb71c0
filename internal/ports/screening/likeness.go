package screening

// likeness compares a listed name with a queried one, in percent. Each listed word takes the most
// similar untaken word; the order of words does not matter, since family names come first in some
// places. Leftover words on either side count a little: a middle name must not hide a party, and
// one common word must not match one.
func likeness(listed, asked []string) int {
	taken := make([]bool, len(asked))
	sum, weight := 0.0, 0.0
	for _, w := range listed {
		best, at := 0.0, -1
		for i, a := range asked {
			if s := alike(w, a); !taken[i] && s > best {
				best, at = s, i
			}
		}
		size := float64(len([]rune(w)))
		weight += size
		if at >= 0 && best >= leastAlike {
			taken[at] = true
			sum += best * size
		}
	}
	for i, a := range asked {
		if !taken[i] {
			weight += leftOver * float64(len([]rune(a)))
		}
	}
	whole := alike(joined(listed), joined(asked)) // "Sea Land" and "Sealand"
	return int(100*max(sum/weight, whole-split) + 0.5)
}

const (
	leastAlike = 0.75 // below this, two words are different
	leftOver   = 0.15 // weight of a queried word that no listed word takes
	split      = 0.03 // deduction for joined words
)

func joined(words []string) string {
	out := ""
	for _, w := range words {
		out += w
	}
	return out
}

// alike returns the similarity of two words by Jaro and Winkler: 1 if they are equal, 0 if they
// have no letter in common. A common beginning counts for more.
func alike(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	if a == b {
		return 1
	}
	near := max(len(x), len(y))/2 - 1
	hitX, hitY := make([]bool, len(x)), make([]bool, len(y))
	common := 0
	for i := range x {
		for j := max(0, i-near); j < min(len(y), i+near+1); j++ {
			if !hitY[j] && x[i] == y[j] {
				hitX[i], hitY[j] = true, true
				common++
				break
			}
		}
	}
	if common == 0 {
		return 0
	}
	swapped, j := 0, 0
	for i := range x {
		if !hitX[i] {
			continue
		}
		for !hitY[j] {
			j++
		}
		if x[i] != y[j] {
			swapped++
		}
		j++
	}
	m := float64(common)
	s := (m/float64(len(x)) + m/float64(len(y)) + (m-float64(swapped/2))/m) / 3
	same := 0
	for same < min(4, len(x), len(y)) && x[same] == y[same] {
		same++
	}
	return s + float64(same)*0.1*(1-s)
}
