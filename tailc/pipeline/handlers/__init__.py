"""Handlers of problems: one module each, named as the problem's module in `tailc.problems`."""
