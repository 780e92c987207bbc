// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceDomain
import HeadraceResolution
public import HeadraceStorage

/// A task that survives the end of its process: straight-line code whose steps are stored.
///
/// ```swift
/// struct Fulfilment: DurableWorkflow {
///     static let workflowName = "fulfilment"
///     static let receives: [WorkflowEvent<Fulfilment>] = [.event(Packed.self, by: \.order)]
///
///     let order: UUID
///
///     func run(_ flow: WorkflowContext) async throws -> Receipt {
///         let payment = try await flow.dispatch(TakePayment(order: order))
///         do {
///             guard try await flow.next(Packed.self, within: .seconds(3 * 86_400)) != nil else { throw NotPacked() }
///             try await flow.dispatch(Ship(order: order))
///         } catch {
///             try await flow.dispatch(Refund(payment: payment))
///             throw error
///         }
///         return Receipt(payment: payment)
///     }
/// }
/// ```
///
/// The members of the type are the input of an instance. A unit of work starts it:
///
/// ```swift
/// try await context.start(Fulfilment(order: order.id), id: order.id)
/// ```
///
/// Each call of ``WorkflowContext`` is a step. Its result is stored in the journal of the instance, in one transaction with its
/// changes in the same store. While the instance waits, it takes no memory: when it goes on, ``run(_:)`` is executed again from its
/// beginning, and receives the stored results of the steps that were done.
///
/// So ``run(_:)`` must ask for the same steps in the same order each time. It may depend on its input, the results of its steps,
/// ``WorkflowContext/now``, ``WorkflowContext/uuid()``, and ``WorkflowContext/random``, and on nothing else: no date, no database, no
/// other `await`. Effects belong into steps, because all other code runs again and again. Child tasks (`async let`, task groups) may
/// run steps at the same time.
///
/// If the code asks for other steps than the journal has, the instance is blocked until a program with the right code takes it, and
/// nothing is lost; see ``WorkflowContext/changed(_:)``.
public protocol DurableWorkflow: Codable, Sendable {
    /// The result of an instance: `Void` or a `Codable` type.
    associatedtype Output: Sendable = Void

    /// The name under which instances are stored, which must never change, even if the type is renamed.
    ///
    /// From 1 to 200 bytes of UTF-8, without a slash.
    static var workflowName: String { get }

    /// The version of the input's shape, counting from 1; the default is 1.
    static var workflowVersion: Int { get }

    /// The migrations of inputs from earlier versions; none by default.
    ///
    /// There must be one migration for each earlier version that may still be stored, in order, up to ``workflowVersion``.
    static var workflowMigrations: [JSONMigration] { get }

    /// The events that ``WorkflowContext/next(_:within:)`` receives; none by default.
    ///
    /// They are read for each event, so declare them as `static let`.
    static var receives: [WorkflowEvent<Self>] { get }

    /// How many instances may run at a time; `nil`, the default, for any number.
    ///
    /// ```swift
    /// var concurrency: WorkflowConcurrency? { .atMost(1, by: customer) }
    /// ```
    ///
    /// The limit is stored at the start. Instances beyond it wait in the order of their starts, each until one with its key has ended.
    var concurrency: WorkflowConcurrency? { get }

    /// Runs an instance from its beginning, or again after it has waited.
    ///
    /// An error that it throws ends the instance as failed.
    nonisolated(nonsending) func run(_ flow: WorkflowContext) async throws -> Output
}

extension DurableWorkflow {
    /// The default, version 1.
    public static var workflowVersion: Int { 1 }

    /// No migrations.
    public static var workflowMigrations: [JSONMigration] { [] }

    /// No events.
    public static var receives: [WorkflowEvent<Self>] { [] }

    /// No limit.
    public var concurrency: WorkflowConcurrency? { nil }
}

/// A type of event that the instances of a workflow receive.
public struct WorkflowEvent<Workflow: DurableWorkflow>: Sendable {
    let type: any DurableDomainEvent.Type
    let handler: any (HandlesDomainEvent & Resolvable).Type
    let key: @Sendable (any DurableDomainEvent) -> String?

    /// Lets the events of `type` reach the instance whose identifier is `id` of the event.
    ///
    /// An event for an instance that hasn't started, or that has ended, is ignored. A failed instance keeps it for a retry.
    public static func event<Event: DurableDomainEvent>(
        _ type: Event.Type,
        by id: @escaping @Sendable (Event) -> some EntityIdentifier
    ) -> WorkflowEvent {
        WorkflowEvent(type: type, handler: WorkflowEventHandler<Workflow, Event>.self) { event in
            (event as? Event).map { id($0).storageKey }
        }
    }

    private init(
        type: any DurableDomainEvent.Type,
        handler: any (HandlesDomainEvent & Resolvable).Type,
        key: @escaping @Sendable (any DurableDomainEvent) -> String?
    ) {
        self.type = type
        self.handler = handler
        self.key = key
    }
}

/// How often a failing step is repeated, and with which pauses.
public struct StepRetry: Hashable, Sendable {
    /// Number of attempts before the error reaches the code of the workflow, at least 1.
    public let maximumAttempts: Int

    /// The pauses between the attempts.
    public let backoff: Backoff

    /// Creates a policy.
    ///
    /// - Precondition: `maximumAttempts` must be at least 1.
    public init(
        maximumAttempts: Int, backoff: Backoff = Backoff(base: .milliseconds(200), factor: 3, longest: .seconds(7_200))
    ) {
        precondition(maximumAttempts >= 1, "The maximum of attempts is less than 1. To fix, pass 1 or more.")
        self.maximumAttempts = maximumAttempts
        self.backoff = backoff
    }

    /// One attempt: each error reaches the code of the workflow at once.
    public static let never = StepRetry(maximumAttempts: 1)
}

extension DurableWorkflow {
    /// The versions that can be decoded; `nil` if the migrations don't lead, version by version, to ``workflowVersion``.
    static var decodableVersions: ClosedRange<Int>? {
        let versions = workflowMigrations.map(\.version)
        let first = workflowVersion - versions.count
        guard first >= 1, versions == Array(first..<workflowVersion) else { return nil }
        return first...workflowVersion
    }

    /// The key of the input's version in ``HeadraceStorage/LeaseRequest/known``.
    static var stateKey: String { "workflow \(workflowName)" }
}
