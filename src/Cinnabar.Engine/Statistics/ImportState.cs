namespace Cinnabar.Engine.Statistics;

/// <summary>How far the import of another server's data has come.</summary>
internal enum ImportState
{
    /// <summary>There is no connection to the source; one is tried.</summary>
    Connecting,

    /// <summary>All keys of the source are copied.</summary>
    Scanning,

    /// <summary>All were copied; what changes at the source is.</summary>
    Following,

    /// <summary>The operator has ended it: what has changed last is copied and compared.</summary>
    Finishing,

    /// <summary>Everything was copied.</summary>
    Finished,

    /// <summary>It has ended without everything.</summary>
    Incomplete,
}
