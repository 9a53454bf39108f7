using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Tidy.Rules;

/// <summary>At most five parameters: more need a type of their own. Exempt are records (they are that type),
/// and given signatures: a system call's, a base type's.</summary>
internal sealed class ParameterRule : IRule
{
    private const int ParameterCountMax = 5;

    public string Name => "parameters";

    public IEnumerable<Violation> Check(Repository repository)
    {
        foreach (SourceFile file in repository.Files)
            foreach (ParameterListSyntax list in file.All<ParameterListSyntax>())
            {
                SyntaxNode owner = list.Parent!;
                int count = list.Parameters.Count;
                if (count > ParameterCountMax && !IsGiven(owner))
                    yield return file.Violation(Name, NameOf(owner), $"{count} parameters");
            }
    }

    private static bool IsGiven(SyntaxNode owner) => owner switch
    {
        RecordDeclarationSyntax => true,
        MethodDeclarationSyntax method => method.ExplicitInterfaceSpecifier is not null
            || method.Modifiers.Any(modifier =>
                modifier.Kind() is SyntaxKind.OverrideKeyword or SyntaxKind.ExternKeyword)
            || method.AttributeLists.SelectMany(list => list.Attributes)
                .Any(attribute => attribute.Name.ToString() == "LibraryImport"),
        _ => false,
    };

    private static string NameOf(SyntaxNode owner) => owner switch
    {
        MethodDeclarationSyntax method => method.Identifier.Text,
        ConstructorDeclarationSyntax constructor => constructor.Identifier.Text,
        BaseTypeDeclarationSyntax type => type.Identifier.Text,
        DelegateDeclarationSyntax type => type.Identifier.Text,
        LocalFunctionStatementSyntax local => local.Identifier.Text,
        _ => "lambda",
    };
}
