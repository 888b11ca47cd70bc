"""The ladder form: a request climbs to faster and more expensive rungs as it ages."""
