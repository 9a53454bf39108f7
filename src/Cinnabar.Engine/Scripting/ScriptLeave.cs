namespace Cinnabar.Engine.Scripting;

/// <summary>Where a script must run again, from its beginning.</summary>
internal enum ScriptLeave
{
    /// <summary>Nowhere: it stays.</summary>
    None,

    /// <summary>Off its loop, with the stripes that it holds.</summary>
    OffLoop,

    /// <summary>With all stripes.</summary>
    AllStripes,
}
