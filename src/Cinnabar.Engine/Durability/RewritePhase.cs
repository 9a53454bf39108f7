namespace Cinnabar.Engine.Durability;

/// <summary>What a rewrite of the append-only file waits for.</summary>
internal enum RewritePhase
{
    /// <summary>None is under way.</summary>
    None,

    /// <summary>For its base, and for the stream to go on in the next increment.</summary>
    BaseAndSwitch,

    /// <summary>For its base.</summary>
    Base,

    /// <summary>For the switch of the stream.</summary>
    Switch,

    /// <summary>For nothing, or for the end of a load that reads the files.</summary>
    Complete,
}
