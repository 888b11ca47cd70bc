module lookup

go 1.21
