// SPDX-License-Identifier: Apache-2.0

#if SQLite
import HeadraceTesting

/// Works on a store until a fault point ends or stops the process without warning.
///
///     CrashSubject write PATH SEED
///     CrashSubject relay PATH DEPOSITS
///     CrashSubject send PATH SALES
///     CrashSubject process PATH JOBS
///     CrashSubject project PATH EVENTS
///     CrashSubject tick PATH HOURS
///     CrashSubject count PATH STEPS
///     CrashSubject raise PATH ROWS
///     CrashSubject work PATH INSTANCES
///     CrashSubject keep PATH COMMANDS
///     CrashSubject poison PATH
///     CrashSubject crowd PATH
///     CrashSubject open NAME
///
/// `relay`, `send`, `process`, `project`, `tick`, `count`, and `work` also accept the URL of a PostgreSQL database as PATH.
///
/// - `write` stores entries from many tasks. It prints the ID of each entry with a commit that has returned, and
///   nothing else.
/// - `relay` makes `DEPOSITS` deposits in each of eight streams, and delivers their events and all pending events until
///   none is left. It prints the calls of its handlers.
/// - `send` makes `SALES` sales in each of eight shops. Each sale sends a durable command, whose result becomes an event. It
///   handles these and all pending commands until none is left.
/// - `process` begins `JOBS` jobs in each of eight shops. Each job is a process that sends a command, and ends after an event or
///   after a time-out. It handles these and all pending deliveries until none is left.
/// - `tick` runs an hourly schedule, with a clock that is `HOURS` and one hour ahead of the last process, until all times up to
///   then have fired and their commands are handled.
/// - `count` makes `STEPS` steps of each of four event-sourced counters in each of two tasks. Then it checks the streams.
/// - `raise` inserts `ROWS` rows of the program in each of four tasks, raises an event in the transaction of each row, and rolls
///   every fifth transaction back. It prints the number of each row that was committed, and delivers until nothing is left.
/// - `work` starts `INSTANCES` workflows of six steps, and prints the calls of their steps. It runs these and all earlier ones until
///   none is left, and prints which have ended as they should.
/// - `keep` keeps `COMMANDS` commands of each of eight order keys in the outbox of a device, and prints them. It sends these and all
///   earlier ones to a server in the same process, with a store of its own at `PATH-server`, until none is left.
/// - `poison` delivers to a handler that kills the process at one of the events of a stream.
/// - `crowd` delivers to a handler that kills the process at the event of one of 60 streams.
/// - `open` opens each file that its standard input names, stores the entity `NAME` in it, and closes it. It prints
///   `opened`, or the error.
///
/// `CrashFaults` ends or stops the process at the fault point that a test has chosen. If there are fewer passes of the point, the
/// process ends normally and prints `done`.
@main
enum CrashSubject {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let number = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0
        switch (arguments.first, arguments.count) {
        case ("write", 3): try await Writing.run(path: arguments[1], seed: arguments[2])
        case ("relay", 3): try await Relaying.run(path: arguments[1], deposits: number)
        case ("send", 3): try await Sending.run(path: arguments[1], sales: number)
        case ("process", 3): try await Processing.run(path: arguments[1], jobs: number)
        case ("tick", 3): try await Ticking.run(path: arguments[1], hours: number)
        case ("project", 3): try await Projecting.run(path: arguments[1], count: number)
        case ("count", 3): try await Counting.run(path: arguments[1], steps: number)
        case ("raise", 3): try await Raising.run(path: arguments[1], rows: number)
        case ("work", 3): try await Working.run(path: arguments[1], count: number)
        #if Client
        case ("keep", 3): try await Keeping.run(path: arguments[1], count: number)
        #endif
        case ("poison", 2): try await Poison.run(path: arguments[1])
        case ("crowd", 2): try await Poison.runCrowd(path: arguments[1])
        case ("open", 2): try await Opening.run(name: arguments[1])
        default: throw UnknownArguments(arguments: arguments)
        }
        say("done")
    }

    /// Writes a complete line without a buffer, because a buffer is lost when the process is killed.
    static func say(_ line: String) {
        CrashFaults.acknowledge(line)
    }
}

struct UnknownArguments: Error {
    let arguments: [String]
}
#else
/// Without the trait SQLite there is no store that could survive a crash, so this program does nothing.
@main
enum CrashSubject {
    static func main() {}
}
#endif
