module Cinnabar.Lab.Fredis.Program

open System
open System.Net
open System.Net.Sockets
open System.Threading
open Cinnabar.Lab.Fredis.Commands

let private backlog = 1024

let private run options =
    use listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
    listener.Bind(IPEndPoint(IPAddress.Loopback, options.Port))
    listener.Listen backlog
    use ended = new CancellationTokenSource()
    let signals = Signals.onEnd ended.Cancel @ Signals.onCollect ()
    let accepting = Acceptor.start listener options.Connect (Executor()) ended.Token
    Console.Out.WriteLine $"{options.Station}: ready on {listener.LocalEndPoint}"
    accepting.Wait()

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
