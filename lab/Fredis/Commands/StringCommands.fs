/// The commands that read and write values and parts of them.
module Cinnabar.Lab.Fredis.Commands.StringCommands

open System
open System.Text
open Cinnabar.Lab.Fredis.Protocol

let private ok = Reply.Status "OK"

let private bulkOrNull value =
    match value with
    | ValueSome bytes -> Reply.Bulk bytes
    | ValueNone -> Reply.Null

let private isWord (word: string) (argument: byte[]) =
    word.Equals(Encoding.Latin1.GetString argument, StringComparison.OrdinalIgnoreCase)

let ping (_: Store) (request: byte[][]) =
    match request.Length with
    | 1 -> Reply.Status "PONG"
    | 2 -> Reply.Bulk request[1]
    | _ -> Errors.arity "ping"

let flushDb (store: Store) (request: byte[][]) =
    let isAllowed =
        request.Length = 1
        || (request.Length = 2 && (isWord "SYNC" request[1] || isWord "ASYNC" request[1]))

    if isAllowed then
        store.Clear()
        ok
    else
        Errors.syntax

let get (store: Store) (request: byte[][]) = bulkOrNull (store.TryGet request[1])

let strlen (store: Store) (request: byte[][]) =
    Reply.Integer (store.GetOrEmpty request[1]).Length

let mget (store: Store) (request: byte[][]) =
    Reply.Array(Array.init (request.Length - 1) (fun index -> bulkOrNull (store.TryGet request[index + 1])))

/// SET key value [NX | XX]: what there was in 2016, less the times to live, which went with SETEX.
let set (store: Store) (request: byte[][]) =
    let options = ArraySegment<byte[]>(request, 3, request.Length - 3)
    let isNx = Seq.exists (isWord "NX") options
    let isXx = Seq.exists (isWord "XX") options

    if (isNx && isXx) || not (Seq.forall (fun o -> isWord "NX" o || isWord "XX" o) options) then
        Errors.syntax
    elif (isNx && store.Contains request[1]) || (isXx && not (store.Contains request[1])) then
        Reply.Null
    else
        store.Set(request[1], request[2])
        ok

let setNx (store: Store) (request: byte[][]) =
    if store.Contains request[1] then
        Reply.Integer 0L
    else
        store.Set(request[1], request[2])
        Reply.Integer 1L

let getSet (store: Store) (request: byte[][]) =
    let old = store.TryGet request[1]
    store.Set(request[1], request[2])
    bulkOrNull old

let private setPairs (store: Store) (request: byte[][]) =
    for index in 1..2 .. request.Length - 2 do
        store.Set(request[index], request[index + 1])

let mset (store: Store) (request: byte[][]) =
    if request.Length % 2 = 0 then
        Errors.arity "mset"
    else
        setPairs store request
        ok

let msetNx (store: Store) (request: byte[][]) =
    if request.Length % 2 = 0 then
        Errors.arity "msetnx"
    elif Seq.exists (fun index -> store.Contains request[index]) (seq { 1..2 .. request.Length - 2 }) then
        Reply.Integer 0L
    else
        setPairs store request
        Reply.Integer 1L

let append (store: Store) (request: byte[][]) =
    let old = store.GetOrEmpty request[1]
    let added = request[2]

    if int64 old.Length + int64 added.Length > int64 Limits.valueBytesMax then
        Errors.tooLong
    else
        store.Set(request[1], Array.append old added)
        Reply.Integer(int64 old.Length + int64 added.Length)

let getRange (store: Store) (request: byte[][]) =
    match Integer.tryParse request[2], Integer.tryParse request[3] with
    | ValueSome first, ValueSome last ->
        let value = store.GetOrEmpty request[1]
        let struct (first, last) = ByteRange.clipOrdered value.Length first last

        if first > last then
            Reply.Bulk Array.empty
        else
            Reply.Bulk(Array.sub value first (last - first + 1))
    | _ -> Errors.notInteger

let setRange (store: Store) (request: byte[][]) =
    let added = request[3]

    match Integer.tryParse request[2] with
    | ValueNone -> Errors.notInteger
    | ValueSome offset when offset < 0L -> Errors.offset
    | ValueSome offset ->
        let old = store.GetOrEmpty request[1]

        if added.Length = 0 then
            Reply.Integer old.Length
        elif offset > int64 (Limits.valueBytesMax - added.Length) then
            Errors.tooLong
        else
            let value = Array.zeroCreate (max old.Length (int offset + added.Length))
            Buffer.BlockCopy(old, 0, value, 0, old.Length)
            Buffer.BlockCopy(added, 0, value, int offset, added.Length)
            store.Set(request[1], value)
            Reply.Integer value.Length
