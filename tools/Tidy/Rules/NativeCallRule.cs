using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Tidy.Rules;

/// <summary>Only two modules of the product call the system past the framework, so that everything above them
/// runs on every system and under simulation.</summary>
internal sealed class NativeCallRule : IRule
{
    private static readonly string[] s_modules = ["Cinnabar.Platform", "Cinnabar.Transport"];

    public string Name => "native-call";

    public IEnumerable<Violation> Check(Repository repository) => repository.Files
        .Where(file => file.IsProduct && !s_modules.Contains(file.Project.Name))
        .SelectMany(file => file.All<AttributeSyntax>()
            .Where(attribute => attribute.Name.ToString() is "LibraryImport" or "DllImport")
            .Select(attribute => file.Violation(Name, "", "belongs in Platform or Transport")));
}
