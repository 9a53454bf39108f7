using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Tidy.Rules;

/// <summary><c>partial</c> only where a generator writes the other part (it then has an attribute to find,
/// or a member to fill in): spread over files by hand it hides how large a type has grown.</summary>
internal sealed class PartialRule : IRule
{
    public string Name => "partial";

    public IEnumerable<Violation> Check(Repository repository)
    {
        var parts = repository.Files
            .SelectMany(file => file.All<TypeDeclarationSyntax>().Where(IsPartial)
                .Select(type => (file, type)))
            .GroupBy(part => (part.file.Project.Path, FullName(part.type)));
        foreach (var type in parts)
        {
            bool isSplit = type.Count() > 1;
            foreach (var (file, part) in type)
            {
                if (isSplit)
                    yield return file.Violation(Name, part.Identifier.Text, "split over hand-written parts");
                else if (!HasGeneratedPart(part))
                    yield return file.Violation(Name, part.Identifier.Text, "without a generated part");
            }
        }
    }

    private static bool IsPartial(MemberDeclarationSyntax member) =>
        member.Modifiers.Any(modifier => modifier.IsKind(SyntaxKind.PartialKeyword));

    // A type around a generated one has to be partial too.
    private static bool HasGeneratedPart(TypeDeclarationSyntax type) => type.AttributeLists.Count > 0
        || type.Members.Any(member => IsPartial(member)
            && (member is not TypeDeclarationSyntax nested || HasGeneratedPart(nested)));

    private static string FullName(TypeDeclarationSyntax type) =>
        string.Join('.', type.AncestorsAndSelf().Reverse().Select(node => node switch
        {
            BaseNamespaceDeclarationSyntax space => space.Name.ToString(),
            TypeDeclarationSyntax outer => $"{outer.Identifier.Text}`{outer.Arity}",
            _ => "",
        }));
}
