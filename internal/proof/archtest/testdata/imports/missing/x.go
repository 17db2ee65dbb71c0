//archtest:room internal/shed

package shed // want: not in the plan
