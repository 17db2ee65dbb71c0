// Package clientgen generates the mechanical part of the Go client: the types
// of resources, requests and filters, a method for each operation, and the codes. Its source
// is the contract, which is generated from the table of operations and their types; a type's
// own comment comes from its declaration. Everything else about a call (retries,
// pages, downloads, signatures) is hand-written in package client, and so are the few
// methods that differ from their operation.
//
// The rules make names predictable:
//
//   - A method has its operation's name without "get": getOrder is Order, listOrders is
//     ListOrders, and Orders walks all pages of it.
//   - Path parameters come first, in order. Query parameters follow, or a
//     filter if the response has pages.
//   - A body with at most three members, all required, becomes arguments. Any other is
//     a struct.
//   - A resource has the name of its schema. A request type ends in Request, a merge
//     patch in Change. What is sent and received in the same form is one type.
//   - Null is the zero value, and a nil pointer if zero is also a valid value.
//
// Exceptions to the rules are in names.go.
//
// Files:
//
//	document.go  the parsed contract    names.go     names
//	types.go     schemas → structs      methods.go   operations → methods
//	comments.go  comments, wrapped      files.go     what goes into which file
package clientgen
