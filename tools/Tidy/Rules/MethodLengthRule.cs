using System.Collections.Generic;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Tidy.Rules;

/// <summary>A method fits on one screen, from its name to its last brace.</summary>
internal sealed class MethodLengthRule : IRule
{
    private const int LineCountMax = 70;

    public string Name => "method-length";

    public IEnumerable<Violation> Check(Repository repository)
    {
        foreach (SourceFile file in repository.Files)
            foreach (SyntaxNode node in file.Root.DescendantNodes())
            {
                SyntaxToken? name = NameOf(node);
                if (name is null) continue;
                int first = name.Value.GetLocation().GetLineSpan().StartLinePosition.Line;
                int size = node.GetLocation().GetLineSpan().EndLinePosition.Line - first + 1;
                if (size > LineCountMax)
                    yield return file.Violation(Name, name.Value.Text, $"{size} lines");
            }
    }

    private static SyntaxToken? NameOf(SyntaxNode node) => node switch
    {
        MethodDeclarationSyntax method => method.Identifier,
        ConstructorDeclarationSyntax constructor => constructor.Identifier,
        DestructorDeclarationSyntax destructor => destructor.Identifier,
        OperatorDeclarationSyntax operation => operation.OperatorToken,
        LocalFunctionStatementSyntax local => local.Identifier,
        AccessorDeclarationSyntax accessor => accessor.Keyword,
        PropertyDeclarationSyntax { ExpressionBody: not null } property => property.Identifier,
        _ => null,
    };
}
