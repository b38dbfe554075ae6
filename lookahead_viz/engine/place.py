"""Where a network's inputs go and its logits come from, also when it lies on several devices."""

from __future__ import annotations

import torch
from transformers import PreTrainedModel


def device_of(network: PreTrainedModel) -> torch.device:
    """The device of a network's inputs; "meta" where it has no weights at all.

    ``network.device`` is that of its first weight. accelerate keeps weights for which there is no
    room in main memory or on disk, and then leaves only their shapes ("meta") in the network; its
    hooks say where they are worked with, and move what passes from layer to layer.
    """
    first = network.device
    if first.type != "meta":
        return first
    for module in network.modules():
        place = getattr(getattr(module, "_hf_hook", None), "execution_device", None)
        if place is not None:
            return torch.device(place)
    return first
