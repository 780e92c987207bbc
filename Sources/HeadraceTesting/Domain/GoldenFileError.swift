// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A golden file is missing, can't be decoded, or differs from the current encoding of its type.
public struct GoldenFileError: Error, Sendable, CustomStringConvertible {
    /// The name of the file.
    public let file: String

    /// A description of the error and its fix.
    public let message: String

    /// The message.
    public var description: String { message }

    static func unreadable(_ file: String, version: Int, of lastVersion: Int, _ error: any Error) -> GoldenFileError {
        GoldenFileError(
            file: file,
            message: """
                '\(file)', version \(version) of \(lastVersion), could not be read and decoded: \(error). \
                To fix, add the file, or change the type so that it decodes this version.
                """
        )
    }

    static func changed(_ file: String, version: Int, encoded: Data) -> GoldenFileError {
        GoldenFileError(
            file: file,
            message: """
                '\(file)' differs from the JSON that version \(version) encodes today: \(String(decoding: encoded, as: UTF8.self)). \
                To fix, increase the version of the type, and add a file for the new version.
                """
        )
    }
}
