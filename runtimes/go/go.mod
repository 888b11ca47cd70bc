module tailc

go 1.21

require github.com/google/flatbuffers v25.12.19+incompatible
