// SPDX-License-Identifier: Apache-2.0

// Names that are common in other packages. A name that `Headrace` exports too is ambiguous in a file that imports both.

package struct Action {}
package struct Bootstrap {}
package struct Builder {}
package struct Cache {}
package struct Case {}
package struct Client {}
package struct Command {}
package struct Context {}
package struct Effect {}
package struct Entity {}
package struct Event {}
package struct Feed {}
package struct Group {}
package struct Handler {}
package struct Job {}
package struct Lock {}
package struct Message {}
package struct Model {}
package struct Notification {}
package struct Permit {}
package struct Pipeline {}
package struct Query {}
package struct Queue {}
package struct Reducer {}
package struct Scene {}
package struct Scope {}
package struct Send {}
package struct Session {}
package struct State {}
package struct Station {}
package struct Store {}
package struct Stream {}
package struct Transaction {}
package struct View {}
package struct Worker {}
