using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Tidy;

/// <summary>One C# file that a person wrote, parsed.</summary>
internal sealed class SourceFile
{
    private static readonly CSharpParseOptions s_options = new(LanguageVersion.Preview);

    /// <summary>Reads and parses <paramref name="path"/>, relative to <paramref name="root"/>.</summary>
    public SourceFile(string root, string path, Project project)
    {
        Path = path;
        Project = project;
        string text = File.ReadAllText(System.IO.Path.Combine(root, path));
        Lines = text.TrimEnd('\n').Split('\n');
        Root = (CompilationUnitSyntax)CSharpSyntaxTree.ParseText(text, s_options).GetRoot();
    }

    /// <summary>Relative to the repository's root, with forward slashes.</summary>
    public string Path { get; }

    /// <summary>The project whose folder holds the file.</summary>
    public Project Project { get; }

    /// <summary>The file's lines without their ends.</summary>
    public string[] Lines { get; }

    /// <summary>The syntax tree's root.</summary>
    public CompilationUnitSyntax Root { get; }

    /// <summary>Whether the file belongs to the product.</summary>
    public bool IsProduct => Path.StartsWith("src/", StringComparison.Ordinal);

    /// <summary>Whether the file is part of a test project.</summary>
    public bool IsTest => Path.StartsWith("tests/", StringComparison.Ordinal);

    /// <summary>Types and delegates that are nested in no other type.</summary>
    public IEnumerable<MemberDeclarationSyntax> TopLevelTypes =>
        Root.DescendantNodes(node => node is CompilationUnitSyntax or BaseNamespaceDeclarationSyntax)
            .OfType<MemberDeclarationSyntax>()
            .Where(member => member is BaseTypeDeclarationSyntax or DelegateDeclarationSyntax);

    /// <summary>All nodes of one kind.</summary>
    public IEnumerable<T> All<T>() where T : SyntaxNode => Root.DescendantNodes().OfType<T>();

    /// <summary>Every comment, documentation included.</summary>
    public IEnumerable<SyntaxTrivia> Comments => Root.DescendantTrivia().Where(trivia =>
        trivia.Kind() is SyntaxKind.SingleLineCommentTrivia or SyntaxKind.MultiLineCommentTrivia
            or SyntaxKind.SingleLineDocumentationCommentTrivia
            or SyntaxKind.MultiLineDocumentationCommentTrivia);

    /// <summary>A violation in this file.</summary>
    public Violation Violation(string rule, string subject, string message) =>
        new(rule, Path, subject, message);
}
