"""Reports of the compiled variants of a spec (`tailc sweep`), one row each.

figures.py    values to compare, by form of the policy
words.py      status of each variant, and findings with the rows that they apply to
tables.py     columns of variants as text, Markdown or CSV
json_form.py  the same as JSON data
"""
