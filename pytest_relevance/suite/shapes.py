"""What a pydantic model allows at a place inside it: the types, and so the keys, that a path of keys leads to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import AliasChoices, AliasPath, BaseModel, Tag
from pydantic.fields import FieldInfo


class Arm(NamedTuple):
    """One of the types a value may have, with the tag that chooses it in a union."""

    tag: str | None
    kind: Any


def arms_at(model: type[BaseModel], path: Sequence[str | int]) -> list[Arm]:
    """The types allowed at `path`; elements that name no key, such as the tags of a union, choose among them."""
    arms = [Arm(None, model)]
    for element in path:
        chosen = [Arm(None, arm.kind) for arm in arms if arm.tag == element]
        arms = chosen or [inner for arm in arms for inner in _inside(arm.kind, element)] or arms
    return arms


def keys_of(arms: Sequence[Arm]) -> list[str]:
    """The keys that the models among `arms` know, as a user writes them."""
    return list(dict.fromkeys(key for model in _models(arms) for key in written_keys(model)))


def written_keys(model: type[BaseModel]) -> Iterator[str]:
    """The first spelling of each field."""
    for name, field in model.model_fields.items():
        yield _spellings(name, field)[0]


def field_at(arms: Sequence[Arm], key: str | int) -> FieldInfo | None:
    """The field that `key` names in one of the models."""
    for model in _models(arms):
        for name, field in model.model_fields.items():
            if key in _spellings(name, field):
                return field
    return None


def _models(arms: Sequence[Arm]) -> list[type[BaseModel]]:
    return [arm.kind for arm in arms if _is_model(arm.kind)]


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _inside(kind: Any, element: str | int) -> Iterator[Arm]:
    if _is_model(kind):
        field = field_at([Arm(None, kind)], element)
        if field is not None:
            yield from _arms(field.annotation)
        return
    arguments = [argument for argument in get_args(kind) if argument is not Ellipsis]
    if isinstance(element, int) and arguments and get_origin(kind) in (list, tuple, set, frozenset):
        yield from _arms(arguments[0])
    elif isinstance(element, str) and len(arguments) == 2 and get_origin(kind) is dict:
        yield from _arms(arguments[1])


def _arms(annotation: Any, tag: str | None = None) -> Iterator[Arm]:
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *notes = get_args(annotation)
        tags = [note.tag for note in notes if isinstance(note, Tag)]
        yield from _arms(inner, tags[0] if tags else tag)
    elif origin in (Union, UnionType):
        for argument in get_args(annotation):
            yield from _arms(argument, tag)
    elif annotation is not type(None):
        yield Arm(tag, annotation)


def _spellings(name: str, field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    if isinstance(alias, AliasChoices):
        return [choice for choice in alias.choices if isinstance(choice, str)] or [name]
    return [name] if alias is None or isinstance(alias, AliasPath) else [alias]
