namespace Cinnabar.Lab.Fredis.Io

open System
open System.Net.Sockets

/// One `SocketAsyncEventArgs` as an F# async: begun by a method of its socket, it continues where that
/// ends. One operation at a time.
type SocketOperation(start: SocketAsyncEventArgs -> bool) =
    inherit SocketAsyncEventArgs()

    let mutable succeed: int -> unit = ignore
    let mutable fail: exn -> unit = ignore

    member private operation.Continue() =
        match operation.SocketError with
        | SocketError.Success -> succeed operation.BytesTransferred
        | error -> fail (SocketException(int error))

    // The socket calls this only where the operation did not end at once.
    override operation.OnCompleted _ = operation.Continue()

    /// Begins the operation on a part of a buffer; the result is how many bytes it moved.
    member operation.Run(buffer: byte[], offset: int, count: int) =
        Async.FromContinuations(fun (onSuccess, onError, _) ->
            succeed <- onSuccess
            fail <- onError

            let isPending =
                try
                    operation.SetBuffer(buffer, offset, count)
                    start operation |> Ok
                with error ->
                    Error error

            match isPending with
            | Ok true -> ()
            | Ok false -> operation.Continue()
            | Error error -> onError error)
