using System.Collections.Generic;
using System.Linq;
using System.Xml.Linq;

namespace Tidy;

/// <summary>What the rules need of one .csproj file.</summary>
internal sealed class Project
{
    private readonly XDocument _document;

    /// <summary>Reads <paramref name="path"/>, relative to <paramref name="root"/>.</summary>
    public Project(string root, string path)
    {
        Path = path;
        _document = XDocument.Load(System.IO.Path.Combine(root, path));
    }

    /// <summary>Relative to the repository's root, with forward slashes.</summary>
    public string Path { get; }

    /// <summary>The project's folder, without a slash at its end.</summary>
    public string Folder => Path[..Path.LastIndexOf('/')];

    /// <summary>The file's name without its extension.</summary>
    public string Name => System.IO.Path.GetFileNameWithoutExtension(Path);

    /// <summary>The namespace of the project's folder.</summary>
    public string RootNamespace => Property("RootNamespace") ?? Name;

    /// <summary>Whether the project's code may use pointers.</summary>
    public bool AllowsUnsafe => Property("AllowUnsafeBlocks") == "true";

    /// <summary>Folder-relative paths of the projects referenced as libraries; a source generator is a tool
    /// of the compiler and no reference of the program.</summary>
    public IEnumerable<string> References => _document.Descendants("ProjectReference")
        .Where(reference => (string?)reference.Attribute("OutputItemType") != "Analyzer")
        .Select(reference => Resolve((string)reference.Attribute("Include")!));

    private string? Property(string name) => _document.Descendants(name).LastOrDefault()?.Value;

    private string Resolve(string include)
    {
        var parts = new List<string>(Folder.Split('/'));
        foreach (string part in include.Replace('\\', '/').Split('/'))
        {
            if (part == "..") parts.RemoveAt(parts.Count - 1);
            else if (part != ".") parts.Add(part);
        }
        return string.Join('/', parts);
    }
}
