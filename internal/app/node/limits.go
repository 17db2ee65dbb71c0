package node

// What a database has open: a server's one for each connection, a file's some for each,
// and what it opens now and then.
const (
	FilesOfReader   = 3
	FilesOfDatabase = 12
	DefaultReaders  = 16
)
