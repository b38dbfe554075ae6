"""The mask lab's picture: a mask beside the right one, drawn in the browser, and as one file."""
