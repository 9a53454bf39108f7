using System;
using System.Collections.Generic;
using System.Linq;

namespace Tidy.Rules;

/// <summary>Pointers stay low: commands and all that is above the engine see spans and typed views.</summary>
internal sealed class UnsafeProjectRule : IRule
{
    private static readonly string[] s_safe =
        ["Cinnabar.Commands", "Cinnabar.Lua", "Cinnabar.Security", "Cinnabar.Server"];

    public string Name => "unsafe-project";

    public IEnumerable<Violation> Check(Repository repository) => repository.Projects
        .Where(project => project.Path.StartsWith("src/", StringComparison.Ordinal)
            && project.AllowsUnsafe && s_safe.Contains(project.Name))
        .Select(project => new Violation(Name, project.Path, "", "a module without pointers"));
}
