"""A suite that uses every key of the grammar once."""

from __future__ import annotations

EXAMPLE = """\
suite: garden
corpus: plants.jsonl
queries: queries.tsv
qrels: {gardeners: gardeners.qrels, sales: sales.qrels}
grades: {max: 3, relevant: 2, gain: exp}
slices:
  kind:
    named: {queries: [q7, 012]}
    latin: {matches: '/^[a-z]+ [a-z]+$/i'}
    short: {words: [1, 2]}
    long: {words: [3, ]}
    asked: {starts_with: [which, when], attribute: {lang: en}}
  lang: attribute
weights: {kind: {short: 60%, long: 30%, asked: 10%}}

retrievers:
  words: {type: bm25}
  meaning: {type: dense, model: some-model, max_tokens: 256}
  both: {type: fuse, of: [words, meaning], method: rrf, k: 60}
  stored: {type: run, file: "${RUNS:-runs}/stored.run.gz"}

report: [nDCG@10, nDCG-f@10, R@100]
checks:
  - {measure: nDCG@10, of: both, at_least: 0.42}
  - {measure: nDCG@10, of: both, slice: kind=asked, at_least: 0.30}
  - {measure: nDCG@10, of: both, total: weighted by kind, at_least: 40%, qrels: sales}
  - {measure: nDCG-f@10, order: [both, meaning, words], qrels: each}
  - {overlap: RBO(p=0.9), of: both, with: stored, at_least: 0.8}
  - {measure: Judged@10, of: words, at_least: 0.9, level: warn, name: coverage}

assertions:
  - query: shade plants
    of: [both, words]
    expect:
      - {first: 0815}
      - {top: 5, all: {light: shade, hardy: true}}
      - {top: 10, contains: [hosta, fern]}
      - {top: 20, excludes: {name: /cactus/i}}
      - {top: 20, excludes: [thistle]}
      - {doc: hosta, above: fern}
      - {measure: nDCG-f@10, at_least: 1.0}
  - query: zzxqy
    level: warn
    expect: [{results: 0}]
duplicates: first
depth: 1000
fold: before last -
"""
