namespace Cinnabar.Engine.Lanes;

/// <summary>What an execution runs that is overdue.</summary>
internal enum OverdueKind
{
    /// <summary>A command.</summary>
    Command,

    /// <summary>A script.</summary>
    Script,

    /// <summary>A function of a library.</summary>
    Function,
}
