// How likely the kernel's memory killer is to choose this process: oom-score-adj and oom-score-adj-values.
// The score at the start is read when the directives first change it, and restored when they are switched
// off.

using System.IO;
using System.Threading;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Server.Host;

/// <summary>Applies the directives about the memory killer, on Linux.</summary>
/// <param name="registry">Where the directives stand.</param>
/// <param name="log">Logs what the system refuses.</param>
/// <param name="path">The system's file about this process.</param>
internal sealed class OomScore(
    ConfigurationRegistry registry, ILog log, string path = "/proc/self/oom_score_adj")
{
    private const int ScoreMax = 1000;

    private readonly ConfigurationRegistry _registry = registry;
    private readonly ILog _log = log;
    private readonly string _path = path;
    private readonly Lock _lock = new();
    private int? _startScore;
    private bool _isReplica = registry.TextOf("replicaof").Length > 0;

    /// <summary>Applies the directives now and whenever they change.</summary>
    internal void Follow()
    {
        Apply();
        foreach (string name in (string[])["oom-score-adj", "oom-score-adj-values"])
            _registry.Subscribe(name, Apply);
    }

    /// <summary>Applies the value of the role that the server has from now on.</summary>
    internal void NoteRole(bool isReplica)
    {
        lock (_lock)
            _isReplica = isReplica;
        // What the system refuses is logged: a role is not refused.
        Apply();
    }

    private string? Apply()
    {
        lock (_lock)
            return ApplyLocked();
    }

    private string? ApplyLocked()
    {
        string mode = _registry.TextOf("oom-score-adj");
        if (mode == "no" && _startScore is null)
            return null;
        try
        {
            int start = _startScore ?? int.Parse(File.ReadAllText(_path), CultureInfo.InvariantCulture);
            // The values of a master, of a replica, and of a child process, of which there is none. "yes" is
            // the older word for "relative".
            string[] values = _registry.TextOf("oom-score-adj-values").Split(' ');
            int own = int.Parse(values[_isReplica ? 1 : 0], CultureInfo.InvariantCulture);
            int score = mode switch
            {
                "no" => start,
                "absolute" => own,
                _ => start + own,
            };
            Write(Math.Clamp(score, -ScoreMax, ScoreMax));
            _startScore = mode == "no" ? null : start;
            return null;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            _log.Write(LogLevel.Warning, "Unable to change oom_score_adj: " + fault.Message);
            return "Failed to set current oom_score_adj. Check server logs.";
        }
    }

    private void Write(int score)
    {
        using FileStream file = new(_path, FileMode.Open, FileAccess.Write);
        file.Write(System.Text.Encoding.ASCII.GetBytes(score.ToString(CultureInfo.InvariantCulture) + "\n"));
    }
}
