"""Make the example data in `demo/`: `python -m tools.demo`. A shop compares its search with a new one, on 180 queries.

- `old.csv` searches by words; `new.csv` by meaning, which it knows only roughly. Both are simulated, with a fixed seed.
- Queries have three segments: `product` names a kind of product, `need` says what it is for, and `model` names one.
- `qrels.csv` has grades: 3 for what was asked, 1 for what comes near, 0 for the rest. Some documents have none.

The texts are invented: `tools/demo.toml` has their words.
"""

import csv
import io
import math
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "demo"
WORDS = Path(__file__).with_name("demo.toml")
_SEED = 52
_DEPTH = 20
# Products of each feature, share of the documents found that are judged, and number of queries that name a model.
_PRODUCTS, _JUDGED, _MODELS = 6, 0.97, 52
# What each search knows of the grades, by segment, in units of its noise. The old one has a list of synonyms.
_SYNONYMS = 1.2
_MEANING = {"product": 1.2, "need": 0.6, "model": 0.55}


@dataclass(frozen=True)
class Product:
    """A product: its name, kind, features, brand and text. Its title names the first feature."""

    doc_id: str
    name: str
    kind: str
    features: tuple[str, str]
    brand: str
    text: str

    @property
    def title(self) -> str:
        """The name, a feature and the kind."""
        return f"{self.name} {self.features[0]} {self.kind}"


@dataclass(frozen=True)
class Query:
    """A query: what it asks for, a kind and a feature, or a product."""

    text: str
    segment: str
    kind: str
    feature: str
    product: Product | None = None

    def grade(self, product: Product) -> int:
        """Return the grade of a product: 3 if it was asked for, 1 if it comes near, or else 0."""
        if product.kind != self.kind:
            return 0
        if self.product is not None:
            return 3 if product == self.product else int(product.brand == self.product.brand)
        return 3 if product.features[0] == self.feature else int(product.features[1] == self.feature)


def products_and_queries(random: Random) -> tuple[list[Product], list[Query]]:
    """Return the products of the shop, and the queries of all segments."""
    words = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    products: list[Product] = []
    queries: list[Query] = []
    for kind, features in words["products"].items():
        for feature, (sentence, need) in features.items():
            queries += [Query(f"{feature} {kind}", "product", kind, feature), Query(need, "need", kind, feature)]
            for _ in range(_PRODUCTS):
                second = random.choice([other for other in features if other != feature])
                brand, model = random.choice(words["brands"]), f"{random.choice(words['series'])} {len(products) + 100}"
                name, text = f"{brand} {model}", f"{sentence} {features[second][0]}"
                products.append(Product(f"p{len(products) + 1:03}", name, kind, (feature, second), brand, text))
    queries += [Query(p.name, "model", p.kind, p.features[0], p) for p in random.sample(products, _MODELS)]
    random.shuffle(queries)
    return products, queries


def by_words(query: Query, products: list[Product], random: Random) -> list[Product]:
    """Return the products that share words with a query, best first: rare words count more, and titles twice."""
    texts = [(_words(product.title), _words(product.text)) for product in products]
    counts = Counter(word for title, text in texts for word in title | text)

    def score(title: set[str], text: set[str]) -> float:
        known = [word for word in _words(query.text) if word in counts]
        return sum(math.log(len(products) / counts[w]) * (2 * (w in title) + (w in text)) for w in sorted(known))

    return _best(
        products,
        [
            score(*words) + _SYNONYMS * query.grade(product) + random.gauss(0, 2)
            for product, words in zip(products, texts, strict=True)
        ],
    )


def by_meaning(query: Query, products: list[Product], random: Random) -> list[Product]:
    """Return the products that the new search finds nearest to the meaning of a query, best first."""
    weight = _MEANING[query.segment]
    return _best(
        products, [2 * (p.kind == query.kind) + weight * query.grade(p) + random.gauss(0, 1) for p in products]
    )


def _best(products: list[Product], scores: list[float]) -> list[Product]:
    """Return the products with the highest scores, best first."""
    order = sorted(range(len(products)), key=lambda place: -scores[place])
    return [products[place] for place in order[:_DEPTH]]


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.lower()))


def files() -> dict[str, str]:
    """Return the texts of the files in `demo/` by their names."""
    random = Random(_SEED)
    products, queries = products_and_queries(random)
    numbered = [(f"q{number:03}", query) for number, query in enumerate(queries, 1)]
    runs: dict[str, list[tuple[str, str, int]]] = {"old": [], "new": []}
    judgments = []
    for query_id, query in numbered:
        lists = {"old": by_words(query, products, random), "new": by_meaning(query, products, random)}
        for name, found in lists.items():
            runs[name] += [(query_id, product.doc_id, rank) for rank, product in enumerate(found, 1)]
        seen = {product for found in lists.values() for product in found[:10]}
        for product in products:
            grade = query.grade(product)
            if grade or (product in seen and random.random() < _JUDGED):
                judgments.append((query_id, product.doc_id, grade, query.segment))
    return {
        "queries.csv": _csv("query_id,text,segment", [(query_id, q.text, q.segment) for query_id, q in numbered]),
        "documents.csv": _csv("doc_id,title,text", [(p.doc_id, p.title, p.text) for p in products]),
        "qrels.csv": _csv("query_id,doc_id,relevance,segment", judgments),
        **{f"{name}.csv": _csv("query_id,doc_id,rank", rows) for name, rows in runs.items()},
    }


def _csv(header: str, rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header.split(","), *rows])
    return text.getvalue()


if __name__ == "__main__":
    for name, text in files().items():
        (DEMO / name).write_text(text, encoding="utf-8")
