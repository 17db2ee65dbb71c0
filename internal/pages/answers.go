package pages

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
	"tenor/internal/office/buyer"
)

// Problems are errors in answers, by name.
type Problems map[string]string

// states returns the United States and the District of Columbia, ordered by name.
func states() [][2]string {
	all := "AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,DC District of Columbia,FL Florida," +
		"GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts," +
		"MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico," +
		"NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina," +
		"SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming"
	var out [][2]string
	for _, text := range strings.Split(all, ",") {
		code, name, _ := strings.Cut(text, " ")
		out = append(out, [2]string{code, name})
	}
	return out
}

// IsState reports whether a code is one of the states.
func IsState(code string) bool {
	for _, s := range states() {
		if s[0] == code {
			return true
		}
	}
	return false
}

var (
	zipCode = regexp.MustCompile(`^\d{5}(-\d{4})?$`)
	// oneLine matches an address on one line: street, city, state and ZIP code.
	oneLine = regexp.MustCompile(`^(.+?),\s*([^,]+?),?\s+([A-Za-z]{2}),?\s+(\d{5}(?:-\d{4})?)$`)
	phone   = regexp.MustCompile(`^\+?[\d() .-]{10,20}$`)
)

// Dollars parses an amount as people write it; false if it is not one, or not above zero.
func Dollars(text string) (money.Amount, bool) {
	text = strings.NewReplacer("$", "", ",", "", " ", "").Replace(text)
	if text == "" || len(text) > 15 {
		return 0, false
	}
	a, err := money.Parse(text)
	return a, err == nil && a > 0
}

// month parses a month and a year, such as 3/2019.
func month(text string) (calendar.Date, bool) {
	m, y, _ := strings.Cut(text, "/")
	mm, err1 := strconv.Atoi(strings.TrimSpace(m))
	yy, err2 := strconv.Atoi(strings.TrimSpace(y))
	if err1 != nil || err2 != nil || mm < 1 || mm > 12 || yy < 1700 || yy > 2200 {
		return calendar.None, false
	}
	return calendar.Of(yy, time.Month(mm), 1), true
}

// birthDay parses a date as Americans write it: 5/1/1980.
func birthDay(text string, today calendar.Date) (calendar.Date, bool) {
	p := strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '-' || r == '.' || r == ' ' })
	if len(p) != 3 {
		return calendar.None, false
	}
	m, err1 := strconv.Atoi(p[0])
	d, err2 := strconv.Atoi(p[1])
	y, err3 := strconv.Atoi(p[2])
	if err1 != nil || err2 != nil || err3 != nil || m < 1 || m > 12 || y < 1900 || y > 2200 || d < 1 || d > calendar.DaysIn(y, time.Month(m)) {
		return calendar.None, false
	}
	born := calendar.Of(y, time.Month(m), d)
	return born, born.AddMonths(18*12) <= today
}

// home parses an address on one line.
func home(text string) (credit.CompanyAddress, bool) {
	m := oneLine.FindStringSubmatch(text)
	if m == nil || !IsState(strings.ToUpper(m[3])) {
		return credit.CompanyAddress{}, false
	}
	return credit.CompanyAddress{Street: m[1], City: m[2], State: strings.ToUpper(m[3]), PostalCode: m[4], Country: "US"}, true
}

// percent parses a share in whole percent.
func percent(text string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "%")))
	return n, err == nil && n >= 0 && n <= 100
}

func entityTypes() []underwriting.EntityType {
	return []underwriting.EntityType{underwriting.SoleProprietor, underwriting.Partnership, underwriting.LLC, underwriting.Corporation, underwriting.Nonprofit}
}

// EntityOf returns the legal form in a business's name, "" if it contains none.
func EntityOf(name string) underwriting.EntityType {
	words := strings.Fields(strings.NewReplacer(".", "", ",", " ").Replace(strings.ToUpper(name)))
	if len(words) < 2 {
		return ""
	}
	switch words[len(words)-1] {
	case "LLC", "PLLC":
		return underwriting.LLC
	case "INC", "CORP", "CORPORATION", "INCORPORATED":
		return underwriting.Corporation
	case "LLP", "LP":
		return underwriting.Partnership
	}
	return ""
}

// Business parses the answers about the business, and reports what is wrong with them.
func (c *Call) Business(d buyer.Draft) (b buyer.Business, p Problems) {
	p = Problems{}
	need := func(name string, ok bool) {
		if !ok {
			p[name] = c.Say("wrong." + name)
		}
	}
	b = buyer.Business{LegalName: d["legal_name"], TradingName: d["trading_name"], EntityType: underwriting.EntityType(d["entity"]), StateOfFormation: d["formed_in"], Industry: d["industry"], Phone: d["phone"]}
	need("legal_name", b.LegalName != "")
	known := false
	for _, t := range entityTypes() {
		known = known || t == b.EntityType
	}
	need("entity", known)
	var ok bool
	b.EIN, ok = buyer.EIN(d["ein"])
	need("ein", ok)
	b.AnnualRevenue, ok = Dollars(d["revenue"])
	need("revenue", ok)
	b.FormedOn, ok = month(d["formed"])
	need("formed", ok && b.FormedOn <= c.Today())
	need("formed_in", IsState(b.StateOfFormation))
	b.Address = credit.CompanyAddress{Street: d["street"], City: d["city"], State: d["state"], PostalCode: d["zip"], Country: "US"}
	need("street", b.Address.Street != "")
	need("city", b.Address.City != "")
	need("state", IsState(b.Address.State))
	need("zip", zipCode.MatchString(b.Address.PostalCode))
	need("phone", phone.MatchString(b.Phone))
	limit, ok := Dollars(d["limit"])
	need("limit", ok && limit >= MinLimit)
	return b, p
}

// MinLimit is the smallest line that can be requested.
const MinLimit = money.Amount(500_00)

// Proposed returns the line to request for a checkout: its total, rounded up to a hundred
// dollars.
func Proposed(total money.Amount) money.Amount {
	const step = money.Amount(100_00)
	return max((total+step-1)/step*step, MinLimit)
}

// MoreOwners is how many people may be named besides the applicant.
const MoreOwners = 4

// owner returns the name of an answer about one of the owners: 0 is the applicant.
func owner(n int, name string) string {
	if n == 0 {
		return name
	}
	return name + "_" + strconv.Itoa(n+1)
}

// People parses the answers about who owns and controls the business.
func (c *Call) People(d buyer.Draft) (out []buyer.Owner, p Problems) {
	p = Problems{}
	sum := 0
	for n := range 1 + c.Others(d) {
		o := buyer.Owner{FirstName: d[owner(n, "first_name")], LastName: d[owner(n, "last_name")], Control: n == 0}
		need := func(name string, ok bool) {
			if !ok {
				p[owner(n, name)] = c.Say("wrong." + name)
			}
		}
		need("first_name", o.FirstName != "")
		need("last_name", o.LastName != "")
		var ok bool
		o.BirthDate, ok = birthDay(d[owner(n, "birth")], c.Today())
		need("birth", ok)
		o.Address, ok = home(d[owner(n, "home")])
		need("home", ok)
		o.Percent, ok = percent(d[owner(n, "share")])
		need("share", ok && (n == 0 || o.Percent >= 25))
		if n == 0 {
			o.Title = d["title"]
			need("title", o.Title != "")
		}
		if sum += o.Percent; ok && sum > 100 {
			p[owner(n, "share")] = c.Say("wrong.sum")
		}
		out = append(out, o)
	}
	return out, p
}

// Others returns how many owners have been added besides the applicant.
func (c *Call) Others(d buyer.Draft) int {
	n, err := strconv.Atoi(d["others"])
	if err != nil {
		return 0
	}
	return min(max(n, 0), MoreOwners)
}
