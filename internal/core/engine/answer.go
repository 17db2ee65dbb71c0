package engine

import (
	"errors"
	"fmt"

	"tenor/internal/core/store"
)

// repeat answers a request whose key already has an answer, from the store or from this
// batch (ID2, ID3). It reports whether there was one.
func (b *batch) repeat(e *entry, answers map[store.KeyID]store.Answer) (bool, error) {
	if e.key == (store.KeyID{}) {
		return false, nil
	}
	if a, ok := answers[e.key]; ok {
		if a.Status == 0 {
			return false, b.fault(e, Alarm{What: AlarmFault, Err: fmt.Errorf("%w: commit %d", errUnread, a.Q)})
		}
		if a.Request != e.request.RequestHash {
			e.err = ErrKeyReused
			return true, nil
		}
		response, err := b.response(e, a)
		if err != nil {
			return false, err
		}
		e.answer = Result{Replayed: true, Q: a.Q, Response: response}
		return true, nil
	}
	first, ok := b.byKey[e.key]
	if !ok {
		return false, nil
	}
	if first.request.RequestHash != e.request.RequestHash {
		e.err = ErrKeyReused
		return true, nil
	}
	e.answer, e.index = Result{Replayed: true, Response: first.answer.Response}, first.index
	return true, nil
}

// errUnread means that the answer to a repeated request is stored and cannot be read.
var errUnread = errors.New("the stored answer cannot be read")

// AnswerSubject is what a sealed answer is bound to: the place where it is stored.
func AnswerSubject(key store.KeyID) string { return "answer/" + key.Client + "/" + key.Key }

// storedAnswer is what is stored under the key of a decision. A body that shows a secret is
// sealed.
func (b *batch) storedAnswer(e *entry) (store.Answer, error) {
	r := &e.answer.Response
	a := store.Answer{
		Request: e.request.RequestHash, Status: r.Status, Body: r.Body,
		ContentType: r.ContentType, Location: r.Location, ETag: r.ETag, At: b.now, Sealed: r.Secret,
	}
	if !r.Secret {
		return a, nil
	}
	seal := b.engine.cfg.Seal
	if seal == nil {
		return store.Answer{}, b.fault(e, Alarm{What: AlarmFault, Err: errNoSeal})
	}
	err := b.guard(e, func() { a.Body = seal(r.Body, AnswerSubject(e.key)) })
	return a, err
}

// response returns a stored answer with its original body.
func (b *batch) response(e *entry, a store.Answer) (Response, error) {
	r := Response{
		Status: a.Status, Body: a.Body, ContentType: a.ContentType, Location: a.Location, ETag: a.ETag, Secret: a.Sealed,
	}
	if !a.Sealed {
		return r, nil
	}
	open := b.engine.cfg.Open
	if open == nil {
		return Response{}, b.fault(e, Alarm{What: AlarmFault, Err: errNoSeal})
	}
	var fail error
	if err := b.guard(e, func() { r.Body, fail = open(a.Body, AnswerSubject(e.key)) }); err != nil {
		return Response{}, err
	}
	if fail != nil {
		return Response{}, b.fault(e, Alarm{What: AlarmFault, Err: fmt.Errorf("decrypt a stored answer: %w", fail)})
	}
	return r, nil
}

// errNoSeal means that an answer shows a secret and there is no key to seal or open it.
var errNoSeal = errors.New("an answer contains a secret, but the deployment has no key to encrypt it")
