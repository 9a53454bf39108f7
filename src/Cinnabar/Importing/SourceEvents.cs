using System.Linq;
using Cinnabar.Engine.Logging;
using Cinnabar.Resp;

namespace Cinnabar.Importing;

/// <summary>Has a source make the events that its import needs, and puts them back in the end.</summary>
internal static class SourceEvents
{
    private const string Directive = "notify-keyspace-events";

    // Of what A stands for, those that every version has: strings, lists, sets, hashes, sorted sets, all
    // types, expiry, eviction, streams.
    private const string Classes = "g$lshzxet";

    /// <summary>Has a source make events of all changes, by their names.</summary>
    /// <returns>Whether it does.</returns>
    public static bool TryEnable(SourceLink source, SourceNode node, IImportTask task)
    {
        Reply reply = source.Call("CONFIG", "GET", Directive);
        if (reply.IsError || reply.Items.Count < 2)
        {
            Warn($"{node.Address} does not tell its {Directive}, so no events are counted on: {reply.Text}");
            return false;
        }

        string flags = reply.Items[1].Text;
        bool hasAll = flags.Contains('E') && (flags.Contains('A') || Classes.All(flags.Contains));
        if (hasAll)
            return true;
        task.Record.NoteEvents(node.Address.ToString(), flags);
        string wanted = flags + (flags.Contains('E') ? "" : "E") + (flags.Contains('A') ? "" : "A");
        Reply set = source.Call("CONFIG", "SET", Directive, wanted);
        if (set.IsError)
            Warn($"{node.Address} refuses to set {Directive} to {wanted}: {set.Text}");
        return !set.IsError;

        void Warn(string message) => task.Log.Write(LogLevel.Warning, "Import: " + message);
    }

    /// <summary>Sets a source's events to what they were.</summary>
    public static void Restore(SourceLink source, SourceNode node, IImportTask task)
    {
        if (task.Record.EventsOf(node.Address.ToString()) is { } flags)
            source.Call("CONFIG", "SET", Directive, flags);
    }
}
