"""What a policy is compared with: one short file each, chosen by form."""
