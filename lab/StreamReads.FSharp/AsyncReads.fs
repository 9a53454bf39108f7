namespace Cinnabar.Lab.StreamReads.FSharp

open System.IO
open System.Threading.Tasks

/// The read of F#'s core library, which Fredis used for everything that was asynchronous.
type AsyncReads =

    /// Makes the computation that would read once, and does not start it: F#'s are cold.
    static member Make(stream: Stream, buffer: byte[]) : obj =
        stream.AsyncRead(buffer, 0, buffer.Length) :> obj

    /// Makes it, starts it here, and returns a task for callers outside F#.
    static member ReadAsync(stream: Stream, buffer: byte[]) : Task<int> =
        async { return! stream.AsyncRead(buffer, 0, buffer.Length) } |> Async.StartImmediateAsTask
