using System.IO;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Platform;
using Cinnabar.Server.Logging;

namespace Cinnabar.Server.Configuration;

/// <summary>
/// Reads redis.conf, the files it includes, standard input and the options of the command line into a
/// registry, in this order; what comes later overrides. Line numbers count the file, standard input and
/// options as one text, and each included file for itself, as Redis does.
/// </summary>
internal sealed class ConfigurationLoader(ConfigurationRegistry registry)
{
    // Redis recurses until it runs out of files; this is deeper than any sane configuration.
    private const int IncludeDepthMax = 32;

    /// <summary>Loads everything and checks that the server may start.</summary>
    /// <param name="commandLine">The parsed command line.</param>
    /// <param name="standardInput">Is read only when the command line says so.</param>
    /// <exception cref="FatalConfigurationException">The server must not start.</exception>
    internal void Load(CommandLine commandLine, Func<Stream> standardInput)
    {
        StringBuilder text = new();
        if (commandLine.ConfigurationPath is string path)
        {
            registry.FilePath = Path.GetFullPath(path);
            text.Append(ReadFile(registry.FilePath));
        }
        if (commandLine.ReadsStandardInput)
        {
            using Stream input = standardInput();
            using MemoryStream copy = new();
            input.CopyTo(copy);
            text.Append(Encoding.Latin1.GetString(copy.ToArray()));
        }
        if (commandLine.Options.Length > 0)
            text.Append('\n').Append(commandLine.Options);
        LoadText(text.ToString(), depth: 0);
        CheckLogFile();
        if (registry.FindRefusal() is ConfigurationRefusal refusal)
            throw FatalConfigurationException.Refused(refusal);
    }

    private void LoadText(string text, int depth)
    {
        int line = 0;
        foreach (Range range in text.AsSpan().Split('\n'))
        {
            line++;
            string trimmed = text[range].Trim(' ', '\t', '\r', '\n');
            if (trimmed.Length > 0 && trimmed[0] != '#')
                LoadLine(new ConfigurationOrigin(line, trimmed), depth);
        }
    }

    private void LoadLine(ConfigurationOrigin origin, int depth)
    {
        if (ConfigurationText.Split(origin.Text) is not { } words)
            throw FatalConfigurationException.At(origin, "Unbalanced quotes in configuration line");
        if (words.Count == 0)
            return;
        if (words.Count == 2 && words[0].Equals("include", StringComparison.OrdinalIgnoreCase))
        {
            if (depth == IncludeDepthMax)
                throw FatalConfigurationException.At(origin, "Too many nested includes");
            foreach (string path in FindIncluded(ConfigurationText.ToPath(words[1])))
                LoadText(ReadFile(path), depth + 1);
            return;
        }
        string? error = words[0].Equals("sentinel", StringComparison.OrdinalIgnoreCase)
            ? "sentinel directive while not in sentinel mode"
            : registry.Load(words, origin);
        if (error is not null)
            throw FatalConfigurationException.At(origin, error);
    }

    /// <summary>
    /// The files that an include names, in alphabetical order. A pattern may match none; a plain name is
    /// always returned, so that a missing file is an error.
    /// </summary>
    private List<string> FindIncluded(string pattern)
    {
        string path = Path.GetFullPath(pattern, ConfigurationText.ToPath(registry.TextOf("dir")));
        if (!NamePattern.IsPattern(pattern))
            return [path];
        string root = Path.GetPathRoot(path)!;
        List<string> found = [root];
        string[] parts = path[root.Length..].Split(Path.DirectorySeparatorChar,
            StringSplitOptions.RemoveEmptyEntries);
        for (int index = 0; index < parts.Length; index++)
            found = Descend(found, parts[index], isLast: index == parts.Length - 1);
        found.Sort(StringComparer.Ordinal);
        return found;
    }

    private static List<string> Descend(List<string> directories, string part, bool isLast)
    {
        List<string> found = [];
        foreach (string directory in directories)
        {
            foreach (string entry in Directory.Exists(directory)
                ? Directory.GetFileSystemEntries(directory) : [])
            {
                string name = Path.GetFileName(entry);
                bool isHidden = name.StartsWith('.') && !part.StartsWith('.');
                if (!isHidden && NamePattern.Matches(part, name, ignoreCase: false)
                    && (!isLast || !Directory.Exists(entry)))
                    found.Add(entry);
            }
        }
        return found;
    }

    private static string ReadFile(string path)
    {
        try
        {
            return File.ReadAllText(path, Encoding.Latin1);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw FatalConfigurationException.Unreadable(path, SystemErrorText.Of(fault, path));
        }
    }

    private void CheckLogFile()
    {
        string path = ConfigurationText.ToPath(registry.TextOf("logfile"));
        if (path.Length == 0)
            return;
        path = Path.GetFullPath(path, ConfigurationText.ToPath(registry.TextOf("dir")));
        try
        {
            LogFile.Open(path).Dispose();
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            throw FatalConfigurationException.Whole("Can't open the log file: " + SystemErrorText.Of(fault,
                path));
        }
    }
}
