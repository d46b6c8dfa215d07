"""What this shop wants of a page of results."""


def cheapest_first(ranking):
    return [one.doc_id for one in ranking] == [
        one.doc_id for one in sorted(ranking, key=lambda one: one.fields["price"])
    ]


def no_care_products(ranking):
    wrong = [one.doc_id for one in ranking if one.fields["category"] == "care"]
    assert not wrong, f"care products {wrong} are shown to a person who looks for shoes"


def discounted(ranking):
    return all(one.fields["discount"] > 0 for one in ranking)
