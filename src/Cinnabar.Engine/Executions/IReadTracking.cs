using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Executions;

/// <summary>Notes what clients that cache values have read.</summary>
internal interface IReadTracking
{
    /// <summary>Notes the keys that a command has read, if its session tracks them; their stripes are
    /// held.</summary>
    void Remember(SessionExecution execution, CommandSpec spec);

    /// <summary>Whether keys of a stripe must go because the limit was lowered.</summary>
    bool NeedsTrim(Stripe stripe);

    /// <summary>Takes some keys of a locked stripe out until the limit holds.</summary>
    void Trim(Stripe stripe);
}
