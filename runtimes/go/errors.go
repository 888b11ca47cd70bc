package tailc

import "errors"

// A Refusal is the kind of a policy's refusal; the words are the same in every language's runtime.
//
// errors.Is(err, tailc.HashMismatch) tells whether an error is of that kind.
type Refusal string

const (
	Truncated       Refusal = "truncated"        // the file has another length than it was sealed with
	HashMismatch    Refusal = "hash-mismatch"    // the bytes do not match their SHA-256
	Unsigned        Refusal = "unsigned"         // keys are trusted, and the file has no signature
	UnknownKey      Refusal = "unknown-key"      // the file is signed with a key that is not trusted
	BadSignature    Refusal = "bad-signature"    // the signature is not of these bytes
	Expired         Refusal = "expired"          // the signature held up to a moment that is past
	NoSignatures    Refusal = "no-signatures"    // a reader without signatures; never of this one
	BadStructure    Refusal = "bad-structure"    // the bytes are whole, but not laid out as a policy is
	BadMeaning      Refusal = "bad-meaning"      // the policy contradicts itself
	UnknownRule     Refusal = "unknown-rule"     // the policy needs a rule that is unknown to this version
	UnknownForm     Refusal = "unknown-form"     // the policy has a form that is unknown to this version
	UnknownSchema   Refusal = "unknown-schema"   // the policy has another major version of the schema
	UnknownClass    Refusal = "unknown-class"    // the policy has no ladder for the class asked for
	OtherForm       Refusal = "other-form"       // the policy has another form than the one asked for
	OtherService    Refusal = "other-service"    // the policy is for another service than expected
	OlderGeneration Refusal = "older-generation" // the policy is older than the one held
)

func (refusal Refusal) Error() string { return string(refusal) }

// A PolicyError says why the bytes are not a policy that this program may act on.
type PolicyError struct {
	Refusal Refusal
	Path    string // empty where bytes were opened, or what was asked for is not there
	Reason  string
}

func (e *PolicyError) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Path + ": " + e.Reason
}

// Unwrap makes errors.Is see the refusal.
func (e *PolicyError) Unwrap() error { return e.Refusal }

// ErrArgument is what errors of calls are that no policy could answer, such as a negative age.
var ErrArgument = errors.New("invalid argument")

type argumentError string

func (e argumentError) Error() string { return string(e) }
func (argumentError) Unwrap() error   { return ErrArgument }

func refused(refusal Refusal, reason string) *PolicyError {
	return &PolicyError{Refusal: refusal, Reason: reason}
}

// require and broken end an opening: openBytes recovers from their panics, and is their only
// caller.
func require(holds bool, otherwise string) {
	if !holds {
		panic(refused(BadMeaning, otherwise))
	}
}

func broken(reason string) { panic(refused(BadStructure, reason)) }
