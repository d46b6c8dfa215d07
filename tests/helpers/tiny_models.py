"""Makes models for tests: a BERT of one layer with random weights, as each class of the library saves them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

WORDS = [*"red green blue hat shoe kettle very long feather query passage :".split(), *"abcdefgh"]  # noqa: SIM905 - to read


def loaded(source: str, kind: str = "SentenceTransformer") -> Any:
    """A model as its library loads it, with nothing of ours around it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(import_module("sentence_transformers"), kind)(source, device="cpu")


class TinyModels:
    """Models by what they are, each made when first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def dense(self, *, width: int = 16, positions: int = 64, prompts: Mapping[str, str] | None = None) -> str:
        """A folder of a SentenceTransformer."""
        folder = self._folder / f"dense-{width}-{positions}-{len(prompts or {})}"
        if not folder.exists():
            bert = self._bert("BertModel", width, positions)
            modules = import_module("sentence_transformers.sentence_transformer.modules")
            parts = [self._transformer(bert), modules.Pooling(width)]
            self._save("SentenceTransformer", folder, parts, prompts=dict(prompts or {}))
        return str(folder)

    def late(self) -> str:
        """A folder of a MultiVectorEncoder."""
        folder = self._folder / "late"
        if not folder.exists():
            normalize = import_module("sentence_transformers.base.modules").Normalize
            parts = [
                self._transformer(self._bert("BertModel", 16, 64)),
                import_module("sentence_transformers.multi_vector_encoder.modules").MultiVectorMask(),
                normalize(module_input_name="token_embeddings", module_output_name="token_embeddings"),
            ]
            self._save("MultiVectorEncoder", folder, parts)
        return str(folder)

    def sparse(self) -> str:
        """A folder of a SPLADE model."""
        return str(self._bert("BertForMaskedLM", 16, 64))

    def reranker(self, *, labels: int = 1) -> str:
        """A folder of a CrossEncoder."""
        return str(self._bert("BertForSequenceClassification", 16, 64, num_labels=labels))

    def _save(self, kind: str, folder: Path, parts: list[Any], **more: Any) -> None:
        getattr(import_module("sentence_transformers"), kind)(modules=parts, device="cpu", **more).save(str(folder))

    def _transformer(self, bert: Path) -> Any:
        return import_module("sentence_transformers.base.modules").Transformer(str(bert))

    def _bert(self, kind: str, width: int, positions: int, **more: Any) -> Path:
        folder = self._folder / f"{kind}-{width}-{positions}-{'-'.join(map(str, more.values()))}"
        if not folder.exists():
            torch, transformers = import_module("torch"), import_module("transformers")
            folder.mkdir()
            names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
            (folder / "vocab.txt").write_text("\n".join(names), encoding="utf-8")
            tokenizer = transformers.BertTokenizerFast(
                vocab={name: number for number, name in enumerate(names)}, model_max_length=positions
            )
            tokenizer.save_pretrained(folder)
            torch.manual_seed(1)
            config = transformers.BertConfig(
                vocab_size=len(names),
                hidden_size=width,
                num_hidden_layers=1,
                num_attention_heads=2,
                intermediate_size=16,
                max_position_embeddings=positions,
                initializer_range=1.0,
                **more,
            )
            getattr(transformers, kind)(config).eval().save_pretrained(folder)
        return folder


def change(folder: str, file: str, **values: object) -> None:
    """Write other values into a JSON file of a model's folder."""
    path = Path(folder) / file
    path.write_text(json.dumps(json.loads(path.read_text()) | values), encoding="utf-8")
