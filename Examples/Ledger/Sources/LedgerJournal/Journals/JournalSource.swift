// SPDX-License-Identifier: Apache-2.0

/// A file that a journal includes.
public struct JournalSource: Sendable {
    /// The name of the file, for errors and for its own includes.
    public let name: String

    /// The content.
    public let bytes: [UInt8]

    /// Creates a source.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// Returns the files that a pattern after `include` stands for.
    ///
    /// The second argument is the name of the file with the directive. An error of the function should tell the cause
    /// and the remedy. It becomes a ``JournalError`` with the line.
    public typealias Loader = @Sendable (_ pattern: String, _ file: String) throws -> [JournalSource]
}
