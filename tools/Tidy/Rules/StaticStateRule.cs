using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Tidy.Rules;

/// <summary>No state outside objects, because several servers live in one process and a test must be able
/// to make a fresh one; and none per thread, because a loop is no thread. Test classes of their own are
/// free.</summary>
internal sealed class StaticStateRule : IRule
{
    private static readonly string[] s_mutable =
    [
        "List", "Dictionary", "HashSet", "Queue", "Stack", "StringBuilder", "ThreadLocal", "AsyncLocal",
        "ConcurrentDictionary", "ConcurrentQueue", "ConcurrentBag", "ConcurrentStack", "SortedDictionary",
    ];

    public string Name => "static-state";

    public IEnumerable<Violation> Check(Repository repository)
    {
        foreach (SourceFile file in repository.Files)
        {
            if (file.IsTest && !file.Path.StartsWith("tests/Support/", StringComparison.Ordinal))
                continue;
            foreach (BaseFieldDeclarationSyntax field in file.All<BaseFieldDeclarationSyntax>())
                if (IsMutable(field))
                    yield return file.Violation(Name, field.Declaration.Variables[0].Identifier.Text,
                        "state that is static or belongs to a thread");
            foreach (PropertyDeclarationSyntax property in file.All<PropertyDeclarationSyntax>())
                if (Has(property, SyntaxKind.StaticKeyword) && IsSettableStore(property))
                    yield return file.Violation(Name, property.Identifier.Text, "a static that stores");
        }
    }

    private static bool IsMutable(BaseFieldDeclarationSyntax field)
    {
        if (field.AttributeLists.SelectMany(list => list.Attributes)
            .Any(attribute => attribute.Name.ToString() is "ThreadStatic" or "ThreadStaticAttribute"))
            return true;
        if (!Has(field, SyntaxKind.StaticKeyword)) return false;
        if (!Has(field, SyntaxKind.ReadOnlyKeyword)) return true;
        return field.Declaration.Type.DescendantNodesAndSelf().OfType<SimpleNameSyntax>().Take(1)
            .Any(name => s_mutable.Contains(name.Identifier.Text));
    }

    private static bool IsSettableStore(PropertyDeclarationSyntax property) =>
        property.AccessorList is { } list
        && list.Accessors.Any(accessor => accessor.Keyword.IsKind(SyntaxKind.SetKeyword)
            && accessor.Body is null && accessor.ExpressionBody is null);

    private static bool Has(MemberDeclarationSyntax member, SyntaxKind kind) =>
        member.Modifiers.Any(modifier => modifier.IsKind(kind));
}
