using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Tidy;

/// <summary>The projects and the hand-written C# files of a work tree.</summary>
internal sealed class Repository
{
    private static readonly string[] s_folders = ["src", "tests", "tools", "bench", "lab", "samples"];
    private static readonly string[] s_foreign = ["bin", "obj", "node_modules", "artifacts"];

    /// <summary>Reads the tree below <paramref name="root"/>.</summary>
    /// <exception cref="InvalidOperationException">A C# file lies in no project's folder.</exception>
    public Repository(string root)
    {
        var files = s_folders.Select(folder => Path.Combine(root, folder)).Where(Directory.Exists)
            .SelectMany(Walk).Select(path => Path.GetRelativePath(root, path).Replace('\\', '/'))
            .Order(StringComparer.Ordinal).ToList();
        Projects = [.. files.Where(path => path.EndsWith(".csproj", StringComparison.Ordinal))
            .Select(path => new Project(root, path))];
        Files = [.. files.Where(path => path.EndsWith(".cs", StringComparison.Ordinal)
                && !path.EndsWith(".g.cs", StringComparison.Ordinal))
            .Select(path => new SourceFile(root, path, ProjectOf(path)))];
    }

    /// <summary>Every project, in order of its path.</summary>
    public IReadOnlyList<Project> Projects { get; }

    /// <summary>Every C# file, in order of its path.</summary>
    public IReadOnlyList<SourceFile> Files { get; }

    private static IEnumerable<string> Walk(string folder) =>
        Directory.EnumerateFiles(folder).Concat(Directory.EnumerateDirectories(folder)
            .Where(child => !s_foreign.Contains(Path.GetFileName(child))).SelectMany(Walk));

    private Project ProjectOf(string path) => Projects
        .Where(project => path.StartsWith(project.Folder + "/", StringComparison.Ordinal))
        .MaxBy(project => project.Folder.Length)
        ?? throw new InvalidOperationException($"{path} belongs to no project");
}
