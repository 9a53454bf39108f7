namespace Tidy;

/// <summary>One place that breaks a rule. <see cref="Subject"/> (a type, a method, or empty for the whole
/// file) and not a line number names it, so that an exception survives edits elsewhere in the
/// file.</summary>
internal sealed record Violation(string Rule, string Path, string Subject, string Message)
{
    /// <summary>How the exceptions file names this violation.</summary>
    public string Key => Subject.Length == 0 ? $"{Rule} {Path}" : $"{Rule} {Path}:{Subject}";
}
