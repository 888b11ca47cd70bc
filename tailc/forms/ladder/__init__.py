"""The ladder: a request climbs to faster, dearer rungs as it ages."""
