package tailc

import (
	"strconv"
	"unicode/utf8"

	flatbuffers "github.com/google/flatbuffers/go"

	"tailc/internal/flat"
)

// FlatBuffers has no verifier for Go. What vectors and strings claim is charged against the payload's
// size before they are walked, accessors panic at an offset into nowhere, and OpenBytes recovers.
const (
	schemaMajor = 1
	identifier  = "TLC1"

	offsetSize, longSize = 4, 8
)

// A walk reads no more than its payload can hold.
type walk struct{ left int }

func (w *walk) spend(count, size int) {
	if count < 0 || count > w.left/size {
		broken("the FlatBuffer claims more than it can hold")
	}
	w.left -= count * size
}

func (w *walk) text(raw []byte) string {
	if raw == nil {
		broken("a string is missing")
	}
	w.spend(len(raw), 1)
	if !utf8.Valid(raw) {
		broken("a string is not UTF-8")
	}
	return string(raw)
}

// list reads a vector of `length` elements, each of which takes `size` bytes in it.
func list[T any](w *walk, length, size int, read func(i int) T) []T {
	w.spend(length, size)
	values := make([]T, length)
	for i := range values {
		values[i] = read(i)
	}
	return values
}

func longs(w *walk, length int, at func(i int) int64) []int64 {
	return list(w, length, longSize, at)
}

// there is a table that must not be missing.
func there[T any](table *T) *T {
	if table == nil {
		broken("a table is missing")
	}
	return table
}

// head is which policy this is.
type head struct {
	name, kind, digest string
	generation         int64
}

// rawForm is one of *rawLadder, *rawController, *rawTailTable, *rawShares and *rawPlan.
type rawForm any

// readFlat reads which policy is in a payload, and its forms.
func readFlat(payload []byte) (head, []rawForm) {
	if len(payload) < 2*offsetSize || string(payload[offsetSize:2*offsetSize]) != identifier {
		broken("the FlatBuffer's identifier is not TLC1")
	}
	root := flat.GetRootAsPolicy(payload, 0)
	// Another major version may lay out anything else otherwise, so its number comes first.
	if root.SchemaMajor() != schemaMajor {
		version := strconv.Itoa(int(root.SchemaMajor())) + "." + strconv.Itoa(int(root.SchemaMinor()))
		panic(refused(UnknownSchema, "schema `"+version+"` is not known here"))
	}
	w := &walk{len(payload)}
	which := head{
		name: w.text(root.Name()), kind: w.text(root.Kind()),
		digest: w.text(root.PolicyDigest()), generation: root.Generation(),
	}
	var box flat.FormBox
	forms := list(w, root.FormsLength(), offsetSize, func(i int) rawForm {
		root.Forms(&box, i)
		return readForm(w, &box)
	})
	return which, forms
}

// readForm reads the form in a box; the name beside it is for forms that are not known here.
func readForm(w *walk, box *flat.FormBox) rawForm {
	read, isKnown := formReaders[box.FormType()]
	if !isKnown {
		panic(refused(UnknownForm, "form `"+w.text(box.FormName())+"` is not known here"))
	}
	var table flatbuffers.Table
	if !box.Form(&table) {
		broken("a form is missing")
	}
	return read(w, table)
}

var formReaders = map[flat.Form]func(*walk, flatbuffers.Table) rawForm{
	flat.FormLadder:     readLadder,
	flat.FormController: readController,
	flat.FormTailTable:  readTailTable,
	flat.FormShares:     readShares,
	flat.FormPlan:       readPlan,
}
