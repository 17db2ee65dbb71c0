package pagetest

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/internal/proof/devtest"
)

// listed is a list of the console and the same of the API.
type listed struct {
	section, api string
	name         string            // of the member with the identifier
	prefix       string            // of the identifiers
	params       map[string]string // a parameter of the console, and the API's
	values       map[string][]string
}

// What a list of the console shows page by page is what its file has and what the API lists, whatever
// the filter, in either order; its count and its sum are theirs.
func TestConsoleListsAreTheAPI(t *testing.T) {
	t.Parallel()
	s, w := devtest.NewShopper(t, "--history")
	lender := &devtest.Shopper{T: t, URL: w.URL, Token: devtest.Token(t, w, "--operator")}
	enter(s, w.Console, "finance")
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for _, x := range []listed{
		{"orders", "/v1/orders", "key", "ord_", map[string]string{"status": "status", "financing": "financing_status", "from": "created_from", "to": "created_to", "captured_from": "captured_from", "captured_to": "captured_to", "company": "company_id"},
			map[string][]string{"status": {"CAPTURED", "CANCELED", "AUTHORIZED", "RETURNED"}, "financing": {"ACTIVE", "OVERDUE", "PAID_OFF", "CHARGED_OFF"}, "company": {"1000000102", "1000000109"}}},
		{"payments", "/payments", "id", "pay_", map[string]string{"state": "status", "method": "method", "from": "from", "to": "to", "company": "company_id"},
			map[string][]string{"state": {"SUCCEEDED", "RETURNED", "SCHEDULED", "REFUNDED"}, "method": {"ACH", "CARD", "CHECK", "WIRE"}, "company": {"1000000102", "1000000109"}}},
	} {
		found, pages := 0, 0
		for i := range 14 {
			filter, api := url.Values{}, url.Values{"limit": {"100"}}
			for name, of := range x.params {
				if i == 0 || r.IntN(3) > 0 { // the first one has no filter, and several pages
					continue
				}
				value := time.Date(2024, 11, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, r.IntN(430)).Format("2006-01-02")
				if list := x.values[name]; list != nil {
					value = list[r.IntN(len(list))]
				}
				filter.Set(name, value)
				api.Set(of, value)
			}
			for _, span := range [][2]string{{"from", "to"}, {"captured_from", "captured_to"}} { // the API refuses one that ends before it begins
				if from, to := filter.Get(span[0]), filter.Get(span[1]); to != "" && from > to {
					filter.Set(span[0], to)
					filter.Set(span[1], from)
					api.Set(x.params[span[0]], to)
					api.Set(x.params[span[1]], from)
				}
			}
			oldest := r.IntN(2) == 0
			if oldest {
				filter.Set("sort", "oldest")
			}
			want, sum := x.ofAPI(lender, api)
			if oldest {
				slices.Reverse(want)
			}
			shown, n := x.shown(s, filter)
			if file := x.file(s, filter); !slices.Equal(shown, want) || !slices.Equal(file, want) {
				t.Errorf("%s?%s:\nshown %v\nin the file %v\nby the API %v", x.section, filter.Encode(), shown, file, want)
			}
			first := page(s, "/console/"+x.section+"?"+filter.Encode())
			if len(want) < 2000 && (!strings.Contains(first, ">"+strconv.Itoa(len(want))+"<") || !strings.Contains(first, sum)) {
				t.Errorf("%s?%s: the page does not say %d with %s", x.section, filter.Encode(), len(want), sum)
			}
			found, pages = found+len(want), max(pages, n)
		}
		if found < 30 || pages < 2 {
			t.Errorf("%s: only %d rows found, at most %d pages", x.section, found, pages)
		}
	}
}

// enter signs in as a made-up member of the staff.
func enter(s *devtest.Shopper, at, role string) {
	s.Helper()
	r, err := s.HTTP.Get(at)
	if err != nil {
		s.Fatal(err)
	}
	text, _ := io.ReadAll(r.Body)
	_ = r.Body.Close()
	key := regexp.MustCompile(`name="form" value="([^"]*)"`).FindSubmatch(text)
	if key == nil {
		s.Fatalf("%s has no form: %s", at, text)
	}
	r, err = s.HTTP.PostForm(at, url.Values{"form": {string(key[1])}, "role": {role}})
	if err != nil || r.StatusCode != http.StatusSeeOther {
		s.Fatalf("sign in as %s: %v, %v", role, r, err)
	}
	_ = r.Body.Close()
}

func page(s *devtest.Shopper, path string) string {
	s.Helper()
	r, err := s.HTTP.Get(s.URL + path)
	if err != nil {
		s.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		s.Fatalf("%s: %d, %v", path, r.StatusCode, err)
	}
	return string(text)
}

// shown are the identifiers of a list, page after page.
func (x listed) shown(s *devtest.Shopper, filter url.Values) (ids []string, pages int) {
	s.Helper()
	link := regexp.MustCompile(`<a[^>]* href="/console/` + x.section + `/(` + x.prefix + `[0-9A-Z]+)"`)
	next := regexp.MustCompile(`href="([^"]*after=[^"]*)"`)
	for at := "/console/" + x.section + "?" + filter.Encode(); at != ""; pages++ {
		text := page(s, at)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			ids = append(ids, m[1])
		}
		if at = ""; next.MatchString(text) {
			at = html.UnescapeString(next.FindStringSubmatch(text)[1])
		}
	}
	return ids, pages
}

// file are the identifiers in the list's file.
func (x listed) file(s *devtest.Shopper, filter url.Values) (ids []string) {
	s.Helper()
	rows, err := csv.NewReader(strings.NewReader(page(s, "/console/"+x.section+".csv?"+filter.Encode()))).ReadAll()
	if err != nil {
		s.Fatal(err)
	}
	for _, row := range rows[1:] {
		ids = append(ids, row[0])
	}
	return ids
}

// ofAPI are the identifiers that the API lists, newest first, and the sum of their amounts as a page
// writes it.
func (x listed) ofAPI(lender *devtest.Shopper, q url.Values) (ids []string, sum string) {
	lender.Helper()
	cents := int64(0)
	for {
		out := lender.API(http.StatusOK, "GET", x.api+"?"+q.Encode(), "")
		for _, row := range out["data"].([]any) {
			r := row.(map[string]any)
			ids = append(ids, r[x.name].(string))
			text := fmt.Sprint(r["amount"])
			whole, part, _ := strings.Cut(text, ".")
			n, err := strconv.ParseInt(whole+(part + "00")[:2], 10, 64)
			if err != nil {
				lender.Fatalf("amount %q", text)
			}
			cents += n
		}
		next, more := out["next_cursor"].(string)
		if !more {
			break
		}
		q.Set("cursor", next)
	}
	whole := strconv.FormatInt(cents/100, 10)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return ids, fmt.Sprintf("$%s.%02d", whole, cents%100)
}
