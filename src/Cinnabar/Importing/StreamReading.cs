// Reads a stream: its entries, its counters, its groups with their consumers and what these have pending.
// Entries that were deleted while they were pending are added anew, claimed, and deleted again:
//
//   XADD each entry, and what stands for a deleted one, in order of their IDs
//   XGROUP CREATE, CREATECONSUMER, XCLAIM … FORCE for each group
//   XDEL or XTRIM what stands for deleted ones, XSETID

using System.Linq;
using Cinnabar.Resp;

namespace Cinnabar.Importing;

/// <summary>Reads streams, as the commands that make them anew.</summary>
/// <param name="link">The server.</param>
internal sealed class StreamReading(RespLink link)
{
    private const int PageSize = 1000;

    private readonly RespLink _link = link;
    private readonly SortedDictionary<(ulong, ulong), byte[][]> _entries = [];
    private readonly List<byte[][]> _groups = [];
    private readonly List<byte[]> _deleted = [];
    private byte[]? _first;
    private long _bytes;

    /// <summary>Reads a stream; again where it was deleted and made anew meanwhile.</summary>
    /// <returns>The error that the server replied; null: none.</returns>
    public Reply? Read(byte[] key, CopiedValue value, long bytesMax)
    {
        Reply info;
        do
        {
            _entries.Clear();
            _groups.Clear();
            _deleted.Clear();
            (_first, _bytes) = (null, 0);
            Reply? error = ReadEntries(key, bytesMax) ?? ReadGroups(key);
            // Read last, it may know of more than was read, whose event is to come; never of less.
            info = error ?? _link.Call(Word("XINFO"), Word("STREAM"), key);
            if (info.IsError)
                return info.Text == "ERR no such key" ? null : info;
        }
        while (_entries.Count > 0
            && Parse(Field(info, "last-generated-id")!.Bytes).CompareTo(_entries.Last().Key) < 0);

        if (_entries.Count == 0)
        {
            value.AddFurther(
                Word("XGROUP"), Word("CREATE"), key, Word("import"), Word("0"), Word("MKSTREAM"));
            value.AddFurther(Word("XGROUP"), Word("DESTROY"), key, Word("import"));
        }

        foreach (byte[][] entry in _entries.Values)
            value.AddFurther(entry);
        foreach (byte[][] command in _groups)
            value.AddFurther(command);
        AddEnd(key, info, value);
        return null;
    }

    // XSETID cannot set the greatest deleted ID to none: where there is none, what is missing was trimmed.
    private void AddEnd(byte[] key, Reply info, CopiedValue value)
    {
        byte[] last = Field(info, "last-generated-id")!.Bytes;
        Reply? deleted = Field(info, "max-deleted-entry-id");
        if (_deleted.Count > 0 && deleted is { Text: "0-0" })
        {
            value.AddFurther([Word("XTRIM"), key,
                .. _first is null ? (byte[][])[Word("MAXLEN"), Word("0")] : [Word("MINID"), _first]]);
        }
        else
        {
            foreach (byte[] id in _deleted)
                value.AddFurther(Word("XDEL"), key, id);
        }

        if (Field(info, "entries-added") is { } added && deleted is not null)
        {
            value.AddFurther(Word("XSETID"), key, last, Word("ENTRIESADDED"), added.Bytes,
                Word("MAXDELETEDID"), deleted.Bytes);
        }
        else
        {
            value.AddFurther(Word("XSETID"), key, last);
        }
    }

    private static byte[] Word(string text) => CopiedValue.Word(text);

    // A map as a list of names and values.
    private static Reply? Field(Reply map, string name)
    {
        for (int index = 0; index + 1 < map.Items.Count; index += 2)
        {
            if (map.Items[index].Text == name)
                return map.Items[index + 1];
        }

        return null;
    }

    private static byte[] Behind(byte[] id) => [(byte)'(', .. id];

    private static (ulong Ms, ulong Sequence) Parse(byte[] id)
    {
        string[] numbers = Encoding.ASCII.GetString(id).Split('-');
        return (ulong.Parse(numbers[0], CultureInfo.InvariantCulture),
            ulong.Parse(numbers[1], CultureInfo.InvariantCulture));
    }

    private Reply? ReadEntries(byte[] key, long bytesMax)
    {
        byte[] from = Word("-");
        while (_bytes <= bytesMax)
        {
            Reply page = _link.Call(Word("XRANGE"), key, from, Word("+"), Word("COUNT"), Word($"{PageSize}"));
            if (page.IsError)
                return page;
            foreach (Reply entry in page.Items)
            {
                byte[] id = entry.Items[0].Bytes;
                byte[][] command = [Word("XADD"), key, id,
                    .. Array.ConvertAll([.. entry.Items[1].Items], static field => field.Bytes)];
                _entries[Parse(id)] = command;
                _first ??= id;
                foreach (byte[] argument in command)
                    _bytes += argument.Length;
                from = Behind(id);
            }

            if (page.Items.Count < PageSize)
                break;
        }

        return null;
    }

    private Reply? ReadGroups(byte[] key)
    {
        Reply groups = _link.Call(Word("XINFO"), Word("GROUPS"), key);
        if (groups.IsError)
            return groups;
        foreach (Reply group in groups.Items)
        {
            byte[] name = Field(group, "name")!.Bytes;
            List<byte[]> create = [Word("XGROUP"), Word("CREATE"), key, name,
                Field(group, "last-delivered-id")!.Bytes];
            if (Field(group, "entries-read") is { IsNull: false } read)
                create.AddRange([Word("ENTRIESREAD"), read.Bytes]);
            _groups.Add([.. create]);
            Reply consumers = _link.Call(Word("XINFO"), Word("CONSUMERS"), key, name);
            if (consumers.IsError)
                return consumers;
            foreach (Reply consumer in consumers.Items)
            {
                _groups.Add(
                    [Word("XGROUP"), Word("CREATECONSUMER"), key, name, Field(consumer, "name")!.Bytes]);
            }

            if (ReadPending(key, name) is { } error)
                return error;
        }

        return null;
    }

    private Reply? ReadPending(byte[] key, byte[] group)
    {
        byte[] from = Word("-");
        while (true)
        {
            Reply page = _link.Call(
                Word("XPENDING"), key, group, from, Word("+"), Word($"{PageSize}"));
            if (page.IsError)
                return page;
            foreach (Reply entry in page.Items)
            {
                byte[] id = entry.Items[0].Bytes;
                _groups.Add([Word("XCLAIM"), key, group, entry.Items[1].Bytes, Word("0"), id, Word("IDLE"),
                    entry.Items[2].Bytes, Word("RETRYCOUNT"), entry.Items[3].Bytes, Word("FORCE"),
                    Word("JUSTID")]);
                if (_entries.TryAdd(Parse(id), [Word("XADD"), key, id, Word("deleted"), Word("entry")]))
                    _deleted.Add(id);
                from = Behind(id);
            }

            if (page.Items.Count < PageSize)
                return null;
        }
    }
}
