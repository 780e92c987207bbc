// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Testing

@Suite struct CodedErrorTests {
    private struct Refusal: CodedError {
        enum Code { case expired, limitExceeded }

        let code: Code
        let message: String
    }

    private let error: any CodedError = Refusal(code: .limitExceeded, message: "The limit is exceeded.")

    @Test func theDescriptionIsTheMessage() {
        #expect("\(error)" == "The limit is exceeded.")
    }

    @Test func theNameOfACodeIsTheNameOfItsCase() {
        #expect(error.codeName == "limitExceeded")
        #expect(MessageOutcome.failure(error).code == "limitExceeded")
    }
}
