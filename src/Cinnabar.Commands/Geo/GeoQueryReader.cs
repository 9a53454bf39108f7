// The order in which arguments are looked at is Redis's, since it decides which of several errors is replied:
// the key's type first, then what stands at fixed places, then the options from left to right, and what they
// mean together last. A member that is named is looked for at once, unless there is no such key: then
// everything is read as if the member were there, and nothing is found.
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.Geo;

namespace Cinnabar.Commands.Geo;

/// <summary>Reads the arguments of a search, or replies Redis's error.</summary>
/// <param name="execution">The execution.</param>
/// <param name="set">The set that is searched.</param>
/// <param name="isMissing">Whether there is no such key.</param>
internal readonly ref struct GeoQueryReader(Execution execution, SortedSetView set, bool isMissing)
{
    private const int VertexCountMin = 3;

    private static ReadOnlySpan<byte> StoreConflict =>
        "ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options"u8;

    private readonly Execution _execution = execution;
    private readonly SortedSetView _set = set;
    private readonly bool _isMissing = isMissing;

    /// <summary>Reads longitude, latitude, radius and unit of GEORADIUS.</summary>
    internal bool TryReadCircle(ref GeoQuery query)
    {
        if (!TryReadOrigin(ref query, 2))
            return false;
        return TryReadRadius(ref query, 4);
    }

    /// <summary>Reads member, radius and unit of GEORADIUSBYMEMBER.</summary>
    internal bool TryReadCircleOfMember(ref GeoQuery query)
    {
        if (_isMissing)
            return true;
        return TryReadMember(ref query, 2) && TryReadRadius(ref query, 3);
    }

    /// <summary>Reads the options from an argument on.</summary>
    internal bool TryReadOptions(ref GeoQuery query, int first)
    {
        for (int index = first; index < _execution.ArgumentCount;)
        {
            int used = ReadFlag(ref query, index);
            if (used == 0)
            {
                used = ReadShared(ref query, index);
                if (used == 0 && query.IsSearch)
                    used = ReadOrigin(ref query, index);
                if (used == 0 && query.IsSearch)
                    used = ReadShape(ref query, index);
            }

            if (used < 0)
                return false;
            if (used == 0)
            {
                _execution.Reply.Error(Errors.Syntax);
                return false;
            }

            index += used;
        }

        return IsMeaningful(in query);
    }

    // These return how many arguments they have read: 0 where it is something else, -1 where the error was
    // replied.
    private int ReadFlag(ref GeoQuery query, int index)
    {
        if (_execution.Is(index, "withdist"u8))
            query.HasDistance = true;
        else if (_execution.Is(index, "withhash"u8))
            query.HasHash = true;
        else if (_execution.Is(index, "withcoord"u8))
            query.HasPoint = true;
        else if (_execution.Is(index, "any"u8))
            query.IsAny = true;
        else if (_execution.Is(index, "asc"u8))
            query.Order = 1;
        else if (_execution.Is(index, "desc"u8))
            query.Order = -1;
        else
            return 0;
        return 1;
    }

    private int ReadShared(ref GeoQuery query, int index)
    {
        bool hasValue = index + 1 < _execution.ArgumentCount;
        if (_execution.Is(index, "count"u8) && hasValue)
            return TryReadCount(ref query, index + 1) ? 2 : -1;
        bool isDistance = _execution.Is(index, "storedist"u8);
        if (query.IsSearch && isDistance && query.StoreIndex != 0)
        {
            query.StoresDistance = true;
            return 1;
        }

        if (query.IsSearch || !query.MayStore || !hasValue
            || !(isDistance || _execution.Is(index, "store"u8)))
            return 0;
        query.StoreIndex = index + 1;
        query.StoresDistance = isDistance;
        return 2;
    }

    private int ReadOrigin(ref GeoQuery query, int index)
    {
        int left = _execution.ArgumentCount - 1 - index;
        if (query.Kind == GeoShapeKind.Polygon)
            return 0;
        if (_execution.Is(index, "frommember"u8) && left >= 1 && query.Origin != GeoOrigin.Coordinates)
            return TryReadMember(ref query, index + 1) ? 2 : -1;
        if (_execution.Is(index, "fromlonlat"u8) && left >= 2 && query.Origin != GeoOrigin.Member)
            return TryReadOrigin(ref query, index + 1) ? 3 : -1;
        return 0;
    }

    private int ReadShape(ref GeoQuery query, int index)
    {
        int left = _execution.ArgumentCount - 1 - index;
        if (_execution.Is(index, "byradius"u8) && left >= 2 && query.Kind is null or GeoShapeKind.Circle)
            return TryReadRadius(ref query, index + 1) ? 3 : -1;
        if (_execution.Is(index, "bybox"u8) && left >= 3 && query.Kind is null or GeoShapeKind.Box)
            return TryReadBox(ref query, index + 1) ? 4 : -1;
        if (_execution.Is(index, "bypolygon"u8) && left >= 2 && query.Kind is null
            && query.Origin == GeoOrigin.None)
            return ReadPolygon(ref query, index + 1);
        return 0;
    }

    private bool TryReadCount(ref GeoQuery query, int index)
    {
        if (!_execution.TryInteger(index, out long count))
            return false;
        query.CountMax = count;
        if (count > 0)
            return true;
        _execution.Reply.Error("ERR COUNT must be > 0"u8);
        return false;
    }

    private bool TryReadMember(ref GeoQuery query, int index)
    {
        query.NoteMember(index);
        return _isMissing || query.TryFindMember(_execution, _set);
    }

    private bool TryReadOrigin(ref GeoQuery query, int index)
    {
        query.Origin = GeoOrigin.Coordinates;
        bool isRead = GeoArguments.TryReadPoint(_execution, index, out GeoPoint center);
        query.Center = center;
        return isRead;
    }

    private bool TryReadRadius(ref GeoQuery query, int index)
    {
        query.Kind = GeoShapeKind.Circle;
        bool isRead = GeoArguments.TryReadRadius(_execution, index, out double radius, out double unit);
        query.Size = (radius, radius);
        query.Unit = unit;
        return isRead;
    }

    private bool TryReadBox(ref GeoQuery query, int index)
    {
        query.Kind = GeoShapeKind.Box;
        bool isRead = GeoArguments.TryReadBox(
            _execution, index, out (double Width, double Height) size, out double unit);
        query.Size = size;
        query.Unit = unit;
        return isRead;
    }

    private int ReadPolygon(ref GeoQuery query, int index)
    {
        if (!RedisNumber.TryParseInt64(_execution.Argument(index), out long number)
            || number is < int.MinValue or > int.MaxValue)
        {
            _execution.Reply.Error("ERR invalid number of vertices"u8);
            return -1;
        }

        int count = (int)number;
        if (count < VertexCountMin || count > (_execution.ArgumentCount - 1 - index) / 2)
        {
            _execution.Reply.Error("ERR GEOSEARCH BYPOLYGON must have at least 3 vertices"u8);
            return -1;
        }

        Span<GeoPoint> vertices = query.MakePolygon(count);
        for (int vertex = 0; vertex < vertices.Length; vertex++)
        {
            if (!GeoArguments.TryReadPoint(_execution, index + 1 + (2 * vertex), out vertices[vertex]))
                return -1;
        }

        return 2 + (2 * count);
    }

    private bool IsMeaningful(in GeoQuery query)
    {
        if (query.StoreIndex != 0 && (query.HasDistance || query.HasHash || query.HasPoint))
        {
            _execution.Reply.Error(query.IsSearch
                ? "ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options"u8
                : StoreConflict);
            return false;
        }

        bool hasOrigin = query.Origin != GeoOrigin.None || query.Kind == GeoShapeKind.Polygon;
        if (query.IsSearch && !hasOrigin)
        {
            _execution.Reply.Error(
                "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for "u8,
                _execution.Argument(0), ""u8);
            return false;
        }

        if (query.IsSearch && query.Kind is null)
        {
            _execution.Reply.Error(
                "ERR exactly one of BYRADIUS and BYBOX can be specified for "u8,
                _execution.Argument(0), ""u8);
            return false;
        }

        if (!query.IsAny || query.CountMax != 0)
            return true;
        _execution.Reply.Error("ERR the ANY argument requires COUNT argument"u8);
        return false;
    }
}
