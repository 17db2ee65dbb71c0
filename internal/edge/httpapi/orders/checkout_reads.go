package orders

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/returnurl"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

// addresses returns a problem for the first invalid URL of a checkout. A refused one is not
// stored: it may contain a password, and the audit log contains none.
func (s API) addresses(c *rest.Call, b *checkoutBody) error {
	rules := returnurl.Rules{Sandbox: s.Desk.Sandbox}
	if _, err := s.Read(c, func(v store.View) (rest.Answer, error) {
		m, err := serve.FindMerchant(v, c.Principal.Tenant)
		if err == nil {
			rules.Origins = m.Shop.Origins
		}
		return rest.Answer{}, err
	}); err != nil {
		return err
	}
	for _, x := range []struct {
		name    string
		address *string
		reason  bool
	}{{"return_url", b.ReturnURL, false}, {"cancel_url", b.CancelURL, true}, {"order_complete_url", b.CompleteURL, false}} {
		if x.address == nil {
			continue
		}
		rules.Reason = x.reason
		if err := returnurl.Check(*x.address, rules); err != nil {
			detail := "The " + x.name + " is not allowed: " + err.Error() + "."
			return urlNotAllowed(x.name, detail)
		}
	}
	return s.callable(b.CompleteURL)
}

// callable applies the checks of an endpoint's URL to an order_complete_url, because the
// server itself connects to it. Placeholders come after the host, and a fragment is not
// sent.
func (s API) callable(address *string) error {
	if address == nil {
		return nil
	}
	target, _, _ := strings.Cut(returnurl.Expand(*address, returnurl.Values{OrderKey: "x", CheckoutID: "x"}), "#")
	if problem := s.CheckURL(target); problem != "" {
		return urlNotAllowed("order_complete_url", "The order_complete_url is not allowed: "+problem)
	}
	return nil
}

func urlNotAllowed(name, detail string) error {
	return &rest.Problem{Code: "url_not_allowed", Detail: detail, Errors: []rest.FieldError{{Pointer: "/" + name, Code: "url_not_allowed", Detail: detail}}}
}

// standingURLs finds the URL of the checkout that a command answers with: its own, or that
// of the open one for the same cart.
func (s API) standingURLs(c *rest.Call, cmd onboarding.CreateCheckout) (func(handle string) string, error) {
	standing := map[string]string{}
	_, err := s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := s.Desk.Standing(v, c.Principal.Tenant, cmd)
		if err != nil || x == nil {
			return rest.Answer{}, err
		}
		standing[x.URL], err = s.urlOf(v, x)
		return rest.Answer{}, err
	})
	return func(handle string) string { return cmp.Or(standing[handle], s.Desk.FreshURL(handle)) }, err
}

// urlOf is the URL of a checkout, "" if it has been erased.
func (s API) urlOf(v store.View, x *credit.Checkout) (string, error) {
	url, err := s.Desk.URL(v, x)
	if errors.Is(err, buyer.ErrErased) {
		return "", nil
	}
	return url, err
}

// FindCheckout reads a checkout that the caller may see.
func FindCheckout(c *rest.Call, v store.View, id string) (*credit.Checkout, error) {
	x, err := buyer.Load[*credit.Checkout](v, id)
	if err == nil && (x == nil || !c.Principal.Operator && x.Merchant != c.Principal.Tenant) {
		err = rest.NotFound()
	}
	return x, err
}

// checkoutFor is a checkout as the caller sees it. Only its merchant sees its URL: it is
// the entrance to the buyer's pages.
func (s API) checkoutFor(c *rest.Call, v store.View, x *credit.Checkout) (resource.Checkout, error) {
	linked, err := s.seesCompany(c, v, x)
	if err != nil || c.Principal.Operator {
		return resource.NewCheckout(x, "", linked), err
	}
	url, err := s.urlOf(v, x)
	return resource.NewCheckout(x, url, linked), err
}

// seesCompany reports whether a caller may know which company goes through a checkout: the
// lender, and a merchant to which the company is linked, or was when the checkout ended,
// because its event has already told.
func (s API) seesCompany(c *rest.Call, v store.View, x *credit.Checkout) (bool, error) {
	if c.Principal.Operator || x.Company == 0 || x.Accepted != nil {
		return true, nil
	}
	if x.Ended() {
		return x.Known, nil
	}
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Companies: []int64{x.Company}}); err != nil {
		return false, err
	}
	company := state.Companies[x.Company]
	return company != nil && company.IsLinked(x.Merchant), nil
}

// GetCheckout answers with a checkout.
func (s API) GetCheckout(c *rest.Call, p *serve.CheckoutID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := FindCheckout(c, v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		w, err := s.checkoutFor(c, v, x)
		if err != nil {
			return rest.Answer{}, err
		}
		return serve.Tagged(&w)
	})
}

func (s API) listCheckouts(c *rest.Call, f *checkoutFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		found, err := s.checkoutsShown(c, v, f)
		if err != nil {
			return rest.Answer{}, err
		}
		var failed error
		a := serve.Listed(c, f.Page, found, func(x *credit.Checkout) rest.Position { return rest.Position{CreatedAt: x.CreatedAt, ID: x.ID} }, func(x *credit.Checkout) resource.Checkout {
			w, err := s.checkoutFor(c, v, x)
			failed = errors.Join(failed, err)
			return w
		})
		return a, failed
	})
}

// checkoutsShown lists what the caller sees with a status, one more than the page holds. A
// merchant that a company is not linked to sees DECLINED for some that are CANCELED; its
// lists do the same, or a filter would tell them apart.
func (s API) checkoutsShown(c *rest.Call, v store.View, f *checkoutFilter) ([]*credit.Checkout, error) {
	kept := []string{f.Status}
	if f.Status == credit.CheckoutDeclined {
		kept = []string{credit.CheckoutDeclined, credit.CheckoutCanceled}
	}
	var out []*credit.Checkout
	for _, status := range kept {
		page, more := serve.PageOf(f.Page), true
		for n := 0; more && n < page.Limit; {
			records, err := store.ListRecords(v, credit.NounCheckout, s.RecordFilter(c, status, f.From, f.To), page)
			if err != nil {
				return nil, err
			}
			more = len(records) == page.Limit
			for _, r := range records {
				x := r.(*credit.Checkout)
				page.AfterAt, page.AfterID = x.CreatedAt, x.ID
				linked, err := s.seesCompany(c, v, x)
				if err != nil {
					return nil, err
				}
				if f.Status == "" || resource.NewCheckout(x, "", linked).Status == f.Status {
					out, n = append(out, x), n+1
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b *credit.Checkout) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return out[:min(len(out), f.Page.Limit+1)], nil
}

func completeCheckout(_ *rest.Call, p *serve.CheckoutID, _ *rest.None) credit.Command {
	return onboarding.CompleteCheckout{Checkout: p.ID}
}

func (s API) expireCheckout(c *rest.Call, p *serve.CheckoutID, _ *rest.None) (rest.Answer, error) {
	var url string
	linked := true
	if _, err := s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := FindCheckout(c, v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		if linked, err = s.seesCompany(c, v, x); err == nil && !c.Principal.Operator {
			url, err = s.urlOf(v, x)
		}
		return rest.Answer{}, err
	}); err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, onboarding.EndCheckout{Checkout: p.ID}, func(ch credit.Changes) serve.Success {
		x := ch.Result.(*credit.Checkout)
		w := resource.NewCheckout(x, url, linked || x.Accepted != nil)
		return serve.Success{Body: &w, Secret: url != ""}
	})
}
