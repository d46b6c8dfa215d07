"""Lamps as a search service tells of them: dates, nested offers, several colours, any script, long titles."""

LAMPS = [
    {
        "id": "L1",
        "title": "Desk lamp with a swing arm, a dimmer, three colour temperatures and a wireless charging pad in its "
        "foot",
        "released": "2024-02-01",
        "colours": ["black", "white"],
        "offers": [{"shop": "north", "price": 49.0}, {"shop": "south", "price": 44.5}],
    },
    {
        "id": "L2",
        "title": "折りたたみ式デスクライト",
        "released": "2022-09-15",
        "colours": ["white"],
        "offers": [{"shop": "north", "price": 31.0}],
    },
    {
        "id": "L3",
        "title": "מנורת שולחן",
        "released": "2024-06-30T08:00:00+03:00",
        "colours": ["red"],
        "offers": [{"shop": "south", "price": 72.0}],
    },
]


def search(_query, depth):
    """Every lamp, whatever is asked."""
    return [{"id": lamp["id"], "score": 1 / rank, "fields": lamp} for rank, lamp in enumerate(LAMPS, start=1)][:depth]
