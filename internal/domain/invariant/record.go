package invariant

import (
	"slices"

	"tenor/internal/domain/credit"
)

// records checks what must be true of every record, and of those of each kind.
func (k *checker) records() error {
	for claim, owner := range k.c.Claims { // unordered: each by itself
		if was := k.s.Claims[claim]; was != "" && owner != "" && was != owner && !slices.Contains(k.c.Moved, claim) {
			return violated("OR8", "%s %s belongs to %s and is claimed for %s", claim.Kind, claim.Name, was, owner)
		}
	}
	for _, r := range k.c.Records {
		h, old := r.Head(), k.s.Records[credit.KeyOf(r)]
		switch {
		case h.Version < 1 || h.CreatedAt.IsZero() || h.ID == "":
			return violated("RC1", "%s %q has no id or the wrong initial version %d", r.Noun(), h.ID, h.Version)
		case old == nil && !mayBegin(r), old != nil && !mayBecome(r.Noun(), old.Head().Status, h.Status):
			return violated("RC2", "%s %s: status %s cannot follow %s", r.Noun(), h.ID, h.Status, statusOf(old))
		case old != nil && (old.Head().Merchant != h.Merchant || !old.Head().CreatedAt.Equal(h.CreatedAt) || h.Version != old.Head().Version+1):
			return violated("RC1", "%s %s has changed its owner or creation time, or its version %d does not follow %d", r.Noun(), h.ID, h.Version, old.Head().Version)
		}
		if why := r.Sound(old); why != "" {
			return violated("RC2", "%s %s: %s", r.Noun(), h.ID, why)
		}
	}
	return k.secrets()
}

// secrets requires that whatever goes into the vault belongs to a record or merchant in the
// changes, and that what is erased belonged to one and no longer does (RC3).
func (k *checker) secrets() error {
	held, was := map[string]bool{}, map[string]bool{}
	for _, r := range k.c.Records {
		for _, id := range r.Secrets() {
			held[id] = true
		}
		if old := k.s.Records[credit.KeyOf(r)]; old != nil {
			for _, id := range old.Secrets() {
				was[id] = true
			}
		}
	}
	for _, m := range k.c.Merchants {
		held[m.Shop.Logo.Content] = m.Shop.Logo.Content != ""
		if old := k.s.Merchants[m.ID]; old != nil {
			was[old.Shop.Logo.Content] = old.Shop.Logo.Content != ""
		}
	}
	for _, x := range k.c.Secrets {
		if !held[x.ID] || len(x.Sealed) == 0 {
			return violated("RC3", "secret %s is empty, or belongs to no record", x.ID)
		}
	}
	for _, id := range k.c.Erased {
		if held[id] || !was[id] {
			return violated("RC3", "secret %s is erased, but is in use or never belonged to a record", id)
		}
	}
	return nil
}
