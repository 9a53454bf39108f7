using System;
using System.Collections.Generic;

namespace Tidy.Rules;

/// <summary>A module may use only the modules above it, and the product never a project that builds, measures
/// or tests it: an upward reference is how a common library ends up knowing its users.</summary>
internal sealed class ReferenceRule : IRule
{
    private static readonly string[] s_order =
    [
        "Cinnabar.Platform", "Cinnabar.Memory", "Cinnabar.Resp", "Cinnabar.Structures", "Cinnabar.Keyspace",
        "Cinnabar.Commands", "Cinnabar.Persistence", "Cinnabar.Lua", "Cinnabar.Security",
        "Cinnabar.Replication", "Cinnabar.Messaging",
        "Cinnabar.Engine", "Cinnabar.Transport", "Cinnabar", "Cinnabar.Server",
    ];

    public string Name => "reference";

    public IEnumerable<Violation> Check(Repository repository)
    {
        foreach (Project project in repository.Projects)
        {
            if (!project.Path.StartsWith("src/", StringComparison.Ordinal)) continue;
            int own = Array.IndexOf(s_order, project.Name);
            if (own < 0) yield return new(Name, project.Path, "", "a module without a place in the order");
            foreach (string reference in project.References)
            {
                string name = System.IO.Path.GetFileNameWithoutExtension(reference);
                int other = Array.IndexOf(s_order, name);
                if (!reference.StartsWith("src/", StringComparison.Ordinal) || other < 0 || other >= own)
                    yield return new(Name, project.Path, name, "not one of the modules above this one");
            }
        }
    }
}
