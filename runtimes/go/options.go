package tailc

import (
	"crypto/ed25519"
	"fmt"
	"time"
)

// An Option is a further check of a policy before it is opened.
type Option func(*asked) error

type asked struct {
	keys       map[keyID]ed25519.PublicKey
	nowS       func() int64
	service    *string
	generation *int64
	counters   *Counters
	isReload   bool
}

// TrustKeys requires a signature by one of these keys, Ed25519 public keys as `openssl pkey -pubout`
// writes them. Refusals: Unsigned, UnknownKey, BadSignature, Expired. A text that is no such key is
// an ErrArgument.
func TrustKeys(pemTexts ...string) Option {
	return func(a *asked) error {
		if len(pemTexts) == 0 {
			return argumentError("the list of trusted keys is empty, so every policy would be refused")
		}
		if a.keys == nil {
			a.keys = make(map[keyID]ed25519.PublicKey)
		}
		for _, text := range pemTexts {
			key, err := publicKey(text)
			if err != nil {
				return err
			}
			a.keys[idOf(key)] = key
		}
		return nil
	}
}

// At compares the expiry of a signature with this moment instead of the system's clock.
func At(now time.Time) Option {
	return func(a *asked) error {
		a.nowS = now.Unix
		return nil
	}
}

// ForService requires that the policy has this name; otherwise it is refused as OtherService.
func ForService(name string) Option {
	return func(a *asked) error {
		a.service = &name
		return nil
	}
}

// NotBefore requires this generation or a later one; otherwise it is refused as OlderGeneration.
func NotBefore(generation int64) Option {
	return func(a *asked) error {
		a.generation = &generation
		return nil
	}
}

// Replacing opens the successor of a policy: its generation must not be older, and it continues the
// counters, which count a refusal.
func Replacing(held *Policy) Option {
	return func(a *asked) error {
		a.counters, a.isReload = held.counters, true
		return NotBefore(held.Generation())(a)
	}
}

func askedBy(options []Option) (*asked, error) {
	a := &asked{nowS: func() int64 { return time.Now().Unix() }}
	for _, option := range options {
		if err := option(a); err != nil {
			return nil, err
		}
	}
	if a.counters == nil {
		a.counters = &Counters{}
	}
	return a, nil
}

// check does the checks of an undamaged policy.
func (a *asked) check(which *head) {
	if a.service != nil && which.name != *a.service {
		reason := fmt.Sprintf("the policy is for `%s`, not for `%s`", which.name, *a.service)
		panic(refused(OtherService, reason))
	}
	if a.generation != nil && which.generation < *a.generation {
		reason := fmt.Sprintf("generation %d is older than generation %d, which is in use",
			which.generation, *a.generation)
		panic(refused(OlderGeneration, reason))
	}
}
