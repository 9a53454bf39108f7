// Checks a file as the server would load it, with Redis's words: every value is loaded, with all checks, into
// a key space of its own, and removed again. So the check finds what the load would refuse.
//
//   [offset 27] AUX FIELD redis-ver = '7.0.15'        fields and databases as they come
//   [offset 155] Selecting DB ID 0
//   [offset 235] Checksum OK
//   [offset 235] \o/ RDB looks OK! \o/                or the error, and what was being read
//   [info] 4 keys read

using System.IO;
using Cinnabar.Persistence.Rdb.Loading;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;

namespace Cinnabar.Persistence.Rdb.Checking;

/// <summary>Checks RDB files.</summary>
public sealed unsafe class RdbFileCheck : IRdbItemSink, IDisposable
{
    private const int ReclaimCount = 1024;

    private readonly TextWriter _output;
    private readonly Clock _clock = new SystemClock();
    private readonly Keyspace.Keyspace _keyspace;
    private readonly KeyspaceAccess _access;
    private readonly RdbValueLoader _loader;
    private readonly RdbItemScanner _scanner;
    private string _doing = "start";
    private string? _key;
    private RdbType? _type = RdbType.String;
    private long _keyCount;
    private long _expireCount;
    private long _expiredCount;
    private long _nowMs;

    private RdbFileCheck(StoredFile file, TextWriter output)
    {
        _output = output;
        _keyspace = new Keyspace.Keyspace(new KeyspaceOptions { Clock = _clock, StripeCount = 1 });
        _access = new KeyspaceAccess(_keyspace, new KeyspaceStatistics());
        _loader = new RdbValueLoader(_access);
        _scanner = new RdbItemScanner(file, new RdbReadOptions { NowMs = 0, IsVersionRelaxed = false }, this);
    }

    /// <summary>Checks a file and writes what it finds.</summary>
    /// <param name="file">The file.</param>
    /// <param name="name">Its name.</param>
    /// <param name="output">Gets the lines.</param>
    /// <param name="advanced">Called from time to time with the bytes that were checked.</param>
    /// <returns>Whether the server would load it.</returns>
    public static bool Run(StoredFile file, string name, TextWriter output, Action<long>? advanced) =>
        Run(file, name, output, advanced, out _);

    /// <summary>Checks the RDB data that a file begins with.</summary>
    /// <param name="file">The file.</param>
    /// <param name="name">Its name.</param>
    /// <param name="output">Gets the lines.</param>
    /// <param name="advanced">Called from time to time with the bytes that were checked.</param>
    /// <param name="end">The offset behind them.</param>
    /// <returns>Whether the server would load them.</returns>
    public static bool Run(
        StoredFile file, string name, TextWriter output, Action<long>? advanced, out long end)
    {
        Say(output, 0, $"Checking RDB file {name}");
        using var check = new RdbFileCheck(file, output);
        bool isSound = check.Run(advanced);
        output.WriteLine($"[info] {check._keyCount} keys read");
        output.WriteLine($"[info] {check._expireCount} expires");
        output.WriteLine($"[info] {check._expiredCount} already expired");
        end = check._scanner.Offset;
        return isSound;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _loader.Dispose();
        _keyspace.Dispose();
    }

    bool IRdbItemSink.Take(
        ref RdbCursor cursor, scoped in RdbItem item, scoped in RdbPrelude prelude, RdbBlock block)
    {
        switch (item.Kind)
        {
            case RdbItemKind.Key:
                Check(ref cursor, in item, in prelude, block);
                break;
            case RdbItemKind.Aux:
                Say(_output, cursor.Offset, $"AUX FIELD {TextOf(in item.Name)} = '{TextOf(in item.Text)}'");
                break;
            case RdbItemKind.SelectDatabase:
                Say(_output, cursor.Offset, $"Selecting DB ID {item.Number}");
                break;
            case RdbItemKind.ModuleAux:
                Say(_output, cursor.Offset, $"MODULE AUX for: {new RdbModuleId(item.Number).Name}");
                break;
            case RdbItemKind.End:
                _doing = "check-sum";
                return false;
        }

        _doing = "read-type";
        return false;
    }

    void IRdbItemSink.ChecksumRead(ulong stored, ulong computed)
    {
        if (stored == 0)
            Say(_output, _scanner.Offset, "RDB file was saved with checksum disabled: no check performed.");
        else if (stored == computed)
            Say(_output, _scanner.Offset, "Checksum OK");
    }

    private static void Say(TextWriter output, long offset, string text) =>
        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"[offset {offset}] {text}"));

    private static string TextOf(scoped in RdbString text) => Encoding.Latin1.GetString(BytesOf(in text));

    private static byte[] BytesOf(scoped in RdbString text)
    {
        var bytes = new byte[text.Length];
        text.CopyTo(bytes);
        return bytes;
    }

    private bool Run(Action<long>? advanced)
    {
        _nowMs = _clock.UnixMicroseconds / 1000;
        try
        {
            _scanner.ReadHeader();
            _doing = "read-type";
            using var block = new RdbBlock(RdbReadOptions.BlockSizeDefault);
            while (!_scanner.IsAtEnd)
            {
                _scanner.Fill(block);
                advanced?.Invoke(_scanner.Offset);
            }

            Say(_output, _scanner.Offset, @"\o/ RDB looks OK! \o/");
            return true;
        }
        catch (RdbFormatException fault)
        {
            _output.WriteLine("--- RDB ERROR DETECTED ---");
            // Redis's tool has words of its own for two faults, and has read a type that it does not know.
            (long offset, string text) = fault switch
            {
                RdbEndException => (fault.Offset, "Unexpected EOF reading RDB file"),
                RdbTypeException unknown => (fault.Offset + 1, $"Invalid object type: {unknown.Type}"),
                _ => (fault.Offset, fault.Message),
            };
            Say(_output, offset, text);
            _output.WriteLine($"[additional info] While doing: {_doing}");
            if (_key is not null)
            {
                _output.WriteLine($"[additional info] Reading key '{_key}'");
                // As in Redis a key counts before its value is read.
                _keyCount++;
            }

            if (_type is { } type)
            {
                int number = (int)type & byte.MaxValue;
                _output.WriteLine($"[additional info] Reading type {number} ({NameOf(type)})");
            }

            return false;
        }
    }

    private void Check(
        ref RdbCursor cursor, scoped in RdbItem item, scoped in RdbPrelude prelude, RdbBlock block)
    {
        (_type, _doing) = (item.Type, "read-key");
        byte[] key = BytesOf(cursor.ReadString());
        (_key, _doing) = (Encoding.Latin1.GetString(key), "read-object-value");
        RdbCursor value = cursor;
        RdbValueSkipper.Skip(ref cursor, item.Type);
        if (item.Type != RdbType.Module2)
            Load(key, item.Type, ref value);
        _keyCount++;
        _expireCount += prelude.DeadlineMs >= 0 ? 1 : 0;
        _expiredCount += prelude.DeadlineMs >= 0 && prelude.DeadlineMs < _nowMs ? 1 : 0;
        (_key, _type) = (null, null);
    }

    // SAFETY: the key's bytes do not move as long as it is used.
    private void Load(byte[] bytes, RdbType type, ref RdbCursor value)
    {
        fixed (byte* place = bytes)
        {
            var key = new Key(place, bytes.Length, _keyspace.Hash(bytes));
            _access.Begin(0, _nowMs);
            try
            {
                _loader.Load(_access, in key, type, ref value, RdbLoadOptions.None);
            }
            catch (RdbEmptyValueException)
            {
                // The server leaves such a key out.
                return;
            }

            _access.Remove(in key);
            _access.Commit();
        }

        while (_keyspace.HasGarbage && _keyspace.ReclaimSlice(ReclaimCount))
        {
        }
    }

    private static string NameOf(RdbType type) => type switch
    {
        RdbType.String => "string",
        RdbType.List => "list-linked",
        RdbType.Set => "set-hashtable",
        RdbType.SortedSet => "zset-v1",
        RdbType.Hash => "hash-hashtable",
        RdbType.SortedSet2 => "zset-v2",
        RdbType.ModulePreGa => "module-pre-release",
        RdbType.Module2 => "module-value",
        RdbType.HashZipmap => "hash-zipmap",
        RdbType.ListZiplist => "list-ziplist",
        RdbType.SetIntset => "set-intset",
        RdbType.SortedSetZiplist => "zset-ziplist",
        RdbType.HashZiplist => "hash-ziplist",
        RdbType.ListQuicklist => "quicklist",
        RdbType.StreamListpacks => "stream",
        RdbType.HashListpack => "hash-listpack",
        RdbType.SortedSetListpack => "zset-listpack",
        RdbType.ListQuicklist2 => "quicklist-v2",
        RdbType.StreamListpacks2 => "stream-v2",
        RdbType.SetListpack => "set-listpack",
        RdbType.StreamListpacks3 => "stream-v3",
        RdbType.HashMetadataPreGa => "hash-hashtable-md-pre-release",
        RdbType.HashListpackExPreGa => "hash-listpack-md-pre-release",
        RdbType.HashMetadata => "hash-hashtable-md",
        RdbType.HashListpackEx => "hash-listpack-md",
        RdbType.StreamListpacks4 => "stream-v4",
        RdbType.ValkeyHash2 => "hash-v2",
        _ => "unknown",
    };
}
