// Package tailc opens policies that tailc compiled, and answers from memory: which rung a request
// runs on, at which frequency a core, how much of a host a virtual machine gets, where jobs of a
// datacentre run, how many tokens an iteration of a language model's server batches.
//
// Look-ups in ladders, tail tables and budget tables are for any number of goroutines at once, also while another
// steps the controller. Shares, plans and controllers have state, and may be used by one goroutine
// at a time.
package tailc

import (
	"errors"
	"io"
	"os"
	"runtime"
)

const mostBytes = 64 << 20

// A Policy has one ladder for each class of requests, a tail table, shares, a plan, or a budget
// table.
type Policy struct {
	head       head
	counters   *Counters
	controller *Controller
	// One of these.
	ladders     []*Ladder
	tailTable   *TailTable
	shares      *Shares
	plan        *Plan
	budgetTable *BudgetTable
}

// Open reads the policy in a `.tailc` file. Length and hash are checked first, then the signature if
// keys are trusted, then structure, then meaning. The error is a *PolicyError, or one of the file
// system where the file cannot be read.
func Open(path string, options ...Option) (*Policy, error) {
	return open(path, options, func() ([]byte, error) {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return bytesOf(file)
	})
}

// OpenBytes reads the policy in the bytes of a `.tailc` file, which may change afterwards.
func OpenBytes(data []byte, options ...Option) (*Policy, error) {
	return open("", options, func() ([]byte, error) { return data, nil })
}

// open opens the bytes that were read, and counts failed reloads.
func open(path string, options []Option, read func() ([]byte, error)) (*Policy, error) {
	a, err := askedBy(options)
	if err != nil {
		return nil, err
	}
	var policy *Policy
	data, err := read()
	if err == nil {
		policy, err = openBytes(data, a)
	}
	err = at(path, err)
	if err != nil && a.isReload {
		a.counters.refuse(err)
	}
	return policy, err
}

// bytesOf are all bytes of a file, or just enough to know that it is too large.
func bytesOf(file io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(file, mostBytes+1)) }

// at adds the origin of the bytes to a refusal.
func at(path string, err error) error {
	var refusal *PolicyError
	if errors.As(err, &refusal) {
		refusal.Path = path
	}
	return err
}

// openBytes is where all that reading and checking throw is recovered.
func openBytes(data []byte, a *asked) (policy *Policy, err error) {
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case *PolicyError:
			policy, err = nil, thrown
		case runtime.Error:
			// A mistake of this reader, not of the file, must not end a server.
			policy, err = nil, refused(BadStructure, "internal error of the reader: "+thrown.Error())
		default:
			panic(thrown)
		}
	}()
	if len(data) > mostBytes {
		return nil, refused(BadStructure, "the file is larger than the limit for a policy")
	}
	sealed, signature, err := signed(data)
	if err != nil {
		return nil, err
	}
	payload, err := unsealed(sealed)
	if err != nil {
		return nil, err
	}
	expiresS, err := a.checkSignature(signature)
	if err != nil {
		return nil, err
	}
	which, forms := readFlat(payload)
	which.expiresS = expiresS
	policy = newPolicy(which, forms, a.counters)
	a.check(&which)
	return policy, nil
}

// newPolicy is what the forms are together: ladders, or one form of another kind, and a controller of
// it last.
func newPolicy(which head, forms []rawForm, counters *Counters) *Policy {
	policy := &Policy{head: which, counters: counters}
	if last := len(forms) - 1; last >= 0 {
		if raw, steers := forms[last].(*rawController); steers {
			policy.controller, forms = newController(raw), forms[:last]
		}
	}
	ladders := 0
	for _, form := range forms {
		switch form.(type) {
		case *rawController:
			require(false, "`forms` must have at most one controller, as the last form")
		case *rawLadder:
			ladders++
		}
	}
	require(len(forms) > 0 && (ladders == len(forms) || ladders == 0 && len(forms) == 1),
		"`forms` must have exactly one of ladders, a tail table, shares, a plan and a budget table")
	switch form := forms[0].(type) {
	case *rawLadder:
		policy.scales(ClimbAges)
		policy.readLadders(forms)
	case *rawTailTable:
		policy.scales(LatencyBound)
		policy.tailTable = newTailTable(form, policy.controller, counters)
	case *rawShares:
		policy.scales(nothing)
		policy.shares = newShares(form)
	case *rawPlan:
		policy.scales(nothing)
		policy.plan = newPlan(form, counters)
	case *rawBudgetTable:
		policy.scales(nothing)
		policy.budgetTable = newBudgetTable(form)
	}
	return policy
}

// scales refuses a controller that changes a value that this policy does not have.
func (p *Policy) scales(actuator Actuator) {
	require(p.controller == nil || p.controller.ActsOn() == actuator,
		"`acts_on` must be `climb-ages` with ladders and `latency-bound` with a tail table")
}

func (p *Policy) readLadders(forms []rawForm) {
	classes := make(map[string]bool)
	forAll := false
	for _, form := range forms {
		ladder := newLadder(form.(*rawLadder), p.controller, p.counters)
		class, isOfClass := ladder.RequestClass()
		isTwice := isOfClass && classes[class] || !isOfClass && forAll
		require(!isTwice, "two ladders have the same `request_class`")
		if isOfClass {
			classes[class] = true
		} else {
			forAll = true
		}
		p.ladders = append(p.ladders, ladder)
	}
}

// Name is that of the service that the policy is for.
func (p *Policy) Name() string { return p.head.name }

// Kind is the kind of policy that it was compiled from.
func (p *Policy) Kind() string { return p.head.kind }

// Generation is 1, 2, ...: the next number whenever the policy promises or does something else.
func (p *Policy) Generation() int64 { return p.head.generation }

// SignatureExpiresS is the Unix second at which its checked signature expires; 0 if it never expires, or
// was not checked.
func (p *Policy) SignatureExpiresS() uint64 { return p.head.expiresS }

// Digest is the hex SHA-256 of the policy as canonical JSON.
func (p *Policy) Digest() string { return p.head.digest }

func (p *Policy) Counters() *Counters { return p.counters }

// Controller scales the ages of climbs, or the bound of a tail table; nil without one.
func (p *Policy) Controller() *Controller { return p.controller }

// Ladder is the ladder for all classes of requests. Its errors are OtherForm and UnknownClass.
func (p *Policy) Ladder() (*Ladder, error) {
	ladders, err := p.Ladders()
	if err != nil {
		return nil, err
	}
	for _, ladder := range ladders {
		if _, isOfClass := ladder.RequestClass(); !isOfClass {
			return ladder, nil
		}
	}
	return nil, refused(UnknownClass, "no ladder for all requests")
}

// LadderFor is the ladder of a class, or the ladder for all classes if the class has none.
func (p *Policy) LadderFor(requestClass string) (*Ladder, error) {
	ladders, err := p.Ladders()
	if err != nil {
		return nil, err
	}
	for _, ladder := range ladders {
		if class, isOfClass := ladder.RequestClass(); isOfClass && class == requestClass {
			return ladder, nil
		}
	}
	if ladder, err := p.Ladder(); err == nil {
		return ladder, nil
	}
	return nil, refused(UnknownClass, "no ladder for class `"+requestClass+"` of requests")
}

// Ladders are those of all classes; the error is OtherForm.
func (p *Policy) Ladders() ([]*Ladder, error) {
	if p.ladders == nil {
		return nil, refused(OtherForm, "the policy does not have ladders")
	}
	return p.ladders, nil
}

// TailTable, Shares, Plan and BudgetTable are what the policy has; the error is OtherForm where it has
// another.
func (p *Policy) TailTable() (*TailTable, error) { return held(p.tailTable, "a tail table") }
func (p *Policy) Shares() (*Shares, error)       { return held(p.shares, "shares") }
func (p *Policy) Plan() (*Plan, error)           { return held(p.plan, "a plan") }
func (p *Policy) BudgetTable() (*BudgetTable, error) {
	return held(p.budgetTable, "a budget table")
}

func held[Form any](form *Form, wanted string) (*Form, error) {
	if form == nil {
		return nil, refused(OtherForm, "the policy does not have "+wanted)
	}
	return form, nil
}
