"""How sphinx builds these pages: `make docs`."""

import tailc

project = "tailc"
author = "The tailc authors"
copyright = author
version = release = tailc.__version__

extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
# Code blocks name their language; a console session is no program to colour.
highlight_language = "none"

html_theme = "furo"
html_title = "tailc"
html_copy_source = False
html_show_sphinx = False
