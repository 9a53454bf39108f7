module Cinnabar.Lab.Fredis.Program

open System
open System.Net
open System.Net.Sockets
open System.Threading
open Cinnabar.Lab.Fredis.Commands

let private backlog = 1024
let private retryMs = 10

/// A client that is gone before it is accepted, and more clients than there are descriptors, do not end the
/// server.
let rec private acceptAll (listener: Socket) connect executor =
    async {
        try
            let! socket = listener.AcceptAsync() |> Async.AwaitTask
            socket.NoDelay <- true
            Async.Start(Connection.serve (fun () -> connect socket) executor)
        with error when (error.GetBaseException() :? SocketException) ->
            do! Async.Sleep retryMs

        return! acceptAll listener connect executor
    }

let private run options =
    use listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
    listener.Bind(IPEndPoint(IPAddress.Loopback, options.Port))
    listener.Listen backlog
    use ended = new ManualResetEventSlim()
    let signals = Signals.onEnd ended.Set @ Signals.onCollect ()
    Async.Start(acceptAll listener options.Connect (Executor()))
    Console.Out.WriteLine $"{options.Station}: ready on {listener.LocalEndPoint}"
    ended.Wait()

    for signal in signals do
        signal.Dispose()

[<EntryPoint>]
let main arguments =
    match Options.tryParse (List.ofArray arguments) with
    | None ->
        Console.Error.WriteLine Options.usage
        2
    | Some options ->
        try
            run options
            0
        with :? SocketException as error ->
            Console.Error.WriteLine $"{options.Station}: port {options.Port}: {error.Message}"
            1
