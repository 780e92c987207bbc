// SPDX-License-Identifier: Apache-2.0

#if Macros
public import HeadraceDomain
import HeadraceMacros
public import HeadraceResolution

// The test is that public types compile.

/// A public handler.
@Resolvable
public final class PublicHandler {
    let api: any Api
}

/// A public handler to inherit from.
@Resolvable
open class OpenHandler {
    let api: any Api
}

/// A public value.
@Resolvable
public struct PublicPlan {
    let api: any Api
}

/// A namespace.
public enum Namespace {}

extension Namespace {
    /// A public actor.
    @Resolvable
    public actor PublicCache {
        let api: any Api
    }
}

/// A public entity.
@DomainEntity
open class PublicEntity {}
#endif
