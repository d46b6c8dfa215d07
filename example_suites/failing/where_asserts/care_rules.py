"""What this shop wants of a page of results."""


def no_care_products(ranking):
    """Nothing that is for the care of shoes."""
    wrong = [one.doc_id for one in ranking if one.fields["category"] == "care"]
    assert not wrong, f"care products {wrong} are shown to a person who looks for shoes"
