using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Tidy.Rules;

/// <summary>A file that dereferences pointers says what keeps them valid.</summary>
internal sealed class SafetyCommentRule : IRule
{
    public string Name => "safety-comment";

    public IEnumerable<Violation> Check(Repository repository) => repository.Files
        .Where(file => file.IsProduct && FollowsPointers(file)
            && !file.Comments.Any(IsSafety))
        .Select(file => file.Violation(Name, "", "follows pointers without a // SAFETY: comment"));

    private static bool IsSafety(SyntaxTrivia comment) =>
        comment.ToString().Contains("SAFETY:", StringComparison.Ordinal);

    private static bool FollowsPointers(SourceFile file) => file.Root.DescendantNodes().Any(node =>
        node.Kind() is SyntaxKind.PointerIndirectionExpression or SyntaxKind.PointerMemberAccessExpression);
}
