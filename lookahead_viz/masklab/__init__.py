"""The mask lab: is this mask, from whatever engine, the right one, and if not, what is wrong?"""
