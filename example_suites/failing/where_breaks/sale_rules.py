"""What this shop wants of a page of results."""


def discounted(ranking):
    """Everything is on sale."""
    return all(one.fields["discount"] > 0 for one in ranking)
