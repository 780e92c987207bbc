// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// An error that is thrown if a ledger is copied while an import isn't finished, because its journal isn't in the file.
public struct UnfinishedImport: CodedError {
    /// The name of the journal.
    public let name: String

    /// The path of the ledger.
    public let path: String

    /// The only code.
    public var code: String { "unfinishedImport" }

    /// The cause and the remedy.
    public var message: String {
        """
        The import of '\(name)' into '\(path)' isn't finished, so nothing was copied. To fix, run 'ledger serve' on the file, \
        resume the import if it is paused, wait for its end, and copy the ledger then.
        """
    }
}
