/// Accepts the connections of clients.
module Cinnabar.Lab.Fredis.Acceptor

open System
open System.Net.Sockets
open System.Threading
open System.Threading.Tasks

let private retryMs = 10

/// A client that is gone before it is accepted, and more clients than there are descriptors, do not end the
/// server.
let rec private acceptAll (listener: Socket) connect executor (ended: CancellationToken) =
    async {
        try
            let! socket = listener.AcceptAsync(ended).AsTask() |> Async.AwaitTask
            socket.NoDelay <- true
            Async.Start(Connection.serve (fun () -> connect socket) executor)
        with error when (error.GetBaseException() :? SocketException) ->
            do! Task.Delay(retryMs, ended) |> Async.AwaitTask

        return! acceptAll listener connect executor ended
    }

/// Accepts until `ended`; the task ends then, and the listener may be closed.
let start listener connect executor (ended: CancellationToken) : Task =
    async {
        try
            do! acceptAll listener connect executor ended
        with error when (error.GetBaseException() :? OperationCanceledException) ->
            ()
    }
    |> Async.StartAsTask
    :> Task
