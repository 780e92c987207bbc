// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceCore
package import HeadraceDomain
import HeadraceStorage

/// One entry in the journal of an instance: a step that was done, or the instance's cancellation.
package struct WorkflowRecord: DocumentCodable, Hashable, Sendable {
    /// The kind of a step.
    package enum Kind: String, DocumentCodable, Sendable {
        /// A command, which takes effect in the transaction of its record.
        case command

        /// A closure, which can run more than once.
        case step

        /// A closure whose changes are stored in the transaction of its record.
        case transaction

        /// A pause.
        case sleep

        /// The wait for an event.
        case event

        /// The start of another instance.
        case workflow

        /// The cancellation of the instance, which is no step.
        case cancellation
    }

    /// The number of the step in the order in which the code has asked, counting from 1; 0 for a cancellation.
    package let step: Int

    package let kind: Kind

    /// The name of the command, of the closure, or of the event.
    package let name: String

    /// The input as JSON, for people.
    package var input: String?

    /// The result as JSON; empty for a pause, and for an event that didn't come in time.
    package var result = ""

    /// The version of an event's shape.
    package var version = 1

    /// The error of the last attempt; `nil` if the step has a result.
    package var failure: WorkflowStepError?

    /// Number of attempts.
    package var attempts = 1

    /// The time at which the step was done.
    package let date: Date

    /// The step in words, such as "the command 'take-payment'".
    package var title: String { Self.title(kind, name) }

    /// Whether the record and a step with this kind and name have the same title.
    func isLike(_ kind: Kind, _ name: String) -> Bool {
        self.kind == kind && (self.name == name || kind == .sleep)
    }

    package static func title(_ kind: Kind, _ name: String) -> String {
        switch kind {
        case .command: "the command '\(name)'"
        case .step: "the step '\(name)'"
        case .transaction: "the transaction '\(name)'"
        case .sleep: "a pause"
        case .event:
            if let instance = WorkflowEnd.instance(in: name) {
                "the end of the workflow '\(instance)'"
            } else {
                "the wait for '\(name)'"
            }
        case .workflow: "the start of the workflow '\(name)'"
        case .cancellation: "a cancellation"
        }
    }
}

extension WorkflowRecord {
    package init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        attempts = try decoder.decode(Int.self, forKey: "attempts")
        date = try decoder.decode(Date.self, forKey: "date")
        failure = try decoder.decode(WorkflowStepError?.self, forKey: "failure")
        input = try decoder.decode(String?.self, forKey: "input")
        kind = try decoder.decode(Kind.self, forKey: "kind")
        name = try decoder.decode(String.self, forKey: "name")
        result = try decoder.decode(String.self, forKey: "result")
        step = try decoder.decode(Int.self, forKey: "step")
        version = try decoder.decode(Int.self, forKey: "version")
        try decoder.endObject()
    }

    package func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(attempts, forKey: "attempts")
        try encoder.encode(date, forKey: "date")
        try encoder.encode(failure, forKey: "failure")
        try encoder.encode(input, forKey: "input")
        try encoder.encode(kind, forKey: "kind")
        try encoder.encode(name, forKey: "name")
        try encoder.encode(result, forKey: "result")
        try encoder.encode(step, forKey: "step")
        try encoder.encode(version, forKey: "version")
        encoder.endObject()
    }
}

extension WorkflowRecord.Kind {
    package init(from decoder: inout DocumentDecoder) throws { self = try decoder.decode(rawValueOf: Self.self) }

    package func encode(to encoder: inout DocumentEncoder) throws { try rawValue.encode(to: &encoder) }
}

extension Date {
    /// This time in whole milliseconds, rounded down, which are short to write and to read.
    var inMilliseconds: Date {
        Date(timeIntervalSinceReferenceDate: (timeIntervalSinceReferenceDate * 1_000).rounded(.down) / 1_000)
    }
}

/// The error of a step, as the code of a workflow catches it.
///
/// It is stored, so that each replay throws the same error. The error of the step itself exists only in the process that ran it.
///
/// ```swift
/// do {
///     try await flow.dispatch(TakePayment(order: order), retry: .never)
/// } catch let error as WorkflowStepError where error.decode(as: CardDeclined.self) != nil {
///     return .declined
/// }
/// ```
public struct WorkflowStepError: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The number of the step, counting from 1; 0 if the error comes from the code of the workflow.
    public let step: Int

    /// The name of the error's type.
    public let type: String

    /// The error in words.
    public let message: String

    /// The error as JSON, if it is `Codable`.
    let json: String?

    /// The ``message``.
    public var description: String { message }

    /// Returns the error of the step, or `nil` if it isn't a `Value`, or doesn't decode.
    public func decode<Value: Error & Decodable>(as type: Value.Type) -> Value? {
        guard self.type == String(naming: type), let json else { return nil }
        return try? DocumentCoding.decode(type, from: Data(json.utf8))
    }
}

extension WorkflowStepError {
    /// Returns the same error, as an error of the step with the number `step`.
    func asError(ofStep step: Int) -> WorkflowStepError {
        WorkflowStepError(step: step, type: type, message: message, json: json)
    }

    /// Creates the stored form of `error`.
    init(_ error: any Error, step: Int) {
        if let error = error as? WorkflowStepError {
            self = error
            return
        }
        let json = (error as? any Encodable).flatMap { try? DocumentCoding.encode($0) }
        self.init(
            step: step,
            type: String(naming: Swift.type(of: error)),
            message: "\(error)",
            json: json.map { String(decoding: $0, as: UTF8.self) }
        )
    }
}
