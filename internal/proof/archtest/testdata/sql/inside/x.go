//archtest:room internal/core/store/sqlite

package sqlite

import "fmt"

const a = `SELECT key FROM orders WHERE key = ?1`

func b(key string) string {
	return fmt.Sprintf("SELECT key FROM orders WHERE key = '%s'", key) // want: SQL made with
}
