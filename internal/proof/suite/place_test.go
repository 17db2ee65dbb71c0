package suite

import "testing"

// Packages have one name in tables and pages, whatever floor they are on.
func TestShortNamesOfPackages(t *testing.T) {
	const root = "../../.."
	for short, folder := range map[string]string{
		"store/sqlite":           "internal/core/store/sqlite",
		"credit/kind.go":         "internal/domain/credit/kind.go",
		"pages":                  "internal/pages",
		"cmd/tenor":              "cmd/tenor",
		"no/such/package.ofours": "no/such/package.ofours",
	} {
		if got := Folder(root, short); got != folder {
			t.Errorf("%s lies in %s instead of %s", short, got, folder)
		}
		if got := Short(folder); got != short {
			t.Errorf("%s is called %s instead of %s", folder, got, short)
		}
	}
}
