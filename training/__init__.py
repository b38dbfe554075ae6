"""From-scratch training of the tiny embedded language model (corpus, tokenizer, model, export)."""
