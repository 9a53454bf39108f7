// One of the three logs of remarkable commands: the slow ones (SLOWLOG), those with large requests, those
// with large replies (COMMANDLOG). Every loop and the slow lane write; that is rare unless a threshold of 0
// asks for every command, so a lock guards a plain queue. A reader takes a copy of the list, whose entries
// never change.

using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Observing;

/// <summary>A bounded log of commands, the oldest making room for the newest. Any thread.</summary>
internal sealed class CommandLog(ConfigurationRegistry configuration, Clock clock)
{
    private readonly Lock _lock = new();
    private readonly Queue<CommandLogEntry> _entries = new();
    private readonly ConfigurationRegistry _configuration = configuration;
    private readonly Clock _clock = clock;
    private long _idNext;

    /// <summary>Number of entries.</summary>
    public int Count
    {
        get
        {
            lock (_lock)
                return _entries.Count;
        }
    }

    /// <summary>Logs a command.</summary>
    /// <param name="command">The command.</param>
    /// <param name="value">Microseconds or bytes.</param>
    /// <param name="countMax">How many entries the log may hold; 0: it is off, and ids do not
    /// advance.</param>
    public void Add(in ObservedCommand command, long value, long countMax)
    {
        if (countMax == 0)
            return;
        byte[][] arguments = LoggedArguments.Copy(in command, _configuration);
        // The name outlives its client here.
        byte[] name = LoggedArguments.Trim(
            command.Session.Name, _configuration.Settings.LogEntryArgumentBytesMax);
        byte[] address = Encoding.Latin1.GetBytes(command.Session.Endpoint.RemoteAddress);
        long unixSeconds = _clock.UnixMicroseconds / 1_000_000;
        lock (_lock)
        {
            _entries.Enqueue(
                new CommandLogEntry(_idNext++, unixSeconds, value, arguments, address, name));
            while (_entries.Count > countMax)
                _entries.Dequeue();
        }
    }

    /// <summary>Empties the log.</summary>
    public void Reset()
    {
        lock (_lock)
            _entries.Clear();
    }

    /// <summary>Replies the latest entries, the latest first.</summary>
    /// <param name="reply">Where to.</param>
    /// <param name="countMax">The most entries; −1: all.</param>
    public void Reply(ref ReplyWriter reply, long countMax)
    {
        CommandLogEntry[] entries;
        lock (_lock)
            entries = _entries.ToArray();
        int count = countMax < 0 ? entries.Length : (int)Math.Min(countMax, entries.Length);
        reply.ArrayHeader(count);
        for (int index = entries.Length - 1; index >= entries.Length - count; index--)
            Reply(ref reply, entries[index]);
    }

    private static void Reply(ref ReplyWriter reply, CommandLogEntry entry)
    {
        reply.ArrayHeader(6);
        reply.Integer(entry.Id);
        reply.Integer(entry.UnixSeconds);
        reply.Integer(entry.Value);
        reply.ArrayHeader(entry.Arguments.Length);
        foreach (byte[] argument in entry.Arguments)
            reply.Bulk(argument);
        reply.Bulk(entry.Address);
        reply.Bulk(entry.Name);
    }
}
