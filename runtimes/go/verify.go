package tailc

import (
	"encoding/binary"
	"unicode/utf8"
)

// FlatBuffers has no verifier for Go, and those for other languages differ in what they refuse. This
// one follows the rules of docs/artifact-format.md, "Structure", in the order of all readers, before
// any accessor follows an offset.

const (
	slotSize      = 2
	headSize      = 4 // of a list of fields: its own size, and that of its table
	longSize      = 8
	rowSize       = 32
	largestNumber = 1<<53 - 1

	// Ids in Policy, in FormBox and in Ladder.
	idForms                        = 8
	idFormType, idForm, idFormName = 0, 1, 2
	idRules, idRuleNames           = 4, 5
	idRows, idClimbs               = 7, 8
	firstClimbInRow, climbsInRow   = 16, 20
)

// A verifier knows what may still be claimed: vectors and strings share no bytes, so all of them
// together fit into the payload.
type verifier struct {
	payload []byte
	left    uint64
}

// A tableAt is where a table begins, its size, and where its list of fields lies.
type tableAt struct{ at, size, slots, slotsSize uint64 }

func newVerifier(payload []byte) *verifier { return &verifier{payload, uint64(len(payload))} }

// version verifies the root and its first two fields: another major version may change all the rest.
func (v *verifier) version() {
	root := v.start(v.follow(0))
	v.field(root, layouts["Policy"], 0)
	v.field(root, layouts["Policy"], 1)
}

// all verifies everything; forms come first, so that one that is not known is refused by its name.
func (v *verifier) all() {
	root, policy := v.start(v.follow(0)), layouts["Policy"]
	v.field(root, policy, idForms)
	for id := range policy.fields {
		if id != idForms {
			v.field(root, policy, id)
		}
	}
}

func (v *verifier) table(at uint64, layout *layout) {
	table := v.start(at)
	for id := range layout.fields {
		v.field(table, layout, id)
	}
	switch layout.name {
	case "FormBox":
		v.form(table)
	case "Ladder":
		v.rules(table)
		v.rows(table)
	}
}

func (v *verifier) field(table tableAt, layout *layout, id int) {
	field := &layout.fields[id]
	at := v.fieldAt(table, id, field.sizeInTable())
	switch {
	case at == 0:
		requireStructure(!field.isRequired, "a required field is missing")
	case field.isVector:
		v.vector(v.follow(at), field)
	case field.size > 0:
		v.numbers(at, 1, field.size)
	default:
		v.element(v.follow(at), field)
	}
}

func (v *verifier) vector(at uint64, field *field) {
	size := field.size
	if size == 0 {
		size = offsetSize
	}
	count, first := v.count(at, size), at+offsetSize
	if field.size > 0 {
		v.numbers(first, count, size)
		return
	}
	for i := uint64(0); i < count; i++ {
		v.element(v.follow(first+i*offsetSize), field)
	}
}

// element verifies a string or a table; a form is followed once its box names one that is known.
func (v *verifier) element(at uint64, field *field) {
	switch field.kind {
	case "text":
		end := at + offsetSize + v.count(at, 1)
		requireStructure(end < uint64(len(v.payload)) && v.payload[end] == 0,
			"a string does not end with a zero byte")
		requireStructure(utf8.Valid(v.payload[at+offsetSize:end]), "a string is not UTF-8")
	case "Form":
	default:
		v.table(at, layouts[field.kind])
	}
}

// numbers verifies scalars or structs: aligned, with whole numbers of 8 bytes within 2^53 - 1. Such
// numbers are the first half of every struct, and have no sign there.
func (v *verifier) numbers(at, count, size uint64) {
	if count == 0 {
		return
	}
	requireStructure(at%min(size, longSize) == 0, "a number is not aligned")
	wholes, least := size/longSize, int64(-largestNumber)
	if size > longSize {
		wholes, least = wholes/2, 0
	}
	for i := uint64(0); i < count; i++ {
		for j := uint64(0); j < wholes; j++ {
			number := int64(binary.LittleEndian.Uint64(v.payload[at+i*size+j*longSize:]))
			requireStructure(least <= number && number <= largestNumber,
				"a number is outside -(2^53 - 1) to 2^53 - 1")
		}
	}
}

// form verifies the form in a box whose fields have been verified, and its number and name.
func (v *verifier) form(box tableAt) {
	number := 0
	if at := v.fieldAt(box, idFormType, 1); at != 0 {
		number = int(v.payload[at])
	}
	name := v.text(v.followField(box, idFormName))
	if number == 0 || number > len(forms) || forms[number-1].name != name {
		panic(refused(UnknownForm, "unknown form `"+name+"`"))
	}
	v.table(v.followField(box, idForm), layouts[forms[number-1].table])
}

// rules verifies that each number is of a known rule and has the right name.
func (v *verifier) rules(ladder tableAt) {
	at, namesAt := v.followField(ladder, idRules), v.followField(ladder, idRuleNames)
	count := v.word(at)
	requireStructure(count == v.word(namesAt),
		"`rules` and `rule_names` must have the same number of entries")
	for i := uint64(0); i < count; i++ {
		number := int(v.payload[at+offsetSize+i])
		name := v.text(v.follow(namesAt + offsetSize + i*offsetSize))
		if number == 0 || number >= len(ruleNames) || string(ruleNames[number]) != name {
			panic(refused(UnknownRule, "unknown rule `"+name+"`"))
		}
	}
}

// rows verifies that rows follow each other in the climbs, to the last one.
func (v *verifier) rows(ladder tableAt) {
	at, next := v.followField(ladder, idRows), uint64(0)
	for i, count := uint64(0), v.word(at); i < count; i++ {
		row := at + offsetSize + i*rowSize
		first := v.word(row + firstClimbInRow)
		requireStructure(first == next, "climbs of successive rows are not consecutive in `climbs`")
		next += v.word(row + climbsInRow)
	}
	climbs := v.word(v.followField(ladder, idClimbs))
	requireStructure(next == climbs, "the rows do not have all entries of `climbs`")
}

// start is the table there, with its list of fields; both are within the payload.
func (v *verifier) start(at uint64) tableAt {
	slots := int64(at) - int64(int32(v.word(at)))
	size := int64(len(v.payload))
	requireStructure(0 <= slots && slots <= size-headSize && slots%slotSize == 0,
		"a table has an invalid list of fields")
	table := tableAt{at, v.half(uint64(slots) + slotSize), uint64(slots), v.half(uint64(slots))}
	isList := table.slotsSize >= headSize && table.slotsSize%slotSize == 0
	requireStructure(isList && table.slots+table.slotsSize <= uint64(size),
		"a table has an invalid list of fields")
	requireStructure(offsetSize <= table.size && table.size <= uint64(size)-at,
		"a table has an invalid list of fields")
	return table
}

// fieldAt is the offset of a field with that size in bytes, 0 if it is absent.
func (v *verifier) fieldAt(table tableAt, id int, size uint64) uint64 {
	slot := headSize + slotSize*uint64(id)
	if slot >= table.slotsSize {
		return 0
	}
	offset := v.half(table.slots + slot)
	if offset == 0 {
		return 0
	}
	requireStructure(offset >= offsetSize && offset+size <= table.size, "a field is outside its table")
	return table.at + offset
}

// followField is where a field leads that has been verified to be there.
func (v *verifier) followField(table tableAt, id int) uint64 {
	return v.follow(v.fieldAt(table, id, offsetSize))
}

// follow returns the target of the offset at a place.
func (v *verifier) follow(at uint64) uint64 {
	requireStructure(at%offsetSize == 0, "an offset is not aligned")
	offset := v.word(at)
	requireStructure(offset > 0 && offset%offsetSize == 0, "an offset has no valid target")
	v.within(at+offset, offsetSize)
	return at + offset
}

// count is how many elements of a size the vector there has; all are in the payload.
func (v *verifier) count(at, size uint64) uint64 {
	count := v.word(at)
	spent := offsetSize + count*size
	v.within(at, spent)
	requireStructure(spent <= v.left, "vectors and strings are together larger than the FlatBuffer")
	v.left -= spent
	return count
}

func (v *verifier) text(at uint64) string {
	begin := at + offsetSize
	return string(v.payload[begin : begin+v.word(at)])
}

func (v *verifier) word(at uint64) uint64 {
	v.within(at, offsetSize)
	return uint64(binary.LittleEndian.Uint32(v.payload[at:]))
}

func (v *verifier) half(at uint64) uint64 {
	return uint64(binary.LittleEndian.Uint16(v.payload[at:]))
}

func (v *verifier) within(at, size uint64) {
	requireStructure(at+size <= uint64(len(v.payload)),
		"an offset points beyond the end of the FlatBuffer")
}

func requireStructure(holds bool, otherwise string) {
	if !holds {
		broken(otherwise)
	}
}
