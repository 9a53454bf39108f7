using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Tidy.Rules;

/// <summary>No type name uses a word that names no responsibility, because then everything moves
/// in.</summary>
internal sealed class NameRule : IRule
{
    private static readonly Regex s_words = new("[A-Z][a-z0-9]*");
    private static readonly string[] s_banned =
        ["Manager", "Helper", "Helpers", "Util", "Utils", "Utility", "Utilities", "Wrapper", "Context"];

    public string Name => "name";

    public IEnumerable<Violation> Check(Repository repository)
    {
        foreach (SourceFile file in repository.Files)
        {
            var names = file.All<BaseTypeDeclarationSyntax>().Select(type => type.Identifier.Text)
                .Concat(file.All<DelegateDeclarationSyntax>().Select(type => type.Identifier.Text))
                .Concat(file.All<BaseNamespaceDeclarationSyntax>().Select(space => space.Name.ToString()));
            foreach (string name in names)
            {
                string? word = s_words.Matches(name).Select(match => match.Value)
                    .FirstOrDefault(s_banned.Contains);
                if (word is not null)
                    yield return file.Violation(Name, name, $"{word} names no responsibility");
            }
        }
    }
}
