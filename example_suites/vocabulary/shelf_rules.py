"""What this shop wants of a page of results, as functions that a suite can name."""


def one_series_stays_together(ranking):
    """Volumes of a series stand next to each other."""
    ranks = [document.rank for document in ranking if str(document.fields["title"]).startswith("Dragons of the North")]
    assert ranks == list(range(min(ranks), max(ranks) + 1)), f"volumes stand at ranks {ranks}"


def has_a_cover(ranking):
    """The first result has a picture to show."""
    return bool(ranking.documents[0].fields.get("cover"))
