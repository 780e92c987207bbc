// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Testing

/// One of seven uses of the forms of registration, with one of the three lifetimes.
struct RegistrationForm: Sendable, CustomTestStringConvertible {
    /// The lifetime of the registration.
    let lifetime: Lifetime

    /// Whether the mailer resolves its settings from its scope.
    let usesScope: Bool

    let testDescription: String

    private let registration: @Sendable (ContainerBuilder) -> Void
    private let resolution: @Sendable (any DependencyResolver) -> any Mailer

    /// Registers a mailer with this form.
    func register(in builder: ContainerBuilder) {
        registration(builder)
    }

    /// Resolves the mailer that the form registered.
    func mailer(from resolver: any DependencyResolver) -> any Mailer {
        resolution(resolver)
    }

    private init<Contract>(
        _ lifetime: Lifetime,
        _ name: String,
        gives contract: Contract.Type,
        as mailer: @escaping @Sendable (Contract) -> any Mailer,
        usesScope: Bool = true,
        _ registration: @escaping @Sendable (ContainerBuilder) -> Void
    ) {
        self.lifetime = lifetime
        self.usesScope = usesScope
        self.registration = registration
        testDescription = "\(lifetime): \(name)"
        resolution = { mailer($0.resolve()) }
    }

    private static func contract(
        _ lifetime: Lifetime,
        _ name: String,
        usesScope: Bool = true,
        _ registration: @escaping @Sendable (ContainerBuilder) -> Void
    ) -> RegistrationForm {
        RegistrationForm(
            lifetime,
            name,
            gives: (any Mailer).self,
            as: { $0 },
            usesScope: usesScope,
            registration
        )
    }

    private static func implementation<Implementation: Mailer>(
        _ lifetime: Lifetime,
        _ name: String,
        _ implementation: Implementation.Type,
        usesScope: Bool = true,
        _ registration: @escaping @Sendable (ContainerBuilder) -> Void
    ) -> RegistrationForm {
        RegistrationForm(
            lifetime,
            name,
            gives: implementation,
            as: { $0 },
            usesScope: usesScope,
            registration
        )
    }

    /// All seven uses with all three lifetimes.
    static let all = transient + scoped + singleton

    private static let transient: [RegistrationForm] = [
        implementation(.transient, "closure", SmtpMailer.self, usesScope: false) { builder in
            builder.transient { SmtpMailer() }
        },
        implementation(.transient, "closure with scope", SmtpMailer.self) { builder in
            builder.transient { SmtpMailer(settings: $0.resolve()) }
        },
        contract(.transient, "contract and closure", usesScope: false) { builder in
            builder.transient((any Mailer).self) { SmtpMailer() }
        },
        contract(.transient, "contract and closure with scope") { builder in
            builder.transient((any Mailer).self) { SmtpMailer(settings: $0.resolve()) }
        },
        contract(.transient, "contract assigned to a registered type") { builder in
            builder.transient { SmtpMailer(settings: $0.resolve()) }
            builder.transient((any Mailer).self, assigned(SmtpMailer.self))
        },
        implementation(.transient, "resolvable type", ResolvableMailer.self) { builder in
            builder.transient(ResolvableMailer.self)
        },
        contract(.transient, "contract assigned to a resolvable type") { builder in
            builder.transient((any Mailer).self, assigned(ResolvableMailer.self))
        },
    ]

    private static let scoped: [RegistrationForm] = [
        implementation(.scoped, "closure", SmtpMailer.self, usesScope: false) { builder in
            builder.scoped { SmtpMailer() }
        },
        implementation(.scoped, "closure with scope", SmtpMailer.self) { builder in
            builder.scoped { SmtpMailer(settings: $0.resolve()) }
        },
        contract(.scoped, "contract and closure", usesScope: false) { builder in
            builder.scoped((any Mailer).self) { SmtpMailer() }
        },
        contract(.scoped, "contract and closure with scope") { builder in
            builder.scoped((any Mailer).self) { SmtpMailer(settings: $0.resolve()) }
        },
        contract(.scoped, "contract assigned to a registered type") { builder in
            builder.transient { SmtpMailer(settings: $0.resolve()) }
            builder.scoped((any Mailer).self, assigned(SmtpMailer.self))
        },
        implementation(.scoped, "resolvable type", ResolvableMailer.self) { builder in
            builder.scoped(ResolvableMailer.self)
        },
        contract(.scoped, "contract assigned to a resolvable type") { builder in
            builder.scoped((any Mailer).self, assigned(ResolvableMailer.self))
        },
    ]

    private static let singleton: [RegistrationForm] = [
        implementation(.singleton, "closure", SmtpMailer.self, usesScope: false) { builder in
            builder.singleton { SmtpMailer() }
        },
        implementation(.singleton, "closure with scope", SmtpMailer.self) { builder in
            builder.singleton { SmtpMailer(settings: $0.resolve()) }
        },
        contract(.singleton, "contract and closure", usesScope: false) { builder in
            builder.singleton((any Mailer).self) { SmtpMailer() }
        },
        contract(.singleton, "contract and closure with scope") { builder in
            builder.singleton((any Mailer).self) { SmtpMailer(settings: $0.resolve()) }
        },
        contract(.singleton, "contract assigned to a registered type") { builder in
            builder.transient { SmtpMailer(settings: $0.resolve()) }
            builder.singleton((any Mailer).self, assigned(SmtpMailer.self))
        },
        implementation(.singleton, "resolvable type", ResolvableMailer.self) { builder in
            builder.singleton(ResolvableMailer.self)
        },
        contract(.singleton, "contract assigned to a resolvable type") { builder in
            builder.singleton((any Mailer).self, assigned(ResolvableMailer.self))
        },
    ]
}
