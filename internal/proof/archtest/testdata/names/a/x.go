//archtest:room internal/order/helpers

package helpers // want: says nothing
