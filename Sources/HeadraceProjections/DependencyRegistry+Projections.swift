// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
import HeadraceDomain
public import HeadraceResolution
public import HeadraceStorage

extension DependencyRegistry {
    /// Registers ``HeadraceProjections/Projections`` on `store` as a singleton, which the program must run.
    ///
    /// ```swift
    /// builder.domain(store: store)
    /// builder.projections(customerTotals, on: store)
    /// ```
    ///
    /// `validate()` reports mistakes in the declarations.
    ///
    /// - Parameters:
    ///   - projections: The projections, each with a unique name.
    ///   - store: The store of the domain, which must have been opened with ``HeadraceProjections/Projections/entities``.
    ///   - configuration: The configuration.
    ///   - clock: The clock that is used to wait.
    ///   - wallClock: Returns the time that is stored with leases, as for `Projections`.
    public func projections<each Row: ProjectionRow>(
        _ projections: repeat Projection<each Row>,
        on store: any DeliveryStore,
        configuration: Projections.Configuration = Projections.Configuration(),
        clock: any TimeSource = CurrentClock(),
        wallClock: (@Sendable () -> Date)? = nil
    ) {
        let definitions = ProjectionDefinition.all(repeat each projections)
        var registration = Registration(
            singleton: Projections.self,
            dependencies: Dependencies().on((any DomainEventDelegator).self)
        ) { scope in
            Projections(
                definitions,
                on: store,
                delegator: scope.resolve((any DomainEventDelegator).self),
                configuration: configuration,
                clock: clock,
                wallClock: wallClock
            )
        }
        registration.notes = [ProjectionDeclaration(definitions: definitions, schema: store.schema)]
        register(registration)
    }
}

/// The declaration of projections, for the validation of the graph.
private struct ProjectionDeclaration: EventConsumerNote {
    let definitions: [ProjectionDefinition]
    let schema: EntitySchema

    var consumedEvents: [any DomainEvent.Type] { definitions.flatMap(\.eventTypes) }

    /// Returns each mistake in the declarations.
    static func problems(in notes: [ProjectionDeclaration]) -> [CompositionProblem] {
        notes.flatMap { note in
            ProjectionDefinition.mistakes(in: note.definitions, schema: note.schema).map { mistake in
                CompositionProblem(.invalidProjection, path: [Projections.self], message: mistake)
            }
        }
    }
}

extension CompositionProblem.Kind {
    /// Projections contradict one another, or the store can't keep them.
    public static let invalidProjection = CompositionProblem.Kind("invalidProjection")
}

extension ProjectionDefinition {
    static func all<each Row: ProjectionRow>(_ projections: repeat Projection<each Row>) -> [ProjectionDefinition] {
        var definitions: [ProjectionDefinition] = []
        repeat definitions.append(ProjectionDefinition(each projections))
        return definitions
    }
}
