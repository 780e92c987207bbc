// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import Foundation
import HeadraceDomain
import HeadraceProcesses
import HeadraceResolution

/// Lists, pauses, resumes, and removes recurring schedules.
struct ScheduleCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedules",
        abstract: "Lists, pauses, resumes, or removes recurring schedules.",
        subcommands: [List.self, Pause.self, Resume.self, Remove.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists all schedules by name (the default).")

        @OptionGroup var store: StoreOption

        func run() async throws {
            try await store.run(with: .schedules) { open in
                ScheduleList(schedules: try await Schedules(in: open).all().map(ScheduleList.Schedule.init))
            }
        }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Stops a schedule from firing, until 'resume'.")

        @Argument(help: "The name of the schedule.") var name: String
        @OptionGroup var change: ChangeOption

        func run() async throws {
            try await change.run(with: .schedules) { open, recorder in
                try await recorder.record("pause schedule", of: [name])
                try await Schedules(in: open).pause(name)
                return ChangeReport(1, "schedule", "schedules", "paused")
            }
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets a schedule fire again, also if its message has become a dead letter."
        )

        @Argument(help: "The name of the schedule.") var name: String
        @OptionGroup var change: ChangeOption

        func run() async throws {
            try await change.run(with: .schedules) { open, recorder in
                try await recorder.record("resume schedule", of: [name])
                try await Schedules(in: open).resume(name)
                return ChangeReport(1, "schedule", "schedules", "resumed")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a schedule that no program declares any more."
        )

        @Argument(help: "The name of the schedule.") var name: String
        @OptionGroup var change: ChangeOption

        func run() async throws {
            try await change.run(with: .schedules) { open, recorder in
                try await recorder.record("remove schedule", of: [name])
                try await Schedules(in: open).remove(name)
                return ChangeReport(1, "schedule", "schedules", "removed")
            }
        }
    }
}

extension Schedules {
    fileprivate init(in open: OpenStore) {
        self.init(on: open.store, delegator: DomainEventHandlerRegistrar(resolver: ContainerBuilder().build()))
    }
}

/// The recurring schedules of a store.
struct ScheduleList: Report {
    struct Schedule: Encodable {
        let name: String
        let isPaused: Bool
        let nextDue: Date?
        let lastDue: Date?
        let firingCount: Int

        init(_ status: ScheduleStatus) {
            name = status.name
            isPaused = status.isPaused
            nextDue = status.nextDue
            lastDue = status.lastDue
            firingCount = status.firingCount
        }
    }

    let schedules: [Schedule]

    var lines: [String] {
        if schedules.isEmpty { return ["There are no schedules."] }
        return schedules.map { each in
            let next = each.isPaused ? "paused" : each.nextDue.map { "next at \($0.text)" } ?? "no further time"
            let last = each.lastDue.map { "last at \($0.text)" } ?? "never fired"
            let count = each.firingCount == 1 ? "fired once" : "fired \(each.firingCount) times"
            return "\(each.name): \(next), \(last), \(count)"
        }
    }
}
#endif
