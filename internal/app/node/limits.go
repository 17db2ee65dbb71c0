package node

// Open files of a database: one per connection for PostgreSQL; for SQLite, several per
// connection, plus those it opens now and then.
const (
	FilesOfReader   = 3
	FilesOfDatabase = 12
	DefaultReaders  = 16
)
