"""A running request has a core of some type or clock to itself; a controller may steer."""
