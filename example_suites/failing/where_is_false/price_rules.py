"""What this shop wants of a page of results."""


def cheapest_first(ranking):
    """The cheapest stands first."""
    return [one.doc_id for one in ranking] == [
        one.doc_id for one in sorted(ranking, key=lambda one: one.fields["price"])
    ]
