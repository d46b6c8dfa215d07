"""Tests against real search servers, which they start on loopback."""
