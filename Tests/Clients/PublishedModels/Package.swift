// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that only the continuous integration fetches OpenCombine. It has the compiler's default
// settings, as most clients do.
let package = Package(
    name: "published-models",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "headrace", path: "../../.."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .testTarget(
            name: "PublishedModelsTests",
            dependencies: [
                .product(name: "Headrace", package: "headrace"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ]
        ),
        .testTarget(
            name: "SamplesTests",
            dependencies: [
                .product(name: "Headrace", package: "headrace"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
