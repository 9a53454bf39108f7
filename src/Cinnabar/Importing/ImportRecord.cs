// What a server must know of its import when it starts again: the file import.state in its directory.
//
//   source redis://10.0.0.1:6379      whose keys it has
//   state running | finished
//   events redis://10.0.0.1:6379 KEA  what notify-keyspace-events was there before, for each master
//
// Without it the keys of a server could be taken for those of an import, and be deleted because the source
// does not have them; and a server that is restarted long after its import, with the same command line, would
// overwrite what its clients have written since.

using System.IO;
using System.Linq;

namespace Cinnabar.Importing;

/// <summary>The record of an import.</summary>
internal sealed class ImportRecord
{
    private const string FileName = "import.state";
    private const string Finished = "finished";
    private const string Running = "running";

    private readonly string _path;
    private readonly string _source;
    private readonly Lock _lock = new();
    private readonly Dictionary<string, string> _events = [];

    /// <summary>Reads the record of a source.</summary>
    /// <param name="directory">The server's directory.</param>
    /// <param name="source">The source, without user and password.</param>
    /// <exception cref="IOException">It cannot be read.</exception>
    public ImportRecord(string directory, string source)
    {
        (_path, _source) = (Path.Combine(directory, FileName), source);
        string[] lines = File.Exists(_path) ? File.ReadAllLines(_path) : [];
        IsOfSource = lines.Contains("source " + source);
        if (!IsOfSource)
            return;
        IsFinished = lines.Contains("state " + Finished);
        foreach (string line in lines)
        {
            if (line.Split(' ') is ["events", { } place, .. { } flags])
                _events[place] = string.Join(' ', flags);
        }
    }

    /// <summary>Whether the server's keys are of this source.</summary>
    public bool IsOfSource { get; private set; }

    /// <summary>Whether the import has finished.</summary>
    public bool IsFinished { get; private set; }

    /// <summary>The file.</summary>
    public string FilePath => _path;

    /// <summary>The import begins, or goes on.</summary>
    public void Begin()
    {
        lock (_lock)
        {
            IsOfSource = true;
            Write();
        }
    }

    /// <summary>The import has finished.</summary>
    public void Finish()
    {
        lock (_lock)
        {
            IsFinished = true;
            Write();
        }
    }

    /// <summary>Notes what a master's events were before the import, unless that is noted.</summary>
    public void NoteEvents(string place, string flags)
    {
        lock (_lock)
        {
            if (_events.TryAdd(place, flags))
                Write();
        }
    }

    /// <summary>What a master's events were before the import; null: they were not changed.</summary>
    public string? EventsOf(string place)
    {
        lock (_lock)
            return _events.GetValueOrDefault(place);
    }

    private void Write()
    {
        List<string> lines = [$"source {_source}", $"state {(IsFinished ? Finished : Running)}"];
        foreach ((string place, string flags) in _events)
            lines.Add($"events {place} {flags}");
        string draft = _path + ".new";
        File.WriteAllLines(draft, lines);
        File.Move(draft, _path, overwrite: true);
    }
}
