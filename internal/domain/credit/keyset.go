package credit

// KeySet collects what the commands of a batch need, each key once over all rounds. It
// represents the loaded keys: a backend never takes back a key that it marked in the state,
// and commands add the keys that they create.
type KeySet struct {
	seen []any
	k    Keys // the keys last asked about; kept here to avoid an allocation per call
}

// NewKeySet returns an empty set.
func NewKeySet() *KeySet { return &KeySet{seen: make([]any, len(kinds))} }

// Add appends to fresh the keys that have not been requested yet, and reports whether there
// were any.
func (s *KeySet) Add(fresh *Keys, k Keys) bool {
	some := false
	s.k = k
	for i, n := range kinds {
		seen, added := n.note(s.seen[i], fresh, &s.k)
		s.seen[i], some = seen, some || added
	}
	return some
}

// Covers reports whether everything that the keys name was loaded, or was created by a command
// of the batch.
func (s *KeySet) Covers(k Keys, state *State) bool {
	s.k = k
	for i, n := range kinds {
		if !n.known(s.seen[i], state, &s.k) {
			return false
		}
	}
	return true
}

// Sort puts keys into canonical order, the order in which rows are locked (EN8).
func (k *Keys) Sort() {
	for _, n := range kinds {
		n.sort(k)
	}
}

// note adds keys not seen yet to seen and to fresh, and returns seen.
func (n Kind[K, V]) note(seen any, fresh, k *Keys) (any, bool) {
	if n.Keys == nil {
		return nil, false
	}
	set, _ := seen.(map[K]struct{})
	added := false
	for _, key := range *n.Keys(k) {
		if _, ok := set[key]; ok {
			continue
		}
		if set == nil {
			set = map[K]struct{}{}
		}
		set[key] = struct{}{}
		list := n.Keys(fresh)
		*list, added = append(*list, key), true
	}
	if set == nil {
		return nil, false
	}
	return set, added
}

func (n Kind[K, V]) known(seen any, s *State, k *Keys) bool {
	if n.Keys == nil {
		return true
	}
	set, _ := seen.(map[K]struct{})
	for _, key := range *n.Keys(k) {
		if _, ok := set[key]; ok {
			continue
		}
		if _, ok := (*n.State(s))[key]; !ok {
			return false
		}
	}
	return true
}
