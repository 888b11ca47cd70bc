"""What a tail table is compared with; one short file each."""
