"""Where models come from: the registry, SmolLM2 from its package, folders, GGUF files, the hub."""
