"""Building blocks of HTML pages: escaped elements, the page frame, chart specifications."""
