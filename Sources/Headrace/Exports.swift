// SPDX-License-Identifier: Apache-2.0

// The names that an application needs. Names that only authors of stores and tools need, and modules whose short names other
// packages have too, such as `Service` and `Effect`, are imported by the name of their module.
@_exported public import HeadraceCommandEffects

@_exported public import protocol HeadraceCommands.CQDCommand
@_exported public import protocol HeadraceCommands.CQDNotification
@_exported public import protocol HeadraceCommands.CQDQuery
@_exported public import protocol HeadraceCommands.CQDStreamQuery
@_exported public import protocol HeadraceCommands.CommandQueryDispatcher
@_exported public import struct HeadraceCommands.DispatchError
@_exported public import protocol HeadraceCommands.HandlesCommand
@_exported public import protocol HeadraceCommands.HandlesNotification
@_exported public import protocol HeadraceCommands.HandlesQuery
@_exported public import protocol HeadraceCommands.HandlesStreamQuery
@_exported public import struct HeadraceCommands.PublicationError
@_exported public import struct HeadraceCommands.PublicationPolicy
@_exported public import struct HeadraceCommands.QueryStream
@_exported public import struct HeadraceCore.AuthorizationError
@_exported public import struct HeadraceCore.AuthorizationMiddleware
@_exported public import struct HeadraceCore.AuthorizationPolicy
@_exported public import struct HeadraceCore.Backoff
@_exported public import protocol HeadraceCore.CodedError
@_exported public import struct HeadraceCore.ErrorCode
@_exported public import struct HeadraceCore.LoggingMiddleware
@_exported public import struct HeadraceCore.MessageContext
@_exported public import struct HeadraceCore.MessageError
@_exported public import struct HeadraceCore.MessageMetricsMiddleware
@_exported public import protocol HeadraceCore.MessageObserver
@_exported public import enum HeadraceCore.MessageOutcome
@_exported public import struct HeadraceCore.MessageTracingMiddleware
@_exported public import struct HeadraceCore.MessageValidationError
@_exported public import protocol HeadraceCore.Middleware
@_exported public import struct HeadraceCore.Next
@_exported public import protocol HeadraceCore.Principal
@_exported public import struct HeadraceCore.RetryMiddleware
@_exported public import protocol HeadraceCore.RetryableError
@_exported public import protocol HeadraceCore.SerializedCommand
@_exported public import struct HeadraceCore.SerializingMiddleware
@_exported public import struct HeadraceCore.SystemValues
@_exported public import protocol HeadraceCore.TimeSource
@_exported public import struct HeadraceCore.TimeoutError
@_exported public import struct HeadraceCore.TimeoutMiddleware
@_exported public import protocol HeadraceCore.Validatable
@_exported public import struct HeadraceCore.Validation
@_exported public import struct HeadraceCore.ValidationMiddleware
@_exported public import func HeadraceCore.withRootMessage
@_exported public import struct HeadraceDomain.AppliedEvent
@_exported public import protocol HeadraceDomain.DocumentCodable
@_exported public import struct HeadraceDomain.DocumentDecoder
@_exported public import struct HeadraceDomain.DocumentEncoder
@_exported public import protocol HeadraceDomain.DomainContext
@_exported public import protocol HeadraceDomain.DomainEvent
@_exported public import protocol HeadraceDomain.DomainEventDelegator
@_exported public import protocol HeadraceDomain.DomainEventHandler
@_exported public import class HeadraceDomain.DomainEventHandlerRegistrar
@_exported public import protocol HeadraceDomain.DurableCommand
@_exported public import protocol HeadraceDomain.DurableDomainEvent
@_exported public import protocol HeadraceDomain.DurableDomainEventHandler
@_exported public import struct HeadraceDomain.EntityCondition
@_exported public import class HeadraceDomain.EntityContext
@_exported public import struct HeadraceDomain.EntityIndex
@_exported public import struct HeadraceDomain.EntityOrder
@_exported public import struct HeadraceDomain.EntityPage
@_exported public import struct HeadraceDomain.EventError
@_exported public import protocol HeadraceDomain.EventSourcedEntity
@_exported public import struct HeadraceDomain.EventSourcingError
@_exported public import protocol HeadraceDomain.HandlesDomainEvent
@_exported public import protocol HeadraceDomain.HandlesDurableDomainEvent
@_exported public import protocol HeadraceDomain.HasDomainEvents
@_exported public import protocol HeadraceDomain.IndexValueConvertible
@_exported public import struct HeadraceDomain.LiveQuery
@_exported public import struct HeadraceDomain.PageCursor
@_exported public import struct HeadraceDomain.RaisedEvents
@_exported public import protocol HeadraceDomain.StoredEntity
@_exported public import struct HeadraceDomain.UnitOfWork
@_exported public import struct HeadraceDomain.UnitOfWorkError
@_exported public import struct HeadraceDomain.UnitOfWorkMiddleware
@_exported public import func HeadraceDomain.raiseEvent
@_exported public import struct HeadraceProcesses.CronExpression
@_exported public import protocol HeadraceProcesses.DurableProcess
@_exported public import struct HeadraceProcesses.ProcessContext
@_exported public import struct HeadraceProcesses.ProcessError
@_exported public import struct HeadraceProcesses.ProcessReaction
@_exported public import struct HeadraceProcesses.Recurrence
@_exported public import struct HeadraceProcesses.RecurrenceError
@_exported public import struct HeadraceProcesses.RecurringSchedule
@_exported public import struct HeadraceProcesses.ScheduleError
@_exported public import struct HeadraceProcesses.ScheduledCommand
@_exported public import class HeadraceProcesses.StoredProcess
@_exported public import class HeadraceProcesses.StoredSchedule
@_exported public import struct HeadraceProjections.Projection
@_exported public import struct HeadraceProjections.ProjectionError
@_exported public import struct HeadraceProjections.ProjectionReader
@_exported public import protocol HeadraceProjections.ProjectionRow
@_exported public import class HeadraceProjections.ProjectionRows
@_exported public import class HeadraceProjections.Projections
@_exported public import struct HeadraceProjections.RowIndex
@_exported public import struct HeadraceRelay.DeadLetters
@_exported public import struct HeadraceRelay.DeliveryContext
@_exported public import struct HeadraceRelay.IdempotencyError
@_exported public import struct HeadraceRelay.IdempotencyMiddleware
@_exported public import protocol HeadraceRelay.IdempotentMessage
@_exported public import class HeadraceRelay.Relay
@_exported public import struct HeadraceRelay.RelayError
@_exported public import protocol HeadraceRelay.RelayObserver
@_exported public import struct HeadraceResilience.BulkheadError
@_exported public import struct HeadraceResilience.BulkheadMiddleware
@_exported public import struct HeadraceResilience.CircuitBreakerError
@_exported public import struct HeadraceResilience.CircuitBreakerMiddleware
@_exported public import struct HeadraceResilience.RateLimitError
@_exported public import struct HeadraceResilience.RateLimitMiddleware
@_exported public import struct HeadraceResolution.BootstrapError
@_exported public import struct HeadraceResolution.CompositionError
@_exported public import struct HeadraceResolution.CompositionProblem
@_exported public import class HeadraceResolution.Container
@_exported public import class HeadraceResolution.ContainerBuilder
@_exported public import struct HeadraceResolution.Dependencies
@_exported public import protocol HeadraceResolution.DependencyName
@_exported public import protocol HeadraceResolution.DependencyRegistry
@_exported public import protocol HeadraceResolution.DependencyResolutionScope
@_exported public import protocol HeadraceResolution.DependencyResolver
@_exported public import struct HeadraceResolution.Factory
@_exported public import struct HeadraceResolution.Inject
@_exported public import struct HeadraceResolution.Named
@_exported public import struct HeadraceResolution.ResolutionError
@_exported public import protocol HeadraceResolution.Resolvable
@_exported public import class HeadraceResolution.ServiceLocator
@_exported public import func HeadraceResolution.assigned
@_exported public import func HeadraceResolution.closure
@_exported public import struct HeadraceStorage.DeadLetter
@_exported public import protocol HeadraceStorage.DeliveryStore
@_exported public import struct HeadraceStorage.Durability
@_exported public import struct HeadraceStorage.EntityReference
@_exported public import protocol HeadraceStorage.EntityStore
@_exported public import class HeadraceStorage.InMemoryStore
@_exported public import struct HeadraceStorage.JSONMigration
@_exported public import enum HeadraceStorage.JSONValue
@_exported public import protocol HeadraceStorage.ObservableStore
@_exported public import struct HeadraceStorage.StoreError

#if Macros
@_exported public import HeadraceMacros
#endif

#if Postgres
@_exported public import struct HeadracePostgres.PostgresStatementError
@_exported public import class HeadracePostgres.PostgresStore
#endif

#if SQLite
@_exported public import HeadraceSQLite
#endif
