// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HeadraceResolution
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A mistake in the composition stops the program with the whole path and the line to add.
@Suite struct ResolutionFailureTests {
    @Test func aMissingTypeIsNamedWithTheLineToAdd() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = container { _ in }.resolve(Alpha.self)
        }

        #expect(
            result.wroteToStandardError(
                """
                Nothing is registered for 'HeadraceResolutionTests.Alpha'. To fix, add \
                'builder.transient(HeadraceResolutionTests.Alpha.self) { … }', '.scoped' or '.singleton' before \
                'build()', or use 'tryResolve()' if it may be missing.
                """
            )
        )
    }

    @Test func aMissingProtocolIsSpelledAsInSourceText() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = container { _ in }.scope().resolve((any Mailer).self)
        }

        #expect(result.wroteToStandardError("'builder.transient((any HeadraceResolutionTests.Mailer).self) { … }'"))
    }

    @Test func aMissingSetIsReportedWithTheLineThatAddsToIt() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = container { _ in }.resolve([any Rule].self)
        }

        #expect(
            result.wroteToStandardError(
                "'builder.members.transient((any HeadraceResolutionTests.Rule).self) { … }'"))
    }

    @Test func theMemberOfASetThatNeedsAMissingTypeIsNamed() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let contracts = container { builder in
                builder.members.singleton((any Rule).self) { NamedRule(name: "one") }
                builder.members.singleton((any Rule).self) { scope in
                    _ = scope.resolve(Alpha.self)
                    return NamedRule(name: "two")
                }
                builder.members.scoped((any Rule).self, assigned(AuditedRule.self))
            }
            _ = contracts.resolve([any Rule].self)
        }

        #expect(
            result.wroteToStandardError(
                """
                Nothing is registered for 'HeadraceResolutionTests.Alpha', needed by HeadraceResolutionTests.Rule \
                (number 2 of its set). To fix
                """
            )
        )
    }

    @Test func theWholePathToAMissingTypeIsNamed() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let contracts = container { builder in
                builder.transient { Alpha(needs: $0.resolve(Beta.self)) }
                builder.scoped { Beta(needs: $0.resolve(Gamma.self)) }
                builder.singleton { Gamma(needs: $0.resolve((any Mailer).self)) }
            }
            _ = contracts.scope().resolve(Alpha.self)
        }

        #expect(
            result.wroteToStandardError(
                """
                Nothing is registered for 'HeadraceResolutionTests.Mailer', needed by HeadraceResolutionTests.Alpha → \
                HeadraceResolutionTests.Beta → HeadraceResolutionTests.Gamma. To fix, add
                """
            )
        )
    }

    @Test func thePathHasOnlyTheObjectsBeingCreated() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let contracts = container { builder in
                builder.singleton { Gamma(needs: 0) }
                builder.transient { Beta(needs: $0.resolve(Gamma.self)) }
                builder.transient { scope in
                    _ = scope.resolve(Beta.self)
                    return Alpha(needs: scope.resolve((any Mailer).self))
                }
            }
            _ = contracts.resolve(Beta.self)
            _ = contracts.resolve(Alpha.self)
        }

        #expect(result.wroteToStandardError("needed by HeadraceResolutionTests.Alpha. To fix"))
    }

    @Test(arguments: [Lifetime.transient, .scoped, .singleton])
    func aCycleIsNamedWithTheWholePath(lifetime: Lifetime) async {
        // An exit test can't capture values, so each of the three lifetimes has its own process.
        let result =
            switch lifetime {
            case .transient:
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let contracts = container { builder in
                        builder.transient { Alpha(needs: $0.resolve(Beta.self)) }
                        builder.transient { Beta(needs: $0.resolve(Gamma.self)) }
                        builder.transient { Gamma(needs: $0.resolve(Alpha.self)) }
                    }
                    _ = contracts.resolve(Alpha.self)
                }
            case .scoped:
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let contracts = container { builder in
                        builder.scoped { Alpha(needs: $0.resolve(Beta.self)) }
                        builder.scoped { Beta(needs: $0.resolve(Gamma.self)) }
                        builder.scoped { Gamma(needs: $0.resolve(Alpha.self)) }
                    }
                    _ = contracts.scope().resolve(Alpha.self)
                }
            default:
                await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    let contracts = container { builder in
                        builder.singleton { Alpha(needs: $0.resolve(Beta.self)) }
                        builder.singleton { Beta(needs: $0.resolve(Gamma.self)) }
                        builder.singleton { Gamma(needs: $0.resolve(Alpha.self)) }
                    }
                    _ = contracts.scope().resolve(Alpha.self)
                }
            }

        #expect(
            result.wroteToStandardError(
                """
                'HeadraceResolutionTests.Alpha' depends on itself: HeadraceResolutionTests.Alpha → \
                HeadraceResolutionTests.Beta → HeadraceResolutionTests.Gamma → HeadraceResolutionTests.Alpha. \
                To fix, let one of them resolve its dependency later, by a closure or from the scope at the time of use.
                """
            )
        )
    }

    @Test func aCycleIsNamedWithoutThePathThatLeadsToIt() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let contracts = container { builder in
                builder.transient { Alpha(needs: $0.resolve(Beta.self)) }
                builder.singleton { Beta(needs: $0.resolve(Gamma.self)) }
                builder.transient { Gamma(needs: $0.resolve(Beta.self)) }
            }
            _ = contracts.resolve(Alpha.self)
        }

        #expect(
            result.wroteToStandardError(
                """
                'HeadraceResolutionTests.Beta' depends on itself: HeadraceResolutionTests.Beta → \
                HeadraceResolutionTests.Gamma → HeadraceResolutionTests.Beta.
                """
            )
        )
    }

    @Test func aTypeThatDependsOnItselfThroughItsContractIsACycle() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let contracts = container { builder in
                builder.transient((any Mailer).self, assigned(SmtpMailer.self))
                builder.transient { SmtpMailer(settings: $0.resolve((any Mailer).self).settings) }
            }
            _ = contracts.resolve((any Mailer).self)
        }

        #expect(
            result.wroteToStandardError(
                """
                'HeadraceResolutionTests.Mailer' depends on itself: HeadraceResolutionTests.Mailer → \
                HeadraceResolutionTests.SmtpMailer → HeadraceResolutionTests.Mailer.
                """
            )
        )
    }

    /// Thread one creates Alpha and needs Beta.
    ///
    /// Thread two creates Beta and needs Alpha.
    ///
    /// Both threads begin before either continues. The thread that asks second closes the cycle.
    @Test(.timeLimit(.minutes(2)))
    func aCycleOfTwoThreadsIsReportedAndNotADeadlock() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let alphaBegan = DispatchSemaphore(value: 0)
            let betaBegan = DispatchSemaphore(value: 0)
            let contracts = container { builder in
                builder.singleton { scope in
                    alphaBegan.signal()
                    betaBegan.wait()
                    return Alpha(needs: scope.resolve(Gamma.self))
                }
                builder.transient { Gamma(needs: $0.resolve(Beta.self)) }
                builder.singleton { scope in
                    betaBegan.signal()
                    alphaBegan.wait()
                    return Beta(needs: scope.resolve(Alpha.self))
                }
            }
            let bothEnded = DispatchGroup()
            DispatchQueue.global().async(group: bothEnded) { _ = contracts.resolve(Alpha.self) }
            DispatchQueue.global().async(group: bothEnded) { _ = contracts.resolve(Beta.self) }
            // In a deadlock, the process exits here with success, and the test fails.
            _ = bothEnded.wait(timeout: .now() + 20)
            exit(EXIT_SUCCESS)
        }

        let fromAlpha = """
            'HeadraceResolutionTests.Alpha' depends on itself: HeadraceResolutionTests.Alpha → \
            HeadraceResolutionTests.Gamma → HeadraceResolutionTests.Beta → HeadraceResolutionTests.Alpha. To fix
            """
        let fromBeta = """
            'HeadraceResolutionTests.Beta' depends on itself: HeadraceResolutionTests.Beta → \
            HeadraceResolutionTests.Alpha → HeadraceResolutionTests.Gamma → HeadraceResolutionTests.Beta. To fix
            """
        #expect(result.wroteToStandardError(fromAlpha) || result.wroteToStandardError(fromBeta))
    }
}

// MARK: - Fixtures

struct Alpha: Sendable { let needs: any Sendable }
struct Beta: Sendable { let needs: any Sendable }
struct Gamma: Sendable { let needs: any Sendable }

extension ExitTest.Result? {
    /// Whether the process wrote `text` to its standard error.
    func wroteToStandardError(_ text: String) -> Bool {
        guard let self else { return false }
        return String(decoding: self.standardErrorContent, as: UTF8.self).contains(text)
    }
}
