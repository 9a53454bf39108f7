namespace Cinnabar.Engine.Configuration.Registry;

/// <summary>What CONFIG REWRITE writes beside the directives that differ from their defaults.</summary>
/// <param name="IsComplete">Whether directives at their default are written, too.</param>
/// <param name="UserLines">The lines of users, without their first word; null: those of the file
/// stay.</param>
internal readonly record struct RewriteChoice(bool IsComplete, List<string>? UserLines);
