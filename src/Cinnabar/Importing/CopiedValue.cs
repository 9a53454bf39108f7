// A value as it was read by the commands of its type, and the commands that make it anew.
//
//   Parts      string: the value; list: elements; set: members; hash: field, value, …;
//              sorted set: score, member, … (as ZADD takes them)
//   Further    what is said after them: deadlines of fields; of a stream everything

using System.Security.Cryptography;
using Cinnabar.Resp;

namespace Cinnabar.Importing;

/// <summary>A value that was read from a server.</summary>
/// <param name="type">Its type, as TYPE says it.</param>
internal sealed class CopiedValue(string type)
{
    private const int PartsAtOnceMax = 1024;

    // XCLAIM key group consumer 0 id IDLE ms …
    private const int IdleIndex = 7;

    private readonly string _type = type;

    /// <summary>The words of a command, in bytes.</summary>
    public static byte[] Word(string text) => Encoding.ASCII.GetBytes(text);

    /// <summary>Its parts.</summary>
    public List<byte[]> Parts { get; } = [];

    /// <summary>The commands that follow those for the parts.</summary>
    public List<byte[][]> Further { get; } = [];

    /// <summary>Bytes of the parts.</summary>
    public long Bytes { get; private set; }

    private int PartsOfItem => _type is "hash" or "zset" ? 2 : 1;

    /// <summary>Adds a part.</summary>
    public void Add(byte[] part)
    {
        Parts.Add(part);
        Bytes += part.Length;
    }

    /// <summary>Adds a command behind those of the parts.</summary>
    public void AddFurther(params byte[][] command)
    {
        Further.Add(command);
        foreach (byte[] argument in command)
            Bytes += argument.Length;
    }

    /// <summary>The commands that make the value.</summary>
    /// <param name="key">The key.</param>
    /// <param name="deadlineMs">Its deadline, Unix time in milliseconds; negative: none.</param>
    public IEnumerable<byte[][]> Rebuild(byte[] key, long deadlineMs)
    {
        yield return [Word("DEL"), key];
        string name = _type switch
        {
            "string" => "SET",
            "list" => "RPUSH",
            "set" => "SADD",
            "zset" => "ZADD",
            _ => "HSET",
        };
        for (int index = 0; index < Parts.Count; index += PartsAtOnceMax)
        {
            yield return [Word(name), key,
                .. Parts.GetRange(index, Math.Min(PartsAtOnceMax, Parts.Count - index))];
        }

        foreach (byte[][] command in Further)
            yield return command;
        if (deadlineMs >= 0)
            yield return [Word("PEXPIREAT"), key, Word(deadlineMs.ToString(CultureInfo.InvariantCulture))];
    }

    /// <summary>A digest that two servers' equal values share, in whichever order their sets and hashes give
    /// their members and whichever digits they write scores with.</summary>
    public byte[] Digest(long deadlineMs)
    {
        List<byte[]> items = [];
        for (int index = 0; index < Parts.Count; index += PartsOfItem)
            items.Add(Join(index));
        if (_type is "set" or "zset" or "hash")
            SortOnce(items);
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hash.AppendData(Encoding.ASCII.GetBytes($"{_type} {Math.Max(deadlineMs, -1)} {items.Count}"));
        foreach (byte[] item in items)
            hash.AppendData(item);
        foreach (byte[][] command in Further)
        {
            bool isClaim = command[0].AsSpan().SequenceEqual("XCLAIM"u8);
            for (int index = 0; index < command.Length; index++)
            {
                // How long ago it was delivered differs with the moment of reading.
                if (!isClaim || index != IdleIndex)
                    hash.AppendData(WithLength(command[index]));
            }
        }

        return hash.GetHashAndReset();
    }

    // A scan may give a member twice.
    private static void SortOnce(List<byte[]> items)
    {
        items.Sort(static (one, other) => one.AsSpan().SequenceCompareTo(other));
        int kept = 0;
        for (int index = 0; index < items.Count; index++)
        {
            if (kept == 0 || !items[kept - 1].AsSpan().SequenceEqual(items[index]))
                items[kept++] = items[index];
        }

        items.RemoveRange(kept, items.Count - kept);
    }

    private byte[] Join(int index)
    {
        byte[] first = Parts[index];
        if (_type == "zset" && RedisNumber.TryParseDouble(first, out double score))
            first = BitConverter.GetBytes(score);
        return PartsOfItem == 1 ? WithLength(first) : [.. WithLength(first), .. WithLength(Parts[index + 1])];
    }

    private static byte[] WithLength(byte[] bytes) => [.. BitConverter.GetBytes(bytes.Length), .. bytes];
}
