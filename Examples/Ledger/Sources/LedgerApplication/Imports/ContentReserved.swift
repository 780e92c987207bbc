// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// An error that is thrown if the content of a journal is reserved for another name.
public struct ContentReserved: CodedError {
    /// The name of the journal whose import was refused.
    public let journal: String

    /// The name that the content is reserved for.
    public let other: String

    /// Creates the error.
    public init(journal: String, other: String) {
        self.journal = journal
        self.other = other
    }

    /// The only code: `contentReserved`.
    public var code: String { "contentReserved" }

    /// The cause and the remedy.
    public var message: String {
        "'\(journal)' has the same content as '\(other)', whose import hasn't finished. Nothing of '\(journal)' was "
            + "imported. To fix, wait until the import of '\(other)' has finished, or resume it; if it has failed, "
            + "import the journal again under the name '\(other)'."
    }
}
