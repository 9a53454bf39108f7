using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Tidy.Rules;

/// <summary>At most two type parameters on a public type: more cannot be read where the type is
/// used.</summary>
internal sealed class TypeParameterRule : IRule
{
    private const int TypeParameterCountMax = 2;

    public string Name => "type-parameters";

    public IEnumerable<Violation> Check(Repository repository) => repository.Files
        .Where(file => file.IsProduct)
        .SelectMany(file => file.All<TypeDeclarationSyntax>()
            .Where(type => type.Arity > TypeParameterCountMax && DocumentationRule.IsVisible(type))
            .Select(type => file.Violation(Name, type.Identifier.Text, $"{type.Arity} type parameters")));
}
