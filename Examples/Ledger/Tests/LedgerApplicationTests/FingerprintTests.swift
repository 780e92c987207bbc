// SPDX-License-Identifier: Apache-2.0

import LedgerApplication
import Testing

@Suite struct FingerprintTests {
    // The vectors of RFC 9923 (FNV-1a, 128 bits).
    @Test(arguments: [
        ("", "6c62272e07bb014262b821756295c58d"),
        ("a", "d228cb696f1a8caf78912b704e4a8964"),
        ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
    ])
    func itIsFNV1aOf128Bits(text: String, digits: String) {
        #expect(Fingerprint(bytes: Array(text.utf8)).rawValue == digits)
    }

    @Test func theBordersOfFieldsArePartOfTheFingerprint() {
        #expect(Fingerprint(["ab", "c"]) != Fingerprint(["a", "bc"]))
        #expect(Fingerprint(["a"]) != Fingerprint(["a", ""]))
    }
}
