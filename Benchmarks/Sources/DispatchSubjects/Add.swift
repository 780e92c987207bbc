//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCommands
public import HeadraceResolution
import Measuring

/// A command that costs next to nothing to carry out.
public struct Add: CQDCommand {
    let amount: Int

    /// Creates a command.
    public init(amount: Int) {
        self.amount = amount
    }
}

/// Carries out the command; depends on nothing.
public final class AddHandler: HandlesCommand, Resolvable {
    /// Creates a handler as the dispatcher does.
    @inline(never)
    public init(scope: any DependencyResolutionScope) {}

    /// Creates a handler as a program without a container does.
    @inline(never)
    public init() {}

    /// Takes the amount.
    @inline(never)
    public func handle(_ command: Add) async throws {
        consume(command.amount)
    }
}

/// A query that costs next to nothing to answer.
public struct Double: CQDQuery {
    /// Twice the number.
    public typealias Value = Int

    let number: Int

    /// Creates a query.
    public init(number: Int) {
        self.number = number
    }
}

/// Answers the query; depends on nothing.
public final class DoubleHandler: HandlesQuery, Resolvable {
    /// Creates a handler as the dispatcher does.
    @inline(never)
    public init(scope: any DependencyResolutionScope) {}

    /// Creates a handler as a program without a container does.
    @inline(never)
    public init() {}

    /// Gives twice the number.
    @inline(never)
    public func handle(_ query: Double) async throws -> Int {
        query.number * 2
    }
}
