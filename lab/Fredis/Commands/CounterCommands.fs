/// The commands that add to a value.
module Cinnabar.Lab.Fredis.Commands.CounterCommands

open System
open Cinnabar.Lab.Fredis.Protocol

type private ExtendedFloat = Cinnabar.Resp.ExtendedFloat

let private zero = "0"B

let private current (store: Store) key =
    store.TryGet key |> ValueOption.defaultValue zero

let private add (store: Store) key increment =
    match Integer.tryParse (current store key) with
    | ValueNone -> Errors.notInteger
    | ValueSome value when
        (increment < 0L && value < Int64.MinValue - increment)
        || (increment > 0L && value > Int64.MaxValue - increment)
        ->
        Errors.overflow
    | ValueSome value ->
        store.Set(key, Integer.format (value + increment))
        Reply.Integer(value + increment)

let incr store (request: byte[][]) = add store request[1] 1L
let decr store (request: byte[][]) = add store request[1] -1L

let incrBy store (request: byte[][]) =
    match Integer.tryParse request[2] with
    | ValueSome increment -> add store request[1] increment
    | ValueNone -> Errors.notInteger

let decrBy store (request: byte[][]) =
    match Integer.tryParse request[2] with
    | ValueSome Int64.MinValue -> Errors.decrementOverflow
    | ValueSome decrement -> add store request[1] -decrement
    | ValueNone -> Errors.notInteger

let incrByFloat (store: Store) (request: byte[][]) =
    let parse (text: byte[]) =
        let mutable number = Unchecked.defaultof<ExtendedFloat>

        if ExtendedFloat.TryParse(ReadOnlySpan<byte> text, &number) then
            ValueSome number
        else
            ValueNone

    match parse (current store request[1]), parse request[2] with
    | ValueSome value, ValueSome increment ->
        let mutable sum = Unchecked.defaultof<ExtendedFloat>

        if ExtendedFloat.TryAdd(&value, &increment, &sum) then
            let text = Array.zeroCreate ExtendedFloat.BytesMax
            let text = Array.sub text 0 (sum.Format(Span<byte> text))
            store.Set(request[1], text)
            Reply.Bulk text
        else
            Errors.notFinite
    | _ -> Errors.notFloat
