"""A report as one page of HTML: pictures, the numbers behind them, and nothing from elsewhere."""
