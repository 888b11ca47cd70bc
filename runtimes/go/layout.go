package tailc

import (
	"strconv"
	"strings"

	"github.com/tailc/tailc/runtimes/go/internal/flat"
)

// A field of a table; size is of a scalar or a struct, 0 of what an offset leads to.
type field struct {
	kind                 string
	size                 uint64
	isVector, isRequired bool
}

func (f *field) sizeInTable() uint64 {
	if f.size > 0 && !f.isVector {
		return f.size
	}
	return offsetSize
}

// A layout is the fields of a table in the order of their ids.
type layout struct {
	name   string
	fields []field
}

type formTable struct{ name, table string }

var (
	layouts = parsedLayouts()
	// forms are those known here, by number from 1 on.
	forms = list(len(flat.Forms), func(i int) formTable {
		words := strings.Fields(flat.Forms[i])
		return formTable{words[0], words[1]}
	})
)

func parsedLayouts() map[string]*layout {
	parsed := map[string]*layout{}
	for _, line := range flat.Tables {
		words := strings.Fields(line)
		parsed[words[0]] = &layout{words[0], list(len(words)-1, func(i int) field {
			return fieldOf(words[i+1])
		})}
	}
	return parsed
}

func fieldOf(word string) field {
	kind := strings.Trim(word, "[]!")
	size, err := strconv.ParseUint(kind, 10, 64)
	if err != nil {
		size = 0
	}
	return field{kind, size, strings.HasPrefix(word, "["), strings.HasSuffix(word, "!")}
}
