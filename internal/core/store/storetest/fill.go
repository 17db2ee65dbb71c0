package storetest

import (
	"fmt"
	"reflect"
	"time"

	"tenor/internal/domain/calendar"
)

// filled returns a record in which every member, at every depth, has a distinct value, to
// detect members that a store forgets.
func filled[T any](next *int) *T {
	v := new(T)
	fill(reflect.ValueOf(v).Elem(), next)
	return v
}

func fill(v reflect.Value, next *int) {
	*next++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, *next*1000, time.UTC)))
		return
	case calendar.Date:
		v.Set(reflect.ValueOf(calendar.Date(20_000 + *next)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d", *next))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*next))
	case reflect.Uint8:
		v.SetUint(uint64(*next % 251))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), next)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), next)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), next)
		fill(v.Index(1), next)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, next)
		fill(value, next)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), next)
	default:
		panic(fmt.Sprintf("storetest: no value for a member of type %s", v.Type()))
	}
}
