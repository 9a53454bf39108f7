namespace Cinnabar.Lab.Fredis.Commands

open System
open System.Collections.Generic

/// Bytes as keys of a dictionary.
type private BytesComparer() =
    interface IEqualityComparer<byte[]> with
        member _.Equals(left, right) =
            ReadOnlySpan<byte>(left).SequenceEqual(ReadOnlySpan<byte> right)

        member _.GetHashCode bytes =
            let mutable hash = HashCode()
            hash.AddBytes(ReadOnlySpan<byte> bytes)
            hash.ToHashCode()

/// The keys and values, used by one command at a time. A stored array never changes: a command that changes
/// a value stores a new one. So a reply may hold the array itself, which its connection writes while the
/// next command runs.
type Store() =
    let values = Dictionary<byte[], byte[]>(BytesComparer())

    member _.TryGet key =
        match values.TryGetValue key with
        | true, value -> ValueSome value
        | false, _ -> ValueNone

    /// The value; no bytes where there is none.
    member store.GetOrEmpty key =
        store.TryGet key |> ValueOption.defaultValue Array.empty

    member _.Contains key = values.ContainsKey key
    member _.Set(key, value) = values[key] <- value
    member _.Remove key = values.Remove key |> ignore
    member _.Clear() = values.Clear()
