using Cinnabar.Security.Rules;

namespace Cinnabar.Security.Users;

/// <summary>The first wrong rule of several.</summary>
/// <param name="Rule">The rule; of a selector without an end, its first word.</param>
/// <param name="Error">What is wrong with it, in Redis's words.</param>
public sealed record RuleFault(string Rule, string Error)
{
    /// <summary>Whether it is a selector whose parenthesis has no end.</summary>
    public bool IsOpenSelector => Error == RuleErrors.OpenSelector;

    /// <summary>Whether it names a command or category that there is not.</summary>
    public bool IsUnknownCommand => Error == RuleErrors.UnknownCommand;
}
