using Cinnabar.Engine.Scripts;

namespace Cinnabar.Engine.Durability;

/// <summary>How a file of data is loaded.</summary>
internal readonly record struct DataLoadOptions
{
    /// <summary>Whether a key takes the place of one that is there; else that is an error.</summary>
    public bool ReplacesKeys { get; init; }

    /// <summary>Whether keys past their deadline are loaded, too: commands of an append only file that follow
    /// may refer to them.</summary>
    public bool KeepsExpired { get; init; }

    /// <summary>Whether the server goes on with the replication stream that the file names, if it names one.
    /// Then keys past their deadline are loaded, too: they are removed afterwards, which replicas must
    /// hear.</summary>
    public bool ResumesStream { get; init; }

    /// <summary>Gets the libraries of functions where the data go beside the server's own: the keys into the
    /// key space's reserve. Null: all become the server's.</summary>
    public List<FunctionLibrary>? Libraries { get; init; }

    /// <summary>Whether the caller holds all stripes.</summary>
    public bool IsHoldingStripes { get; init; }
}
