// Turns the bytes of a value into what a key has, for every type and encoding ever written. Read needs no
// lock, and builds the whole value beside the key space (LoadedValue); Store makes it a key's. So whatever is
// wrong is thrown before anything is in the key space, and what was built is given up.
//
// Values are always checked in full, whatever sanitize-dump-payload says: each listpack, ziplist, intset and
// stream is walked once with every step checked, and duplicates are looked for. That costs a few nanoseconds
// an element, and no command has to expect a corrupt value.
//
// Small forms that are as ours are taken as they are, by a copy. All else is added element by element, and
// gets the form that commands would have given it.
//
// Memory: nothing is allocated by a count or length that the input does not have the bytes for. The most that
// an input can become is 88 times its size, where it is LZF of one repeated byte; collections of tiny
// elements take some 10 times theirs. A string that is compressed exists twice for a moment.

using Cinnabar.Keyspace.Loading;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>Loads values, one after the other; one thread at a time uses it.</summary>
public sealed class RdbValueLoader : IDisposable
{
    private readonly RdbBuffer _first = new();
    private readonly RdbBuffer _second = new();
    private readonly LoadedValue _value;

    /// <summary>The most bytes that its buffers have had: for tests.</summary>
    internal long BufferBytesMax => (long)_first.SizeMax + _second.SizeMax;

    /// <summary>Makes a loader of values for a key space.</summary>
    /// <param name="access">A view of it, for what does not depend on a key.</param>
    public RdbValueLoader(KeyspaceAccess access) => _value = new LoadedValue(access);

    /// <summary>Reads a value and makes it a key's, which has none: <see cref="Read"/> and
    /// <see cref="Store"/>.</summary>
    public void Load(KeyspaceAccess access, in Key key, RdbType type, ref RdbCursor cursor,
        in RdbLoadOptions options)
    {
        Read(type, ref cursor);
        Store(access, in key, in options);
    }

    /// <summary>Reads a value, without any lock. It is then stored or discarded.</summary>
    /// <exception cref="RdbEndException">It does not end within these bytes.</exception>
    /// <exception cref="RdbEmptyValueException">It has no elements.</exception>
    /// <exception cref="RdbModuleException">It is a module's.</exception>
    /// <exception cref="RdbFormatException">It is corrupt.</exception>
    public void Read(RdbType type, ref RdbCursor cursor)
    {
        bool isRead = false;
        try
        {
            ReadAs(type, ref cursor);
            isRead = true;
        }
        finally
        {
            if (!isRead)
                _value.Discard();
            _first.Trim();
            _second.Trim();
        }
    }

    /// <summary>Makes what was read a key's, which has none; the stripe is locked. Declares
    /// nothing.</summary>
    public void Store(KeyspaceAccess access, in Key key, in RdbLoadOptions options) =>
        _value.Store(access, in key, options.DeadlineMs, options.Use);

    /// <summary>What was read, until it is stored or discarded.</summary>
    public EntryView View => _value.View;

    /// <summary>Gives up what was read and is not stored.</summary>
    public void Discard() => _value.Discard();

    /// <inheritdoc/>
    public void Dispose()
    {
        _value.Discard();
        _first.Dispose();
        _second.Dispose();
    }

    private void ReadAs(RdbType type, ref RdbCursor cursor)
    {
        switch (type)
        {
            case RdbType.String:
                ReadString(ref cursor);
                break;
            case RdbType.List or RdbType.ListZiplist or RdbType.ListQuicklist or RdbType.ListQuicklist2:
                RdbListReader.Read(type, ref cursor, _value, _first);
                break;
            case RdbType.Set or RdbType.SetIntset or RdbType.SetListpack:
                RdbSetReader.Read(type, ref cursor, _value, _first);
                break;
            case RdbType.SortedSet or RdbType.SortedSet2 or RdbType.SortedSetZiplist
                or RdbType.SortedSetListpack:
                RdbSortedSetReader.Read(type, ref cursor, _value, _first);
                break;
            case RdbType.StreamListpacks or RdbType.StreamListpacks2 or RdbType.StreamListpacks3
                or RdbType.StreamListpacks4:
                new RdbStreamReader(type, _value, _first, _second).Read(ref cursor);
                break;
            case RdbType.Module2:
                throw new RdbModuleException(cursor.Offset, new RdbModuleId(cursor.ReadLength()));
            case RdbType.ModulePreGa:
                throw new RdbFormatException(cursor.Offset, "A module's value of an unreleased version");
            default:
                RdbHashReader.Read(type, ref cursor, _value, _first, _second);
                break;
        }
    }

    private void ReadString(ref RdbCursor cursor)
    {
        int start = cursor.Position;
        RdbString text = cursor.ReadString();
        switch (text.Kind)
        {
            case RdbStringKind.Raw:
                _value.SetString(text.Stored);
                break;
            case RdbStringKind.Integer:
                _value.SetInteger(text.Integer);
                break;
            default:
                cursor.Position = start;
                _value.SetString(_first.Text(ref cursor));
                break;
        }
    }
}
