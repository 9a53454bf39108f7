using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Tidy.Rules;

/// <summary>Public members are documented: units, shapes, errors. Exempt are members whose meaning is fixed
/// elsewhere: overrides, explicit implementations, operators, values of an enumeration.</summary>
internal sealed class DocumentationRule : IRule
{
    public string Name => "documentation";

    public IEnumerable<Violation> Check(Repository repository) => repository.Files
        .Where(file => file.IsProduct)
        .SelectMany(file => file.All<MemberDeclarationSyntax>()
            .Where(member => IsVisible(member) && !IsGivenElsewhere(member) && !IsDocumented(member))
            .Select(member => file.Violation(Name, NameOf(member), "public and not documented")));

    /// <summary>Whether other modules see the member.</summary>
    internal static bool IsVisible(MemberDeclarationSyntax member) =>
        member is not (BaseNamespaceDeclarationSyntax or GlobalStatementSyntax or EnumMemberDeclarationSyntax)
        && (member.Modifiers.Any(modifier => modifier.IsKind(SyntaxKind.PublicKeyword))
            || member.Parent is InterfaceDeclarationSyntax)
        && member.Ancestors().OfType<TypeDeclarationSyntax>()
            .All(type => type.Modifiers.Any(modifier => modifier.IsKind(SyntaxKind.PublicKeyword)));

    private static bool IsGivenElsewhere(MemberDeclarationSyntax member) =>
        member is OperatorDeclarationSyntax or ConversionOperatorDeclarationSyntax
        || member.Modifiers.Any(modifier => modifier.IsKind(SyntaxKind.OverrideKeyword));

    private static bool IsDocumented(MemberDeclarationSyntax member) => member.GetLeadingTrivia()
        .Any(trivia => trivia.IsKind(SyntaxKind.SingleLineDocumentationCommentTrivia)
            || trivia.IsKind(SyntaxKind.MultiLineDocumentationCommentTrivia));

    private static string NameOf(MemberDeclarationSyntax member) => member switch
    {
        BaseTypeDeclarationSyntax type => type.Identifier.Text,
        DelegateDeclarationSyntax type => type.Identifier.Text,
        MethodDeclarationSyntax method => method.Identifier.Text,
        ConstructorDeclarationSyntax constructor => $"{constructor.Identifier.Text}()",
        PropertyDeclarationSyntax property => property.Identifier.Text,
        EventDeclarationSyntax occurrence => occurrence.Identifier.Text,
        BaseFieldDeclarationSyntax field => field.Declaration.Variables[0].Identifier.Text,
        _ => "this",
    };
}
