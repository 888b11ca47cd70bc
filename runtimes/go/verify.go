package tailc

import (
	"encoding/binary"

	"tailc/internal/flat"
)

// FlatBuffers has no verifier for Go. This one follows every offset of what is acted on before an
// accessor does, and reads no more elements than the payload has bytes; what it knows of the schema
// stands in shapes.go.

type fieldKind uint8

const (
	ofScalar fieldKind = iota
	ofVector           // of scalars or structs, and strings
	ofTexts
	ofTable
	ofTables
	ofUnion   // the form in a box
	ofNothing // not acted on
)

// A field of a table. size is of a scalar, or of an element of a vector.
type field struct {
	kind       fieldKind
	size       uint64
	of         shape
	isRequired bool
}

// A shape is the fields of a table by their ids; those after them are not acted on.
type shape []field

// A verifier knows what may still be claimed.
type verifier struct {
	payload []byte
	left    uint64
}

func (v *verifier) within(at, size uint64) {
	if all := uint64(len(v.payload)); at > all || size > all-at {
		broken("an offset leads beyond the FlatBuffer")
	}
}

func (v *verifier) u16(at uint64) uint64 {
	v.within(at, 2)
	return uint64(binary.LittleEndian.Uint16(v.payload[at:]))
}

func (v *verifier) u32(at uint64) uint64 {
	v.within(at, offsetSize)
	return uint64(binary.LittleEndian.Uint32(v.payload[at:]))
}

// follow is where the offset leads that stands somewhere.
func (v *verifier) follow(at uint64) uint64 {
	offset := v.u32(at)
	if offset == 0 {
		broken("an offset leads nowhere")
	}
	v.within(at+offset, offsetSize)
	return at + offset
}

// vector is where the elements begin, and how many there are.
func (v *verifier) vector(at, size uint64) (first, count uint64) {
	at = v.follow(at)
	first, count = at+offsetSize, v.u32(at)
	v.within(first, count*size)
	if count*size > v.left {
		broken("the FlatBuffer claims more than it can hold")
	}
	v.left -= count * size
	return first, count
}

// fieldAt is where a field of a table stands, 0 where it is absent.
func (v *verifier) fieldAt(table uint64, id int) uint64 {
	// The distance is signed.
	vtable := table - uint64(int64(int32(v.u32(table))))
	// After the sizes of vtable and table stand the places of fields, 2 bytes each.
	slot := 2 * uint64(id+2)
	if slot >= v.u16(vtable) {
		return 0
	}
	if offset := v.u16(vtable + slot); offset != 0 {
		return table + offset
	}
	return 0
}

func (v *verifier) table(table uint64, fields shape) {
	for id, field := range fields {
		at := v.fieldAt(table, id)
		switch {
		case at != 0 && field.kind == ofUnion:
			v.table(v.follow(at), v.formOf(table))
		case at != 0:
			v.field(at, &field)
		case field.isRequired:
			broken("a field is missing")
		}
	}
}

func (v *verifier) field(at uint64, field *field) {
	switch field.kind {
	case ofScalar:
		v.within(at, field.size)
	case ofVector:
		v.vector(at, field.size)
	case ofTable:
		v.table(v.follow(at), field.of)
	case ofTexts, ofTables:
		first, count := v.vector(at, offsetSize)
		for i := uint64(0); i < count; i++ {
			if field.kind == ofTables {
				v.table(v.follow(first+i*offsetSize), field.of)
			} else {
				v.vector(first+i*offsetSize, 1)
			}
		}
	}
}

// formOf is the shape of the form in a box, whose name stands beside it for readers that do not know
// it.
func (v *verifier) formOf(box uint64) shape {
	number := flat.FormNONE
	if at := v.fieldAt(box, boxFormType); at != 0 {
		number = flat.Form(v.payload[at])
	}
	if form, isKnown := formShapes[number]; isKnown {
		return form
	}
	at := v.fieldAt(box, boxFormName)
	if at == 0 {
		broken("a form has no name")
	}
	first, count := v.vector(at, 1)
	name := text(v.payload[first : first+count])
	panic(refused(UnknownForm, "form `"+name+"` is not known here"))
}
