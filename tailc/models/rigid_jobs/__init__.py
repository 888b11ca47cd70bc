"""Jobs of fixed width on racks that hang on a green or a brown bus."""
