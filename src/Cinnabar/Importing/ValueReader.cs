// Reads values by the commands of their types, for servers that refuse DUMP or whose payloads this server
// does not know, and to compare two servers' values. What is read in several steps may have changed between
// them: whoever reads hears of the change by an event and reads again.

using Cinnabar.Resp;

namespace Cinnabar.Importing;

/// <summary>Reads the values of a server.</summary>
/// <param name="link">The server.</param>
/// <param name="abilities">What it can do.</param>
internal sealed class ValueReader(RespLink link, Abilities abilities)
{
    private const int PageSize = 1000;

    private readonly RespLink _link = link;
    private readonly Abilities _abilities = abilities;
    private readonly StreamReading _streams = new(link);

    /// <summary>Reads the value of a key.</summary>
    /// <param name="key">The key, of the selected database.</param>
    /// <param name="type">Its type, as TYPE says it.</param>
    /// <param name="bytesMax">Reading stops when the value is known to be larger.</param>
    /// <param name="value">The value; null: the key has gone, or there is an error.</param>
    /// <returns>The error that the server replied; null: none.</returns>
    public Reply? Read(byte[] key, string type, long bytesMax, out CopiedValue? value)
    {
        value = new CopiedValue(type);
        Reply? error = type switch
        {
            "string" => ReadString(key, value),
            "list" => ReadList(key, value, bytesMax),
            "set" => Scan("SSCAN", key, value, bytesMax),
            "zset" => Scan("ZSCAN", key, value, bytesMax),
            "hash" => Scan("HSCAN", key, value, bytesMax) ?? ReadFieldDeadlines(key, value),
            "stream" => _streams.Read(key, value, bytesMax),
            "none" => null,
            // Of a module: the reply to a command that reads none of its values.
            _ => _link.Call(Word("GET"), key),
        };
        if (error is not null || (value.Parts.Count == 0 && value.Further.Count == 0))
            value = null;
        return error;
    }

    private static byte[] Word(string text) => CopiedValue.Word(text);

    private static byte[] Number(long number) => Word(number.ToString(CultureInfo.InvariantCulture));

    private Reply? ReadString(byte[] key, CopiedValue value)
    {
        Reply reply = _link.Call(Word("GET"), key);
        if (!reply.IsError && !reply.IsNull)
            value.Add(reply.Bytes);
        return reply.IsError ? reply : null;
    }

    private Reply? ReadList(byte[] key, CopiedValue value, long bytesMax)
    {
        for (long first = 0; value.Bytes <= bytesMax; first += PageSize)
        {
            Reply reply = _link.Call(Word("LRANGE"), key, Number(first), Number(first + PageSize - 1));
            if (reply.IsError)
                return reply;
            foreach (Reply element in reply.Items)
                value.Add(element.Bytes);
            if (reply.Items.Count < PageSize)
                break;
        }

        return null;
    }

    private Reply? Scan(string command, byte[] key, CopiedValue value, long bytesMax)
    {
        bool isScored = command == "ZSCAN";
        byte[] cursor = Word("0");
        do
        {
            Reply reply = _link.Call(Word(command), key, cursor, Word("COUNT"), Number(PageSize));
            if (reply.IsError)
                return reply;
            cursor = reply.Items[0].Bytes;
            IReadOnlyList<Reply> items = reply.Items[1].Items;
            for (int index = 0; index < items.Count; index++)
                value.Add(items[isScored ? index ^ 1 : index].Bytes);
        }
        while (cursor is not [(byte)'0'] && value.Bytes <= bytesMax);
        return null;
    }

    private Reply? ReadFieldDeadlines(byte[] key, CopiedValue value)
    {
        if (!_abilities.CanTellFieldDeadlines)
            return null;
        SortedDictionary<string, byte[]> fields = new(StringComparer.Ordinal);
        for (int index = 0; index < value.Parts.Count; index += 2)
            fields[Encoding.Latin1.GetString(value.Parts[index])] = value.Parts[index];
        byte[][] names = [.. fields.Values];
        for (int first = 0; first < names.Length; first += PageSize)
        {
            byte[][] page = names[first..Math.Min(first + PageSize, names.Length)];
            Reply reply = _link.Call(
                [Word("HPEXPIRETIME"), key, Word("FIELDS"), Number(page.Length), .. page]);
            if (reply.IsError)
                return reply;
            for (int index = 0; index < Math.Min(page.Length, reply.Items.Count); index++)
            {
                if (reply.Items[index].Integer > 0)
                {
                    value.AddFurther(Word("HPEXPIREAT"), key, reply.Items[index].Bytes, Word("FIELDS"),
                        Word("1"), page[index]);
                }
            }
        }

        return null;
    }
}
