"""What is a secret, what looks like one, and what is neither."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.retrievers.http.options import HttpOptions
from pytest_relevance.retrievers.http.secrets import Secrets, is_credential
from pytest_relevance.suite.scalars import Reference, Text


def from_environment(value: str, name: str = "NAME") -> Text:
    return Text(value, references=(Reference(name, value),))


@pytest.mark.parametrize(
    "name", ["Authorization", "api_key", "X-Typesense-API-Key", "accessToken", "password", "Cookie"]
)
def test_names_of_credentials(name: str) -> None:
    assert is_credential(name)


@pytest.mark.parametrize("name", ["keywords", "sort_key", "q", "Accept", "monkey", "authors", "tokenizer"])
def test_names_that_only_remind_of_credentials(name: str) -> None:
    assert not is_credential(name)


def test_a_key_is_a_credential_among_headers_and_variables() -> None:
    assert is_credential("SEARCH_KEY", any_key=True)
    assert not is_credential("SEARCH_INDEX", any_key=True)


@given(st.text(min_size=8))
def test_a_secret_is_masked_in_every_form_it_is_sent_in(value: str) -> None:
    if value.isdigit() or "://" in value:
        return
    secrets = Secrets.of({"headers": {"X": from_environment(value)}})

    for text in (value, quote(value, safe="") if value.isascii() else value, repr(value)):
        assert value not in secrets.mask(f"before {text} after") or not value.strip(" beforat")


def test_an_address_from_the_environment_shows_where_it_leads_and_no_more() -> None:
    secrets = Secrets.of({"url": from_environment("https://user:pass1@h.example.org:9200/tenant-x/search?k=v12")})

    shown = secrets.mask("https://user:pass1@h.example.org:9200/tenant-x/search?k=v12")
    assert "h.example.org:9200" in shown
    assert not any(part in shown for part in ("pass1", "tenant-x", "v12"))


def test_ports_and_sizes_are_not_masked() -> None:
    assert (
        Secrets.of({"size": from_environment("10"), "port": from_environment("9200")}).mask("10 of 9200")
        == "10 of 9200"
    )


@pytest.mark.parametrize("value", ["x", "test", "password"])
def test_a_key_that_is_a_word_does_not_spoil_ids_and_texts(value: str) -> None:
    secrets = Secrets.of({"headers": {"X-Api-Key": from_environment(value, "API_KEY")}})

    assert secrets.mask_credentials("a test of the password box") == "a test of the password box"


def test_an_index_from_the_environment_stays_in_a_recordings_key_and_a_token_does_not() -> None:
    options = {"url": from_environment("shoes-v2", "INDEX"), "params": {"t": from_environment("shoes-v3", "MY_TOKEN")}}
    secrets = Secrets.of(options)

    assert secrets.mask_credentials("shoes-v2 shoes-v3") == "shoes-v2 ***"
    assert secrets.mask("shoes-v2 shoes-v3") == "*** ***"


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"headers": {"Authorization": "ApiKey s3cret"}}, ("Authorization",)),
        ({"headers": {"X-Tenant": "aB3dE5fG7hJ9kL1mN3pQ"}}, ("X-Tenant",)),
        ({"params": {"access_token": "abcd"}}, ("access_token",)),
        ({"auth": {"user": "u", "password": "hunter2"}}, ("password",)),
        ({"headers": {"Authorization": from_environment("ApiKey s3cret")}}, ()),
        ({"headers": {"Accept": "application/vnd.search.v2+json"}}, ()),
        ({"params": {"q": "{{ query.text }}", "sort_key": "price"}}, ()),
    ],
)
def test_a_literal_that_looks_like_a_key_is_found(options: dict[str, object], found: tuple[str, ...]) -> None:
    assert HttpOptions.model_validate({"url": "http://h/"} | options).written_credentials == found
