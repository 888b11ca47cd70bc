"""Reports of results: text, JSON, Markdown, HTML pages, pictures, and CI annotations."""
