"""Pictures as SVG: axes and marks, the figures of each subject, and files with them."""
