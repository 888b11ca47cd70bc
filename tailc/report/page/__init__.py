"""HTML reports: one self-contained page with pictures and the numbers behind them."""
