namespace Cinnabar.Lab.Fredis.Io

open System
open Cinnabar.Lab.Fredis.Protocol

/// How a connection reads and writes: the one thing in which the three stations differ.
type IConnectionIo =
    inherit IDisposable

    /// Reads a request; nothing at the connection's end.
    abstract Read: unit -> Async<byte[][] voption>

    /// Writes a reply and flushes it.
    abstract Write: Reply -> Async<unit>
