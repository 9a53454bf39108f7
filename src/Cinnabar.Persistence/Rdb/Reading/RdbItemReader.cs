// The level of a file above its values: items, each an opcode and what belongs to it, or a key.
//
//   250 name text                              a field that describes the file
//   254 number                                 the database of the next keys
//   251 keys, keys with a deadline             a hint
//   245 code | 246 name engine [text] code     a library of functions
//   247 ID, 2, when, parts                     a module's data
//   244 slot, keys, keys with a deadline       a hint; 243 of Valkey: name, ranges of slots
//   [252 time | 253 time] [248 idle] [249 counter] [243 metadata]   type name value
//   255                                        the end
//
// What stands before a key's type belongs to the key even where another item comes in between, as in Redis.

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>Reads the items of a file of one version.</summary>
/// <param name="version">The version.</param>
public readonly struct RdbItemReader(RdbVersion version)
{
    private const int MetadataNameShift = 8;
    private const int MetadataIgnorable = 1;
    private const int MetadataClassCountMax = 7;
    private const long MillisecondsPerSecond = 1000;

    /// <summary>The file's version.</summary>
    public RdbVersion Version { get; } = version;

    /// <summary>Reads the next item; of a key, all but its value.</summary>
    /// <param name="cursor">At the item; then behind it, or at the value of a key.</param>
    /// <param name="prelude">What belongs to the next key; the caller clears it behind a key.</param>
    /// <param name="item">Receives the item.</param>
    /// <exception cref="RdbEndException">It does not end within these bytes; the prelude is
    /// undefined.</exception>
    /// <exception cref="RdbFormatException">It is none.</exception>
    public void Read(ref RdbCursor cursor, ref RdbPrelude prelude, scoped ref RdbItem item)
    {
        while (true)
        {
            long at = cursor.Offset;
            byte code = cursor.ReadByte();
            if (Version.TryTypeOf(code, out item.Type))
            {
                item.Kind = RdbItemKind.Key;
                item.NamePosition = cursor.Position;
                return;
            }

            if (!TryReadPrelude(ref cursor, (RdbOpcode)code, ref prelude))
            {
                ReadOther(ref cursor, at, code, ref item);
                return;
            }
        }
    }

    private bool TryReadPrelude(ref RdbCursor cursor, RdbOpcode code, ref RdbPrelude prelude)
    {
        switch (code)
        {
            case RdbOpcode.ExpireTimeMs:
                prelude.DeadlineMs = Deadline(cursor.ReadInt64());
                return true;
            case RdbOpcode.ExpireTime:
                prelude.DeadlineMs = Deadline(cursor.ReadInt32() * MillisecondsPerSecond);
                return true;
            case RdbOpcode.Frequency:
                prelude.Frequency = cursor.ReadByte();
                return true;
            case RdbOpcode.Idle:
                prelude.IdleSeconds = (long)Math.Min(cursor.ReadLength(), int.MaxValue);
                return true;
            case RdbOpcode.KeyMetadata when Version.Dialect == RdbDialect.Redis:
                prelude.MetadataClass = ReadMetadata(ref cursor) ?? prelude.MetadataClass;
                return true;
            default:
                return false;
        }
    }

    // -1 is none; what is before 1970 has passed.
    private static long Deadline(long unixMs) => unixMs == -1 ? -1 : Math.Max(unixMs, 0);

    private void ReadOther(ref RdbCursor cursor, long at, byte code, scoped ref RdbItem item)
    {
        switch ((RdbOpcode)code)
        {
            case RdbOpcode.Aux:
                item.Kind = RdbItemKind.Aux;
                item.Name = cursor.ReadString();
                item.Text = cursor.ReadString();
                break;
            case RdbOpcode.SelectDatabase:
                (item.Kind, item.Number) = (RdbItemKind.SelectDatabase, cursor.ReadLength());
                break;
            case RdbOpcode.ResizeDatabase:
                (item.Kind, item.Number) = (RdbItemKind.ResizeDatabase, cursor.ReadLength());
                cursor.ReadLength();
                break;
            case RdbOpcode.SlotInfo:
                item.Kind = RdbItemKind.Slot;
                cursor.ReadLength();
                cursor.ReadLength();
                cursor.ReadLength();
                break;
            case RdbOpcode.SlotImport:
                item.Kind = RdbItemKind.Slot;
                cursor.SkipString();
                for (long left = cursor.ReadCountOrZero(2); left > 0; left--)
                {
                    cursor.ReadLength();
                    cursor.ReadLength();
                }

                break;
            case RdbOpcode.Function2:
                item.Kind = RdbItemKind.Function;
                item.Name = cursor.ReadString();
                break;
            case RdbOpcode.FunctionPreGa:
                throw new RdbFormatException(at, "Pre-release function format not supported.");
            case RdbOpcode.ModuleAux:
                ReadModuleAux(ref cursor, ref item);
                break;
            case RdbOpcode.End:
                item.Kind = RdbItemKind.End;
                break;
            default:
                throw new RdbTypeException(at, code);
        }
    }

    private static void ReadModuleAux(ref RdbCursor cursor, scoped ref RdbItem item)
    {
        const ulong When = 2;
        (item.Kind, item.Number) = (RdbItemKind.ModuleAux, cursor.ReadLength());
        long at = cursor.Offset;
        if (cursor.ReadLength() != When)
            throw new RdbFormatException(at, "Bad when_opcode");
        cursor.ReadLength();
        RdbValueSkipper.SkipModuleParts(ref cursor);
    }

    // A class: 24 bits of name, 5 of version, 3 of flags; the flag says that a server without the module may
    // leave the metadata out.
    private static string? ReadMetadata(ref RdbCursor cursor)
    {
        string? needed = null;
        long at = cursor.Offset;
        long count = cursor.ReadCountOrZero(sizeof(int) + 1);
        if (count > MetadataClassCountMax)
            throw new RdbFormatException(at, $"Too many metadata classes: {count}");
        for (; count > 0; count--)
        {
            uint one = (uint)cursor.ReadInt32();
            if ((one & MetadataIgnorable) == 0)
                needed = NameOf(one >> MetadataNameShift);
            RdbValueSkipper.SkipModuleParts(ref cursor);
        }

        return needed;
    }

    // Its characters are the last four of a module type's nine.
    private static string NameOf(uint name)
    {
        const int NameLength = 4;
        const int ModuleVersionBits = 10;
        return new RdbModuleId((ulong)name << ModuleVersionBits).Name[^NameLength..];
    }
}
