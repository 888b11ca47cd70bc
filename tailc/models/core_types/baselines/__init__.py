"""What a policy of whole cores is compared with; one short file each."""
