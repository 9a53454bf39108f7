using System;
using System.Collections.Immutable;
using System.Globalization;
using System.Text;
using System.Threading;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Memory;

namespace Cinnabar.Engine.Server;

/// <summary>MONITOR: shows every executed command to the sessions that asked for it.</summary>
internal sealed unsafe class Monitors
{
    private readonly ServerEngine _engine;
    private ImmutableArray<Session> _sessions = [];

    /// <summary>Makes it, with nobody monitoring.</summary>
    public Monitors(ServerEngine engine) => _engine = engine;

    /// <summary>Adds a monitoring session.</summary>
    public void Add(Session session)
    {
        session.Flags |= SessionFlags.Monitor;
        ImmutableInterlocked.Update(ref _sessions, static (all, one) => all.Contains(one) ? all : all.Add(one), session);
        _engine.SetGate(ServerGates.Monitored, true);
    }

    /// <summary>Removes a session that monitors no more.</summary>
    public void Remove(Session session)
    {
        session.Flags &= ~SessionFlags.Monitor;
        ImmutableInterlocked.Update(ref _sessions, static (all, one) => all.Remove(one), session);
        _engine.SetGate(ServerGates.Monitored, !_sessions.IsEmpty);
    }

    /// <summary>Shows a command that is about to run.</summary>
    public void Feed(SessionExecution execution)
    {
        if (_sessions.IsEmpty || (execution.Spec.Flags & (CommandFlags.SkipMonitor | CommandFlags.Admin)) != 0)
            return;
        byte[] line = Encoding.Latin1.GetBytes(Describe(execution));
        foreach (Session session in _sessions)
        {
            SharedBlock* block = SharedBlock.Create(_engine.Chunks, line.Length);
            line.CopyTo(new Span<byte>(block->Data, line.Length));
            session.Deliver(block, line.Length);
        }
    }

    private string Describe(SessionExecution execution)
    {
        long us = _engine.Clock.UnixMicroseconds;
        var text = new StringBuilder("+");
        text.Append(CultureInfo.InvariantCulture, $"{us / 1_000_000}.{us % 1_000_000:D6} [");
        text.Append(CultureInfo.InvariantCulture, $"{execution.Session.Database} ");
        text.Append(execution.Session.Endpoint.Kind == ConnectionKind.Unix
            ? $"unix:{execution.Session.Endpoint.LocalAddress}"
            : execution.Session.Endpoint.RemoteAddress).Append(']');
        for (int index = 0; index < execution.ArgumentCount; index++)
        {
            text.Append(' ');
            QuotedText.Append(text, execution.Argument(index));
        }

        return text.Append("\r\n").ToString();
    }
}
