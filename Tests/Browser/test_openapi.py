# SPDX-License-Identifier: Apache-2.0

"""A validator of OpenAPI accepts the descriptions of the APIs."""

import json
import pathlib
import unittest

from openapi_spec_validator import OpenAPIV31SpecValidator, validate

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Descriptions(unittest.TestCase):
    def test_the_description_that_the_client_package_writes_is_valid(self):
        # The tests of Swift compare the file with the description that is written today.
        self.check("Tests/HeadraceClientTests/Golden/openapi.json")

    def test_the_description_of_the_ledger_is_valid(self):
        self.check("Examples/Ledger/Sources/LedgerServer/openapi.json")

    def test_a_wrong_description_is_refused(self):
        description = self.read("Tests/HeadraceClientTests/Golden/openapi.json")
        description["paths"]["/readers"]["post"]["parameters"][0]["in"] = "nowhere"
        with self.assertRaises(Exception):
            validate(description, cls=OpenAPIV31SpecValidator)

    def check(self, path):
        description = self.read(path)
        self.assertGreater(len(description["paths"]), 2)
        validate(description, cls=OpenAPIV31SpecValidator)

    def read(self, path):
        return json.loads((ROOT / path).read_text())
