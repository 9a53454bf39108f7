using System.Collections.Immutable;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Memory;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Observing;

/// <summary>MONITOR: shows every executed command to the sessions that asked for it.</summary>
internal sealed unsafe class Monitors(
    GateSet gates, SharedBlockPool chunks, Clock clock, ConfigurationRegistry configuration)
{
    private readonly GateSet _gates = gates;
    private readonly SharedBlockPool _chunks = chunks;
    private readonly Clock _clock = clock;
    private readonly ConfigurationRegistry _configuration = configuration;

    // The list and the gate change together: otherwise a session that stops monitoring could open the gate of
    // one that has just begun.
    private readonly Lock _lock = new();
    private ImmutableArray<Session> _sessions = [];

    /// <summary>Adds a monitoring session.</summary>
    public void Add(Session session)
    {
        session.ChangeFlags(SessionFlags.Monitor, SessionFlags.None);
        lock (_lock)
        {
            if (!_sessions.Contains(session))
                _sessions = _sessions.Add(session);
            _gates.Set(ServerGates.Monitored, true);
        }
    }

    /// <summary>Removes a session that no longer monitors.</summary>
    public void Remove(Session session)
    {
        session.ChangeFlags(SessionFlags.None, SessionFlags.Monitor);
        lock (_lock)
        {
            _sessions = _sessions.Remove(session);
            _gates.Set(ServerGates.Monitored, !_sessions.IsEmpty);
        }
    }

    /// <summary>
    /// Shows a command that has run, in the database that is selected now; under its locks, so that commands
    /// on one key appear in the order of their execution.
    /// </summary>
    public void Feed(SessionExecution execution)
    {
        if (!_sessions.IsEmpty && Shows(execution.Spec))
            Send(LineOf(execution, isInScript: false));
    }

    /// <summary>Whether a command is shown when it runs.</summary>
    public static bool Shows(CommandSpec spec) => !spec.Has(CommandFlags.SkipMonitor | CommandFlags.Admin);

    /// <summary>The line that shows a command.</summary>
    /// <param name="execution">The command's.</param>
    /// <param name="isInScript">Whether a script has called it.</param>
    public byte[] LineOf(SessionExecution execution, bool isInScript) =>
        Encoding.Latin1.GetBytes(Describe(execution, isInScript));

    /// <summary>Shows a line.</summary>
    public void Send(byte[] line)
    {
        foreach (Session session in _sessions)
        {
            SharedBlock* block = SharedBlock.Create(_chunks, line.Length);
            // SAFETY: the block was made for this many bytes.
            line.CopyTo(new Span<byte>(block->Data, line.Length));
            session.Loop.Post(new MailboxMessage
            {
                Kind = MailboxMessageKind.Monitor,
                Target = session,
                Block = block,
                Length = line.Length,
            });
        }
    }

    private string Describe(SessionExecution execution, bool isInScript)
    {
        long us = _clock.UnixMicroseconds;
        var text = new StringBuilder("+");
        text.Append(CultureInfo.InvariantCulture, $"{us / 1_000_000}.{us % 1_000_000:D6} [");
        text.Append(CultureInfo.InvariantCulture, $"{execution.Session.Database} ");
        text.Append(isInScript ? "lua"
            : execution.Session.Endpoint.Kind == ConnectionKind.Unix
                ? $"unix:{execution.Session.Endpoint.LocalAddress}"
                : execution.Session.Endpoint.RemoteAddress).Append(']');
        ObservedCommand command = ObservedCommand.Of(execution);
        for (int index = 0; index < execution.ArgumentCount; index++)
        {
            text.Append(' ');
            if (LoggedArguments.IsSecret(in command, index, _configuration))
                text.Append("\"(redacted)\"");
            else
                QuotedText.Append(text, execution.Argument(index));
        }

        return text.Append("\r\n").ToString();
    }
}
