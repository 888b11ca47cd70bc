module github.com/tailc/tailc/runtimes/go

go 1.21

require github.com/google/flatbuffers v25.12.19+incompatible
