"""Compiled variants of a spec: a row each, for people, programs and spreadsheets.

figures.py    what is told of a policy, by its forms
words.py      how each ended, and what there is to say of which rows
tables.py     columns of the variants, as text, Markdown or CSV
json_form.py  the same for a program
"""
