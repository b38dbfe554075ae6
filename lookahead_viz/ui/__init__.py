"""The Streamlit side of the app: the only package code that imports streamlit."""
