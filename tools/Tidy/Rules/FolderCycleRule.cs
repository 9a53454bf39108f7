using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Tidy.Rules;

/// <summary>
/// The folders of a module are layers: the references between them form no cycle. In a cycle no part can be
/// read, tested or changed without all others.
///
/// A folder refers to another one where its code names a type that is declared there and whose namespace it
/// sees: its own, an outer one, one that the file imports, or one that qualifies the name. A type of an outer
/// namespace needs no import, so the rule checks names, not only imports.
///
/// An exception names one reference from folder to folder, which the rule then takes out of the graph. So the
/// list holds the few references that close a cycle and leaves the others alone.
/// </summary>
internal sealed class FolderCycleRule(Func<Violation, bool> excuses) : IRule
{
    public string Name => "folder-cycle";

    public IEnumerable<Violation> Check(Repository repository) => repository.Projects
        .Where(project => project.Path.StartsWith("src/", StringComparison.Ordinal))
        .SelectMany(project => CheckProject(project,
            [.. repository.Files.Where(file => file.Project == project)]));

    private List<Violation> CheckProject(Project project, SourceFile[] files)
    {
        Dictionary<(string From, string To), string> edges = EdgesOf(files);
        foreach ((string From, string To) edge in Cyclic([.. edges.Keys]))
            if (excuses(ViolationOf(project, edge, "")))
                edges.Remove(edge);
        return [.. Cyclic([.. edges.Keys]).Select(edge => ViolationOf(project, edge, edges[edge]))];
    }

    private Violation ViolationOf(Project project, (string From, string To) edge, string example) =>
        new(Name, project.Folder, $"{FolderOf(project, edge.From)}->{FolderOf(project, edge.To)}",
            $"part of a cycle of folders: {example}");

    private static string FolderOf(Project project, string space) =>
        space == project.RootNamespace ? "." : space[(project.RootNamespace.Length + 1)..].Replace('.', '/');

    // Each pair of namespaces of which one names types of the other, with an example.
    private static Dictionary<(string From, string To), string> EdgesOf(SourceFile[] files)
    {
        var spaces = files
            .SelectMany(file => file.TopLevelTypes.Select(type => (Name: NameOf(type), Space: SpaceOf(file))))
            .ToLookup(type => type.Name, type => type.Space);
        var edges = new Dictionary<(string From, string To), string>();
        foreach (SourceFile file in files)
        {
            string own = SpaceOf(file);
            var imports = file.Root.Usings.Select(item => item.Name?.ToString()).ToHashSet();
            foreach (SimpleNameSyntax name in NamesIn(file))
            {
                foreach (string space in spaces[name.Identifier.Text].Where(space => space != own))
                {
                    bool isSeen = QualifierOf(name) is { } qualifier
                        ? $".{space}".EndsWith($".{qualifier}", StringComparison.Ordinal)
                        : imports.Contains(space) || own.StartsWith($"{space}.", StringComparison.Ordinal);
                    if (isSeen)
                        edges.TryAdd((own, space),
                            $"{System.IO.Path.GetFileName(file.Path)} uses {name.Identifier.Text}");
                }
            }
        }

        return edges;
    }

    // The names in a file that may be a type's: no name of a type that the file declares itself.
    private static IEnumerable<SimpleNameSyntax> NamesIn(SourceFile file)
    {
        var own = file.All<BaseTypeDeclarationSyntax>().Select(type => type.Identifier.Text).ToHashSet();
        return file.All<SimpleNameSyntax>().Where(name => !own.Contains(name.Identifier.Text)
            && name.Parent is not (NameColonSyntax or NameEqualsSyntax or MemberBindingExpressionSyntax));
    }

    // The qualifier of a name; null: none.
    private static string? QualifierOf(SimpleNameSyntax name) => name.Parent switch
    {
        QualifiedNameSyntax parent when parent.Right == name => parent.Left.ToString(),
        MemberAccessExpressionSyntax parent when parent.Name == name => parent.Expression.ToString(),
        _ => null,
    };

    // The edges whose end leads back to their start.
    private static List<(string From, string To)> Cyclic(IReadOnlyList<(string From, string To)> edges)
    {
        ILookup<string, string> next = edges.ToLookup(edge => edge.From, edge => edge.To);
        var reach = edges.Select(edge => edge.To).Distinct().ToDictionary(space => space, space =>
        {
            var seen = new HashSet<string>();
            var left = new Stack<string>([space]);
            while (left.TryPop(out string? from))
                foreach (string to in next[from].Where(seen.Add))
                    left.Push(to);
            return seen;
        });
        return [.. edges.Where(edge => reach[edge.To].Contains(edge.From))
            .OrderBy(edge => $"{edge.From}->{edge.To}", StringComparer.Ordinal)];
    }

    private static string NameOf(MemberDeclarationSyntax type) => type switch
    {
        BaseTypeDeclarationSyntax declaration => declaration.Identifier.Text,
        DelegateDeclarationSyntax declaration => declaration.Identifier.Text,
        _ => throw new ArgumentException($"no type: {type}", nameof(type)),
    };

    private static string SpaceOf(SourceFile file) =>
        file.All<BaseNamespaceDeclarationSyntax>().FirstOrDefault()?.Name.ToString() ?? "";
}
