"""Tables tuned as a whole on the replay, where requests queue for threads."""
