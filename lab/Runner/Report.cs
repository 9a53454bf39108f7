using System;
using System.ComponentModel;
using System.Diagnostics;
using System.IO;

namespace Cinnabar.Lab.Runner;

/// <summary>Makes the page from a file of figures, with lab/report. Without node there is no page.</summary>
internal sealed class Report(string root)
{
    private readonly string _folder = Path.Combine(root, "lab/report");

    /// <summary>Writes the page beside the figures; where it is, or null where it could not be
    /// made.</summary>
    public string? Build(string figures)
    {
        string page = Path.ChangeExtension(figures, ".html");
        return Run("build.mjs", figures, page) ? page : null;
    }

    /// <summary>Puts figures, page, what READMEs say of them and pictures where the repository shows them.
    /// </summary>
    public bool Publish(string figures, string page) => Run("publish.mjs", figures, page);

    private bool Run(string script, string figures, string page)
    {
        if (!Directory.Exists(Path.Combine(_folder, "node_modules")))
        {
            Console.Error.WriteLine("lab: no page: run npm ci in lab/report");
            return false;
        }
        try
        {
            using Process? node = Process.Start("node", [Path.Combine(_folder, script), figures, page]);
            node!.WaitForExit();
            return node.ExitCode == 0;
        }
        catch (Win32Exception)
        {
            Console.Error.WriteLine("lab: no page: node is not installed");
            return false;
        }
    }
}
