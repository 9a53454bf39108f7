namespace Cinnabar.Security.Logging;

/// <summary>Where a denied command stood.</summary>
public enum DenialPlace
{
    /// <summary>By itself.</summary>
    TopLevel,

    /// <summary>In a transaction.</summary>
    Transaction,

    /// <summary>In a script.</summary>
    Script,
}
