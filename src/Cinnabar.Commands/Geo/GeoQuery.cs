using System.Buffers;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.Geo;

namespace Cinnabar.Commands.Geo;

/// <summary>What a search asks for: where, which of the places found, and what of them it replies.</summary>
internal struct GeoQuery : IDisposable
{
    /// <summary>Nothing yet.</summary>
    public GeoQuery()
    {
    }

    /// <summary>Whether it is GEOSEARCH or GEOSEARCHSTORE.</summary>
    public bool IsSearch { get; init; }

    /// <summary>Whether STORE and STOREDIST with a key are options.</summary>
    public bool MayStore { get; init; }

    /// <summary>The argument that names the destination; 0: none.</summary>
    public int StoreIndex { get; set; }

    /// <summary>Whether distances become the scores of what is stored.</summary>
    public bool StoresDistance { get; set; }

    /// <summary>Whether the reply has distances.</summary>
    public bool HasDistance { get; set; }

    /// <summary>Whether the reply has scores.</summary>
    public bool HasHash { get; set; }

    /// <summary>Whether the reply has coordinates.</summary>
    public bool HasPoint { get; set; }

    /// <summary>Whether <see cref="CountMax"/> may be any of the places, not the nearest.</summary>
    public bool IsAny { get; set; }

    /// <summary>The most places; 0: all.</summary>
    public long CountMax { get; set; }

    /// <summary>1: the nearest first, -1: the farthest first, 0: any order.</summary>
    public int Order { get; set; }

    /// <summary>Which shape it is; none yet where it is null.</summary>
    public GeoShapeKind? Kind { get; set; }

    /// <summary>Where the center comes from: not known yet, a member, or coordinates.</summary>
    public GeoOrigin Origin { get; set; }

    /// <summary>The center of a circle or a box.</summary>
    public GeoPoint Center { get; set; }

    /// <summary>The circle's radius twice, or the width and height of the box, in meters.</summary>
    public (double Width, double Height) Size { get; set; }

    /// <summary>The unit of the distances in the reply, in meters.</summary>
    public double Unit { get; set; } = 1;

    private GeoPoint[]? _vertices;
    private int _vertexCount;
    private List<int>? _earlierMembers;
    private int _member;

    public readonly GeoShape Shape => Kind switch
    {
        GeoShapeKind.Circle => GeoShape.Circle(Center, Size.Width),
        GeoShapeKind.Box => GeoShape.Box(Center, Size.Width, Size.Height),
        _ => GeoShape.Polygon(_vertices.AsSpan(0, _vertexCount)),
    };

    /// <summary>Makes it a polygon.</summary>
    /// <param name="count">The number of vertices.</param>
    /// <returns>Where they go.</returns>
    public Span<GeoPoint> MakePolygon(int count)
    {
        Debug.Assert(_vertices is null, "a query has one shape");
        Kind = GeoShapeKind.Polygon;
        _vertices = ArrayPool<GeoPoint>.Shared.Rent(count);
        _vertexCount = count;
        return _vertices.AsSpan(0, count);
    }

    /// <summary>Makes a member the center.</summary>
    /// <param name="index">The argument that names it. Redis looks each up that is named, and takes the
    /// last.</param>
    public void NoteMember(int index)
    {
        if (_member != 0)
            (_earlierMembers ??= []).Add(_member);
        _member = index;
        Origin = GeoOrigin.Member;
    }

    /// <summary>Makes the place of the last member the center, or replies the error.</summary>
    public bool TryFindMember(Execution execution, SortedSetView set) =>
        TryFindMember(execution, set, _member);

    /// <summary>Finds the place of each member again, in a set that may have changed, or replies the
    /// error.</summary>
    public bool TryFindMembers(Execution execution, SortedSetView set)
    {
        foreach (int earlier in _earlierMembers ?? [])
        {
            if (!TryFindMember(execution, set, earlier))
                return false;
        }

        return _member == 0 || TryFindMember(execution, set);
    }

    /// <summary>Gives the memory back.</summary>
    public void Dispose()
    {
        if (_vertices is not null)
            ArrayPool<GeoPoint>.Shared.Return(_vertices);
        _vertices = null;
    }

    private bool TryFindMember(Execution execution, SortedSetView set, int index)
    {
        Debug.Assert(index > 0, "no member was named");
        if (!set.TryGetScore(execution.Argument(index), out double score))
        {
            execution.Reply.Error("ERR could not decode requested zset member"u8);
            return false;
        }

        Center = GeoScore.ToPoint(score);
        return true;
    }
}
