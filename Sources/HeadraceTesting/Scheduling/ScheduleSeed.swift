// SPDX-License-Identifier: Apache-2.0

/// The seed for the schedules of test stations that are created in this task; `nil` schedules jobs in FIFO order.
enum ScheduleSeed {
    @TaskLocal static var current: UInt64?
}
