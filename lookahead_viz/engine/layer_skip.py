"""Layer-skip self-draft: the first layers of a model, its norm and its head, as a draft model.

The weights are shared with the model, so that the draft costs no memory. Elhoushi et al. 2024,
"LayerSkip" (arXiv 2404.16710) trains models for it; the untrained exit works, only less often.
"""

from __future__ import annotations

import copy
from typing import Any

from torch import nn
from transformers import PreTrainedModel

from lookahead_viz.engine.model import Model, wrap_model


def layer_skip(model: Model, layers: int) -> Model:
    """The draft "NAME:k-layers" made of the first ``layers`` layers of ``model``.

    Raises ValueError in one sentence unless 1 <= ``layers`` < the number of layers.
    """
    name = f"{model.name}:{layers}-layer{'s' if layers > 1 else ''}"
    network = _with_first_layers(model.network, layers, model.name)
    return wrap_model(network, model.tokenizer, name, model.info.revision)


def _with_first_layers(network: PreTrainedModel, layers: int, name: str) -> PreTrainedModel:
    depth = network.config.get_text_config().num_hidden_layers
    if not 1 <= layers < depth:
        allowed = f"1 to {depth - 1}" if depth > 1 else "no layer to leave out"
        raise ValueError(
            f"draft is {layers}, but {name} has {depth} layers: a self-draft can have {allowed}."
        )
    found = [
        path
        for path, module in network.named_modules()
        if isinstance(module, nn.ModuleList) and len(module) == depth
    ]
    if len(found) != 1:
        raise ValueError(
            f"the layers of {name} ({type(network).__name__}) cannot be told apart, so it has no "
            "self-draft; name another model as the draft."
        )
    config = copy.deepcopy(network.config)
    text = config.get_text_config()
    text.num_hidden_layers = layers
    if getattr(text, "layer_types", None):
        text.layer_types = list(text.layer_types)[:layers]
    replaced = {id(network.config): config, id(network.config.get_text_config()): text}
    return _copy_along(network, found[0].split("."), layers, replaced)


def _copy_along(
    module: nn.Module, path: list[str], layers: int, configs: dict[int, Any]
) -> nn.Module:
    """A copy of the modules on ``path`` only; everything else is the same object."""
    if not path:
        return nn.ModuleList(list(module.children())[:layers])
    made = copy.copy(module)
    made._modules = dict(module._modules)
    made._modules[path[0]] = _copy_along(getattr(module, path[0]), path[1:], layers, configs)
    if id(getattr(module, "config", None)) in configs:
        made.config = configs[id(module.config)]
    return _with_its_own_forward(made)


def _with_its_own_forward(copied: nn.Module) -> nn.Module:
    """accelerate's hooks replace ``forward`` by one that runs the module they were put on."""
    replaced, hook = copied.__dict__.pop("forward", None), copied.__dict__.pop("_hf_hook", None)
    copied.__dict__.pop("_old_forward", None)
    if hook is not None:
        from accelerate.hooks import add_hook_to_module

        hooked: nn.Module = add_hook_to_module(copied, copy.copy(hook))
        return hooked
    if replaced is not None:
        raise ValueError(
            f"the forward of its {type(copied).__name__} was replaced, so it has no self-draft; "
            "name another model as the draft."
        )
    return copied
