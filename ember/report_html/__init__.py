"""The page of ``ember report``: what was measured, as charts without a library.

:mod:`.documents` reads the JSON files, :mod:`.page` puts the page together, and there is a module
for each chart, a function from data to an HTML fragment.
"""
