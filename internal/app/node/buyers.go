package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"tenor/internal/core/store"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/returnurl"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
	"tenor/internal/pages/accountpages"
	"tenor/internal/pages/checkout"
	"tenor/internal/pages/console"
	"tenor/internal/pages/shop"
	"tenor/internal/pages/storefront"
	"tenor/internal/ui/design"
)

// newCheckout returns the pages where buyers check out.
func (n *Node) newCheckout(desk *buyer.Desk, base string, log *slog.Logger) (*checkout.Pages, error) {
	assets, err := design.LoadAssets(checkout.Prefix + "assets/")
	if err != nil {
		return nil, err
	}
	return checkout.New(checkout.Config{
		Desk: desk, Papers: checkout.Printed{}, Assets: assets, Secure: strings.HasPrefix(base, "https:"), Log: log, Account: accountpages.Prefix,
		Address: func(r *http.Request) string { return rest.ClientAddress(r, n.Proxies) },
		Expand: func(url string, values map[string]string) string {
			return returnurl.Expand(url, returnurl.Values{OrderKey: values["ORDER_KEY"], CheckoutID: values["CHECKOUT_ID"], Reason: values["REASON"]})
		},
	})
}

// newAccount returns a buyer's own pages.
func (n *Node) newAccount(desk *buyer.Desk, base string, log *slog.Logger) (*accountpages.Pages, error) {
	assets, err := design.LoadAssets(accountpages.Prefix + "/assets/")
	if err != nil {
		return nil, err
	}
	return accountpages.New(accountpages.Config{
		Desk: desk, Assets: assets, Secure: strings.HasPrefix(base, "https:"), Log: log,
		Address: func(r *http.Request) string { return rest.ClientAddress(r, n.Proxies) },
	})
}

// newShop returns the sandbox's shop, which sells in the name of the demo merchant.
func (n *Node) newShop(base string, wall func() time.Time) (*shop.Shop, error) {
	zone, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		return nil, fmt.Errorf("load business zone: %w", err)
	}
	return shop.New(shop.Config{
		API: strings.TrimSuffix(base, "/"), BaseURL: strings.TrimSuffix(base, "/"), Zone: zone,
		Token: (&shopToken{node: n, wall: wall}).get, Merchant: n.seller,
		Clock: func(context.Context) (string, error) { return n.Now().In(zone).Format("Jan 2, 2006 15:04"), nil },
	})
}

// shopToken is the shop's own access token, renewed before it expires.
type shopToken struct {
	node *Node
	wall func() time.Time

	mu    sync.Mutex
	token string
	until time.Time
}

var errNoShop = errors.New("the sandbox has no demo merchant: start it without --empty")

// seller returns the demo merchant, in whose name the shop sells.
func (n *Node) seller(ctx context.Context) (string, error) {
	merchant, found, err := store.Setting(ctx, n.DB, SettingDemo)
	if err == nil && !found {
		err = errNoShop
	}
	return string(merchant), err
}

func (s *shopToken) get(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wall().Before(s.until) {
		return s.token, nil
	}
	merchant, err := s.node.seller(ctx)
	if err != nil {
		return "", err
	}
	token, _, _, err := Issue(ctx, s.node.Issuer(s.wall), TokenWish{Merchant: merchant, TTL: auth.DefaultTTL})
	if err != nil {
		return "", err
	}
	s.token, s.until = token, s.wall().Add(auth.DefaultTTL/2)
	return token, nil
}

// newStorefront returns the scripts for merchants' pages, and the terms that they link to.
func (n *Node) newStorefront(desk *buyer.Desk, base string, log *slog.Logger) (*storefront.Pages, error) {
	return storefront.New(storefront.Config{
		Desk: desk, Secure: strings.HasPrefix(base, "https:"), Log: log,
		Address: func(r *http.Request) string { return rest.ClientAddress(r, n.Proxies) },
	})
}

// withBuyers serves the checkout below /c/, a buyer's own pages below /account and /apply/, the
// scripts for merchants' pages below /js/, the lender's back office below /console and, in a
// sandbox, the shop below /shop. Everything else goes to next.
func (s *Server) withBuyers(base string, wall func() time.Time, next http.Handler) (http.Handler, error) {
	pages, err := s.node.newCheckout(s.desk, base, s.log)
	if err != nil {
		return nil, err
	}
	scripts, err := s.node.newStorefront(s.desk, base, s.log)
	if err != nil {
		return nil, err
	}
	account, err := s.node.newAccount(s.desk, base, s.log)
	if err != nil {
		return nil, err
	}
	office, err := s.node.newConsole(s.desk, base, s.log)
	if err != nil {
		return nil, err
	}
	var sold http.Handler = http.NotFoundHandler()
	sells := s.node.Controls != nil
	if sells {
		if sold, err = s.node.newShop(base, wall); err != nil {
			return nil, err
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case strings.HasPrefix(path, checkout.Prefix):
			pages.ServeHTTP(w, r)
		case storefront.Serves(path):
			scripts.ServeHTTP(w, r)
		case path == accountpages.Prefix, strings.HasPrefix(path, accountpages.Prefix+"/"), strings.HasPrefix(path, accountpages.Apply):
			account.ServeHTTP(w, r)
		case path == console.Prefix, strings.HasPrefix(path, console.Prefix+"/"):
			office.ServeHTTP(w, r)
		case sells && (path == "/shop" || strings.HasPrefix(path, "/shop/")):
			sold.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	}), nil
}
