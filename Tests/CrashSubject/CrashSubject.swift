//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import HeadraceSQLite

/// Works on a store until something happens to it, without warning, at a fault point.
///
///     CrashSubject write PATH SEED POINT PASSES
///     CrashSubject relay PATH DEPOSITS POINT PASSES SIGNAL
///     CrashSubject poison PATH
///     CrashSubject crowd PATH
///     CrashSubject open NAME
///
/// - `write` stores entries from many tasks, and prints the identifier of each whose commit has returned, and nothing of
///   any other.
/// - `relay` makes deposits, `DEPOSITS` in each of eight streams, and delivers their events, with those that it has found,
///   until none is left. It prints what its handlers do.
/// - `poison` delivers to a handler that kills the process at one of the events of a stream.
/// - `crowd` delivers to a handler that kills the process at the event of one of 60 streams.
/// - `open` opens each file that its standard input names, stores the entity `NAME` in it, and closes it. It prints
///   `opened`, or the error.
///
/// At the given pass of the fault point it sends itself the signal: 9 ends it, 19 stops it until somebody continues it.
/// Where there are not as many passes, it ends by itself and prints `done`.
@main
enum CrashSubject {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("write", 5):
            let faults = try Faults(point: arguments[3], passes: arguments[4])
            try await Writing.run(path: arguments[1], seed: arguments[2], faults: faults)
        case ("relay", 6):
            let faults = try Faults(point: arguments[3], passes: arguments[4], signal: arguments[5])
            try await Relaying.run(path: arguments[1], deposits: Int(arguments[2]) ?? 0, faults: faults)
        case ("poison", 2):
            try await Poison.run(path: arguments[1])
        case ("crowd", 2):
            try await Poison.runCrowd(path: arguments[1])
        case ("open", 2):
            try await Opening.run(name: arguments[1])
        default:
            throw UnknownArguments(arguments: arguments)
        }
        say("done")
    }

    /// Writes the line at once and whole: what is in a buffer dies with the process.
    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

struct UnknownArguments: Error {
    let arguments: [String]
}
#else
/// Without a store that outlives it there is nothing that a crash could harm.
@main
enum CrashSubject {
    static func main() {}
}
#endif
