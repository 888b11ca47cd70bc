"""Why a request does what it does in one cell of a table, and what that buys on the replay."""
