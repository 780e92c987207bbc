# SPDX-License-Identifier: Apache-2.0

"""A validator of OpenAPI accepts the descriptions of the APIs, and the ledger answers as its description says."""

import json
import pathlib
import sys
import tempfile
import unittest
from urllib.parse import urlencode

from jsonschema import Draft202012Validator, ValidationError
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEDGER = "Examples/Ledger/Sources/LedgerServer/openapi.json"

sys.path.insert(0, str(ROOT / ".ci/served"))
from ledger import Ledger  # noqa: E402


class Descriptions(unittest.TestCase):
    def test_the_description_that_the_client_package_writes_is_valid(self):
        # The tests of Swift compare the file with the description that is written today.
        self.check("Tests/HeadraceClientTests/Golden/openapi.json")

    def test_the_description_of_the_ledger_is_valid(self):
        self.check(LEDGER)

    def test_a_wrong_description_is_refused(self):
        description = read("Tests/HeadraceClientTests/Golden/openapi.json")
        description["paths"]["/readers"]["post"]["parameters"][0]["in"] = "nowhere"
        with self.assertRaises(Exception):
            validate(description, cls=OpenAPIV31SpecValidator)

    def check(self, path):
        description = read(path)
        self.assertGreater(len(description["paths"]), 2)
        validate(description, cls=OpenAPIV31SpecValidator)


class Answers(unittest.TestCase):
    """Each answer has exactly the members that the description of the ledger has."""

    def setUp(self):
        self.description = read(LEDGER)
        forbid_other_members(self.description)
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ledger-")))
        self.ledger = self.enterContext(Ledger(folder / "books.sqlite"))
        for day, amount in (("2026-01-05", "20 EUR"), ("2026-02-09", "5 EUR")):
            answer = self.ledger.post(day, "Bakery", ("expenses:food", amount), ("assets:bank", None))
            self.assertEqual(answer.status, 201, answer)
        self.id = answer.json["transaction"]

    def test_each_answer_is_described(self):
        checked = set()
        for path, operations in self.description["paths"].items():
            operation = operations.get("get", {})
            content = self.response(operation, "200").get("content", {})
            if "application/json" not in content or path == "/openapi.json":
                continue
            if "{id}" in path and "transactions" not in path:
                continue
            required = [one["name"] for one in operation.get("parameters", []) if one["in"] == "query" and one["required"]]
            query = urlencode({name: "assets:bank" for name in required})
            answer = self.ledger.ask("GET", path.format(id=self.id) + (f"?{query}" if query else ""))
            self.assertEqual(answer.status, 200, path)
            self.validate(answer.json, content["application/json"]["schema"])
            checked.add(path)
            if required:
                self.check_problem(path, operation)
        self.assertGreater(len(checked), 13, checked)

    def test_an_answer_with_another_member_is_noticed(self):
        answer = self.ledger.get("/api/health")
        schema = {"$ref": "#/components/schemas/Health"}
        self.validate(answer, schema)
        with self.assertRaises(ValidationError):
            self.validate({**answer, "other": 1}, schema)

    def check_problem(self, path, operation):
        """Checks the answer to a request without its parameters."""
        answer = self.ledger.ask("GET", path)
        content = self.response(operation, str(answer.status))["content"]
        self.validate(answer.json, content["application/problem+json"]["schema"])

    def response(self, operation, status):
        response = operation.get("responses", {}).get(status, {})
        name = response.get("$ref", "").rpartition("/")[2]
        return self.description["components"]["responses"][name] if name else response

    def validate(self, value, schema):
        Draft202012Validator({**schema, "components": self.description["components"]}).validate(value)


def forbid_other_members(schema):
    """Lets a schema refuse members that it doesn't name."""
    if isinstance(schema, list):
        for one in schema:
            forbid_other_members(one)
    if isinstance(schema, dict):
        if "properties" in schema and "allOf" not in schema:
            schema.setdefault("additionalProperties", False)
        for one in schema.values():
            forbid_other_members(one)


def read(path):
    return json.loads((ROOT / path).read_text())
