//archtest:room internal/edge/httpapi

package httpapi

const a = `SELECT key FROM orders`  // want: SQL outside
const b = "update orders set x = 1" // want: SQL outside
const c = "Select a term from the list."
const d = "Update the order and set its status."
