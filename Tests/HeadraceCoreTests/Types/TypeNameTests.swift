// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Testing

private struct PrivateNote: Sendable {}
private struct Pair<First, Second> {}
private struct PrivateFailure: Error {}

/// Swift prints addresses for private and local types, which differ from run to run.
@Suite struct TypeNameTests {
    private struct Inner {}

    @Test func aPrivateMessageTypeIsNamedWithoutAnAddress() {
        #expect(
            MessageContext(kind: .command, type: PrivateNote.self).typeName == "HeadraceCoreTests.PrivateNote"
        )
        #expect(
            MessageContext(kind: .command, type: Inner.self).typeName == "HeadraceCoreTests.TypeNameTests.Inner"
        )
    }

    @Test func aLocalMessageTypeIsNamedWithoutAnAddress() {
        struct Local {}

        #expect(MessageContext(kind: .query, type: Local.self).typeName == "HeadraceCoreTests.TypeNameTests.Local")
        #expect(
            MessageContext(kind: .query, type: Pair<Local, [PrivateNote]>.self).typeName
                == "HeadraceCoreTests.Pair<HeadraceCoreTests.TypeNameTests.Local, Swift.Array<HeadraceCoreTests.PrivateNote>>"
        )
    }

    @Test func aPublicMessageTypeHasTheNameThatSwiftPrints() {
        #expect(MessageContext(kind: .action, type: [String].self).typeName == "Swift.Array<Swift.String>")
    }

    @Test func theOutcomeOfAPrivateErrorIsNamedWithoutAnAddress() {
        #expect(MessageOutcome.failure(PrivateFailure()).code == "HeadraceCoreTests.PrivateFailure")
    }
}
