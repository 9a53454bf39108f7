using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;

namespace Cinnabar.Load.Servers;

/// <summary>The resource use of a process and its living children: a server may be behind a script. Read from
/// /proc; on other systems than Linux without children.</summary>
public sealed class ProcessUsage(int process)
{
    /// <summary>Processor time of all threads so far, user's and system's, in seconds.</summary>
    public double CpuSeconds()
    {
        if (!OperatingSystem.IsLinux())
            return Process.GetProcessById(process).TotalProcessorTime.TotalSeconds;
        return Family().Sum(ProcessorPin.ProcessCpuNs) / 1e9;
    }

    /// <summary>Resident memory in bytes.</summary>
    public long ResidentBytes()
    {
        if (!OperatingSystem.IsLinux()) return Process.GetProcessById(process).WorkingSet64;
        return Family().Sum(member => KilobytesOf(member, "Rss:") * 1024);
    }

    /// <summary>Resident memory in bytes, where a page that processes share counts once: that of a server
    /// and its forked child.</summary>
    public long UnsharedBytes()
    {
        if (!OperatingSystem.IsLinux()) return Process.GetProcessById(process).WorkingSet64;
        return Family().Sum(member => KilobytesOf(member, "Pss:") * 1024);
    }

    /// <summary>The threads of its children, and its own threads of a name. Linux only.</summary>
    public IReadOnlyList<int> ThreadsBeside(string name)
    {
        var threads = new List<int>();
        foreach (int member in Family())
            foreach (string task in Tasks(member))
                if (member != process || TextOf(Path.Combine(task, "comm")).Trim() == name)
                    threads.Add((int)Number(Path.GetFileName(task)));
        return threads;
    }

    // The sum over the mappings is exact; the status file's figure lags behind by some pages a thread.
    private static long KilobytesOf(int member, string field)
    {
        string text = Text(member, "smaps_rollup");
        if (text.Length == 0) (text, field) = (Text(member, "status"), "VmRSS:");
        int at = text.IndexOf(field, StringComparison.Ordinal);
        if (at < 0) return 0;
        return Number(text[(at + field.Length)..].Split("kB")[0].Trim());
    }

    private List<int> Family()
    {
        var family = new List<int> { process };
        for (int index = 0; index < family.Count; index++)
        {
            foreach (string task in Tasks(family[index]))
            {
                string children = TextOf(Path.Combine(task, "children"));
                foreach (string child in children.Split(' ', StringSplitOptions.RemoveEmptyEntries))
                    family.Add((int)Number(child));
            }
        }
        return family;
    }

    private static string[] Tasks(int member)
    {
        try
        {
            return Directory.GetDirectories($"/proc/{member}/task");
        }
        catch (DirectoryNotFoundException)
        {
            return []; // It has ended.
        }
    }

    private static string Text(int member, string file) => TextOf($"/proc/{member}/{file}");

    // A process or thread may be gone by now, or another user's: then there is nothing to read.
    private static string TextOf(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}
