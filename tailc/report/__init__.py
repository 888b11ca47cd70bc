"""Reports of results: text, JSON, Markdown, HTML pages, pictures, and annotations for CI
services.
"""
