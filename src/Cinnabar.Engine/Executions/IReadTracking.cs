using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Executions;

/// <summary>Notes what clients that cache values have read.</summary>
internal interface IReadTracking
{
    /// <summary>Notes the keys that a command has read, if its session tracks them; their stripes are
    /// held.</summary>
    void Remember(SessionExecution execution, CommandSpec spec);

    /// <summary>Notes the keys of some arguments, whose stripes are held: those that a script declares are
    /// noted when one of its commands reads.</summary>
    void RememberKeys(SessionExecution execution, CommandSpec spec, ArgumentList arguments);

    /// <summary>Whether keys of a stripe must go because the limit was lowered.</summary>
    bool NeedsTrim(Stripe stripe);

    /// <summary>Takes some keys of a locked stripe out until the limit holds.</summary>
    void Trim(Stripe stripe);
}
