using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Support.Engine;

/// <summary>Keeps what a server's executions record, as the append-only file would have it.</summary>
public sealed unsafe class RecordingJournal : IJournal
{
    private readonly Lock _lock = new();
    private readonly List<Unit> _units = [];
    private int _publishedCount;

    /// <summary>Number of units.</summary>
    public int Count => _units.Count;

    /// <summary>Records what a server does from now on.</summary>
    public static RecordingJournal Of(TestServer server)
    {
        var journal = new RecordingJournal();
        server.Engine.Keyspace.Recording.Journal = journal;
        return journal;
    }

    /// <inheritdoc/>
    public JournalClaim Claim(in JournalUnit unit)
    {
        // Filled with what no command contains, so that a byte that is not written shows.
        byte[] bytes = GC.AllocateUninitializedArray<byte>((int)unit.Length, pinned: true);
        bytes.AsSpan().Fill(0xEE);
        lock (_lock)
        {
            _units.Add(new Unit(unit, bytes));
            fixed (byte* data = bytes)
                return new JournalClaim(data, _units.Count - 1);
        }
    }

    /// <inheritdoc/>
    public void Publish(in JournalClaim claim) => Interlocked.Increment(ref _publishedCount);

    /// <inheritdoc/>
    public void AppendFor(JournalAudience audience, ReadOnlySpan<byte> commands)
    {
        // It records what all get.
    }

    /// <summary>The text of all units from one on: SELECT, MULTI and EXEC are where the journal puts
    /// them.</summary>
    public byte[] TextFrom(int first = 0)
    {
        if (_publishedCount != _units.Count)
            throw new InvalidOperationException("a claim was not published");
        using var text = new MemoryStream();
        int database = -1;
        foreach (Unit unit in _units.Skip(first))
        {
            if (unit.Head.Database != database)
                text.Write(RespClient.Encode(["SELECT", $"{unit.Head.Database}"]));
            if (unit.Head.IsTransaction)
                text.Write(RespClient.Encode(["MULTI"]));
            text.Write(unit.Text);
            if (unit.Head.IsTransaction)
                text.Write(RespClient.Encode(["EXEC"]));
            database = unit.Head.DatabaseAfter;
        }

        return text.ToArray();
    }

    /// <summary>The same as commands, words between spaces; without the SELECT of database 0 at the
    /// start.</summary>
    public List<string> CommandsFrom(int first = 0)
    {
        List<string> commands = [];
        using var text = new MemoryStream(TextFrom(first));
        var reader = new RespReader(text);
        while (text.Position < text.Length)
            commands.Add(string.Join(' ', reader.Read().Items.Select(item => item.Text)));
        if (commands.Count > 0 && commands[0] == "SELECT 0")
            commands.RemoveAt(0);
        return commands;
    }

    private sealed record Unit(JournalUnit Head, byte[] Text);
}
