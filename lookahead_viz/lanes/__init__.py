"""The race as the browser draws it: any two to five methods in lanes on one axis."""
