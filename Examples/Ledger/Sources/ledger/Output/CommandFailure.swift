// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Headrace
import LedgerApplication
import LedgerBooks

/// An error message for the user.
///
/// The program ends with the exit code 1.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = Report.printable(description)
    }

    /// Creates the message for a file that can't be read.
    init(reading path: String, _ error: any Error) {
        let isFolder = try? URL(filePath: path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory
        let number = Self.number(of: error)
        let (reason, remedy) =
            switch number {
            case _ where isFolder == true:
                ("it is a folder", "use a file in it")
            case ENOENT:
                ("there is no such file", "check the name and the folder")
            case ENOTDIR:
                ("a part of the path isn't a folder", "check the name and the folder")
            case EACCES, EPERM:
                (
                    "this user may not read it",
                    "give this user the permission to read the file and to enter its folder, or run the program as its "
                        + "owner"
                )
            case ENAMETOOLONG:
                ("its name is too long", "check the name")
            default:
                ("the system reports the error \(number)", "check the disk and the file")
            }
        self.init("'\(path)' can't be read: \(reason). To fix, \(remedy).")
    }

    /// Runs `operation` and converts its error to a message for the user.
    static func telling<Value>(_ operation: () throws -> Value) throws -> Value {
        do {
            return try operation()
        } catch {
            throw CommandFailure(message(of: error))
        }
    }

    /// The asynchronous variant of ``telling(_:)``.
    static func telling<Value>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            return try await operation()
        } catch {
            throw CommandFailure(message(of: error))
        }
    }

    /// The cause and the remedy, without the code.
    static func message(of error: any Error) -> String {
        switch error {
        case let error as PostingRefusal:
            return error.message
        case let error as QuantityError:
            return error.message
        case let error as ChangedJournal:
            return error.message(replacing: "'--replace'", keeping: "'--keep'")
        case let error as any CodedError:
            return error.message
        case is CancellationError:
            return "The command was interrupted."
        case is CocoaError:
            return "The system reports the error \(number(of: error)). To fix, check the disk and the files on it."
        default:
            return "\(error)"
        }
    }

    /// The error number of the system that caused `error`.
    private static func number(of error: any Error) -> Int32 {
        var error = error
        while let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error { error = cause }
        return Int32(truncatingIfNeeded: (error as NSError).code)
    }
}
