package postgres

import "fmt"

// zeros is a byte string of a length.
func zeros(n int) string { return fmt.Sprintf("decode(repeat('00', %d), 'hex')", n) }

func headOf(number string) cells {
	return cells{"number": number, "book": zeros(16), "key_id": "'k1'", "signature": zeros(64), "old_signature": zeros(0)}
}

// headRows are the first rows of signed heads.
func headRows() []string { return []string{insertRow("heads", headOf("1"))} }

// headRules are those of signed heads.
func headRules() []rule {
	var list []rule
	add := func(name string, sql ...string) { list = append(list, rule{name, codeBroken, sql}) }
	add("heads_keep", "UPDATE heads SET key_id = key_id")
	add("heads_keep", "DELETE FROM heads")
	add("heads_keep", "TRUNCATE heads")
	for name, change := range map[string]cells{
		"heads_book_check": {"book": zeros(15)}, "heads_commit_seq_check": {"commit_seq": "-1"}, "heads_hash_check": {"hash": zeros(31)},
		"heads_previous_check": {"previous": zeros(31)}, "heads_key_id_check": {"key_id": "''"}, "heads_public_key_check": {"public_key": zeros(31)},
		"heads_signature_check": {"signature": zeros(63)}, "heads_old_signature_check": {"old_signature": zeros(1)},
	} {
		add(name, insertRow("heads", headOf("2").but(change)))
	}
	add("heads_true", insertRow("heads", headOf("3")))
	add("heads_true", insertRow("heads", headOf("0")))
	add("heads_true", insertRow("heads", headOf("2").but(cells{"epoch": "2"})))
	add("heads_true", insertRow("heads", headOf("2").but(cells{"commit_seq": "6"})))
	add("heads_true", insertRow("heads", headOf("2").but(cells{"commit_seq": "5", "hash": "decode(repeat('01', 32), 'hex')"})))
	return list
}
