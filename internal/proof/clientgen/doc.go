// Package clientgen writes the part of the Go client that says nothing of its own: the types
// of resources, requests and filters, a method for each operation, and the codes. Its source
// is the contract, which is made of the table of operations and the types of its rows; a type's
// own comment is taken from where the type is declared. What a call needs besides (retries,
// pages, downloads, signatures) is written by hand in package client, and so are the few
// methods whose form is not that of their operation.
//
// The rules, so that a name can be foretold:
//
//   - A method has its operation's name without "get": getOrder is Order, listOrders is
//     ListOrders, and Orders walks all pages of it.
//   - Parameters of the path come first, in their order. Those of a query follow, or a
//     filter where the answer has pages.
//   - A body of at most three members, all required, is that many arguments. Any other is
//     a struct.
//   - A resource has the name of its schema. What is sent has Request behind it, a merge
//     patch has Change. What is sent and received in the same form is one type.
//   - Null is the zero value, and a nil pointer where zero would be a value too.
//
// Names that follow from no rule are in names.go.
//
// Where to look:
//
//	document.go  the contract, read     names.go     names
//	types.go     schemas → structs      methods.go   operations → methods
//	comments.go  comments, wrapped      files.go     what goes into which file
package clientgen
