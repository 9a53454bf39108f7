namespace Cinnabar.Engine.Replication.Replicas;

/// <summary>What a replica wants of the data (<c>REPLCONF rdb-filter-only</c>).</summary>
[Flags]
internal enum PayloadParts
{
    /// <summary>Nothing but the frame of the file.</summary>
    None = 0,

    /// <summary>The keys.</summary>
    Keys = 1,

    /// <summary>The libraries of functions.</summary>
    Functions = 2,

    /// <summary>Everything.</summary>
    All = Keys | Functions,
}
