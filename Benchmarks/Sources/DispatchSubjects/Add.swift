// SPDX-License-Identifier: Apache-2.0

public import HeadraceCommands
public import HeadraceResolution
import Measuring

/// A command that costs almost nothing to handle.
public struct Add: CQDCommand {
    let amount: Int

    /// Creates a command.
    public init(amount: Int) {
        self.amount = amount
    }
}

/// Handles the command, without dependencies.
public final class AddHandler: HandlesCommand, Resolvable {
    /// Creates a handler as the dispatcher does.
    @inline(never)
    public init(scope: any DependencyResolutionScope) {}

    /// Creates a handler as a program without a container does.
    @inline(never)
    public init() {}

    /// Reads the amount.
    @inline(never)
    public func handle(_ command: Add) async throws {
        consume(command.amount)
    }
}

/// A command with a result that costs almost nothing to handle.
public struct Increment: CQDCommand {
    /// The next number.
    public typealias Output = Int

    let number: Int

    /// Creates a command.
    public init(number: Int) {
        self.number = number
    }
}

/// Handles the command, without dependencies.
public final class IncrementHandler: HandlesCommand, Resolvable {
    /// Creates a handler as the dispatcher does.
    @inline(never)
    public init(scope: any DependencyResolutionScope) {}

    /// Returns the next number.
    @inline(never)
    public func handle(_ command: Increment) async throws -> Int {
        command.number + 1
    }
}

/// A query that costs almost nothing to handle.
public struct Double: CQDQuery {
    /// Twice the number.
    public typealias Value = Int

    let number: Int

    /// Creates a query.
    public init(number: Int) {
        self.number = number
    }
}

/// Handles the query, without dependencies.
public final class DoubleHandler: HandlesQuery, Resolvable {
    /// Creates a handler as the dispatcher does.
    @inline(never)
    public init(scope: any DependencyResolutionScope) {}

    /// Creates a handler as a program without a container does.
    @inline(never)
    public init() {}

    /// Returns twice the number.
    @inline(never)
    public func handle(_ query: Double) async throws -> Int {
        query.number * 2
    }
}
