/// From a request to its command.
module Cinnabar.Lab.Fredis.Commands.CommandTable

open System
open System.Collections.Generic
open System.Text
open Cinnabar.Lab.Fredis.Protocol

/// A command; its arity is as Redis gives it: how many words with the name, or negative, at least so many.
[<NoComparison; NoEquality>]
type private Command =
    { Arity: int
      Run: Store -> byte[][] -> Reply }

let private commands =
    let table = Dictionary<string, Command>(StringComparer.OrdinalIgnoreCase)
    let add name arity run = table.Add(name, { Arity = arity; Run = run })
    add "APPEND" 3 StringCommands.append
    add "BITCOUNT" -2 BitCommands.bitCount
    add "BITOP" -4 BitCommands.bitOp
    add "BITPOS" -3 BitCommands.bitPos
    add "DECR" 2 CounterCommands.decr
    add "DECRBY" 3 CounterCommands.decrBy
    add "FLUSHDB" -1 StringCommands.flushDb
    add "GET" 2 StringCommands.get
    add "GETBIT" 3 BitCommands.getBit
    add "GETRANGE" 4 StringCommands.getRange
    add "GETSET" 3 StringCommands.getSet
    add "INCR" 2 CounterCommands.incr
    add "INCRBY" 3 CounterCommands.incrBy
    add "INCRBYFLOAT" 3 CounterCommands.incrByFloat
    add "MGET" -2 StringCommands.mget
    add "MSET" -3 StringCommands.mset
    add "MSETNX" -3 StringCommands.msetNx
    add "PING" -1 StringCommands.ping
    add "SET" -3 StringCommands.set
    add "SETBIT" 4 BitCommands.setBit
    add "SETNX" 3 StringCommands.setNx
    add "SETRANGE" 4 StringCommands.setRange
    add "STRLEN" 2 StringCommands.strlen
    table

let private nameBytesMax = commands.Keys |> Seq.map _.Length |> Seq.max

let private tryFind (name: byte[]) =
    if name.Length > nameBytesMax then
        ValueNone
    else
        match commands.TryGetValue(Encoding.Latin1.GetString name) with
        | true, command -> ValueSome command
        | false, _ -> ValueNone

/// Runs a request that has at least one word.
let execute (store: Store) (request: byte[][]) =
    match tryFind request[0] with
    | ValueNone -> Errors.unknownCommand request
    | ValueSome { Arity = arity } when
        (arity > 0 && request.Length <> arity) || request.Length < -arity
        ->
        Errors.arity (Encoding.Latin1.GetString request[0])
    | ValueSome command -> command.Run store request
