using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Tidy.Rules;

/// <summary>One top-level type a file, named as the file; one file-scoped namespace, named as the folder: a
/// type's name gives its file.</summary>
internal sealed class LayoutRule : IRule
{
    public string Name => "layout";

    public IEnumerable<Violation> Check(Repository repository) => repository.Files.SelectMany(CheckFile);

    private IEnumerable<Violation> CheckFile(SourceFile file)
    {
        var names = file.TopLevelTypes.Select(NameOf).Distinct().ToList();
        if (names.Count == 0) yield break;
        string fileName = System.IO.Path.GetFileNameWithoutExtension(file.Path);
        if (names.Count > 1)
            yield return file.Violation(Name, "", $"several top-level types: {string.Join(", ", names)}");
        else if (names[0] != fileName)
            yield return file.Violation(Name, "", $"the type {names[0]} belongs in {names[0]}.cs");
        string wanted = NamespaceOf(file);
        var spaces = file.All<BaseNamespaceDeclarationSyntax>().ToList();
        if (spaces.Count != 1 || spaces[0] is not FileScopedNamespaceDeclarationSyntax)
            yield return file.Violation(Name, "", "one file-scoped namespace is wanted");
        else if (spaces[0].Name.ToString() != wanted)
            yield return file.Violation(Name, "", $"the folder's namespace is {wanted}");
    }

    private static string NameOf(MemberDeclarationSyntax type) => type switch
    {
        BaseTypeDeclarationSyntax declaration => declaration.Identifier.Text,
        DelegateDeclarationSyntax declaration => declaration.Identifier.Text,
        _ => throw new ArgumentException($"no type: {type}", nameof(type)),
    };

    private static string NamespaceOf(SourceFile file)
    {
        string inner = file.Path[(file.Project.Folder.Length + 1)..];
        int end = inner.LastIndexOf('/');
        string root = file.Project.RootNamespace;
        return end < 0 ? root : $"{root}.{inner[..end].Replace('/', '.')}";
    }
}
