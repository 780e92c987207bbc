// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Lets sources import `SwiftUI`, `SwiftData`, and `Combine`, and maps these names to the stand-ins.
///
/// Only targets with these flags see modules with these names. All other targets are compiled as on Linux without
/// stand-ins, even if they share the build folder.
let standIns: SwiftSetting = .unsafeFlags(
    ["SwiftUI", "SwiftData", "Combine"].flatMap { ["-module-alias", "\($0)=StandIn\($0)"] }
)

/// The name under which the package manager compiles the linked package: the name of its folder.
///
/// A conformance is not retroactive if its protocol is of the same package.
let packageName = String(
    (Context.packageDirectory.split(separator: "/").dropLast(2).last ?? "").lowercased()
        .map { $0.isLetter || $0.isNumber ? $0 : "_" }
)

/// The settings of the package with the linked sources.
let strictSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .unsafeFlags(["-package-name", packageName]),
]

/// The settings of the notes.
let noteSettings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let package = Package(
    name: "apple-platforms",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The traits of the notes, which have been compiled before.
        .package(name: "headrace", path: "../..", traits: [.defaults, "AsyncHTTPClient", "Hummingbird"]),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        .macro(
            name: "StandInMacros",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            path: "StandIns/Macros"
        ),
        .target(name: "StandInCombine", path: "StandIns/Combine"),
        .target(
            name: "StandInSwiftUI",
            dependencies: ["StandInMacros"],
            path: "StandIns/SwiftUI",
            swiftSettings: [standIns]
        ),
        .target(
            name: "StandInSwiftData",
            dependencies: ["StandInMacros", "StandInSwiftUI"],
            path: "StandIns/SwiftData",
            swiftSettings: [standIns]
        ),
        // The sources of the module `HeadraceSwiftUI`, through a symbolic link. The name of a target is unique among packages.
        .target(
            name: "HeadraceSwiftUIOnStandIns",
            dependencies: [
                "StandInSwiftData",
                "StandInSwiftUI",
                .product(name: "Headrace", package: "headrace"),
            ],
            path: "Sources/HeadraceSwiftUI",
            exclude: ["HeadraceSwiftUI.docc"],
            swiftSettings: strictSettings + [standIns]
        ),
        // The modules of Examples/Notes, through a symbolic link.
        .target(
            name: "NotesDomain",
            dependencies: [
                .product(name: "Headrace", package: "headrace"), .product(name: "HeadraceClient", package: "headrace"),
            ],
            path: "Sources/Notes/NotesDomain",
            swiftSettings: noteSettings
        ),
        .target(
            name: "NotesClient",
            dependencies: [
                "NotesDomain",
                "StandInSwiftUI",
                .product(name: "Headrace", package: "headrace"),
                .product(name: "HeadraceClient", package: "headrace"),
                .product(name: "HeadraceStations", package: "headrace"),
            ],
            path: "Sources/Notes/NotesClient",
            swiftSettings: noteSettings + [standIns]
        ),
        .testTarget(
            name: "ApplePlatformsTests",
            dependencies: [
                "HeadraceSwiftUIOnStandIns",
                "NotesClient",
                "NotesDomain",
                "StandInCombine",
                "StandInSwiftData",
                "StandInSwiftUI",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Headrace", package: "headrace"),
                .product(name: "HeadraceClient", package: "headrace"),
                .product(name: "HeadraceStations", package: "headrace"),
            ],
            swiftSettings: [
                standIns,
                .unsafeFlags(["-module-alias", "HeadraceSwiftUI=HeadraceSwiftUIOnStandIns"]),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
