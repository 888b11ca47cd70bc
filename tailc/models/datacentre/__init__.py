"""What the models of rigid and malleable jobs have in common: energy supply, battery, windows."""
