"""The reference decoders and the runner that feeds a transformers model.

Import the modules directly: some of them need torch, most do not.
"""
